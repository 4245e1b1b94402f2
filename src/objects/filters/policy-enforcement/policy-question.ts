import type { Exchange } from '#http'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import type { Runtime } from '#schema'
import { type Awaitable, then } from '../../lib/awaitable.ts'
import { jsonOf } from '../../lib/policy/json-values.ts'

/** Bytes of everything that goes to the access manager with one question. */
const LARGEST_QUESTION = 128 * 1024

/** Gives a value for a request. */
type Ask = (exchange: Exchange) => unknown

/** A field that is a map of expressions, or one expression that gives a map. */
export type MapSource = { readonly map: Readonly<Record<string, Ask>> } | { readonly whole: Ask }

/** Who asks, and what else policies may look at. */
export interface QuestionSources {
  readonly ssoToken: Runtime<string> | null
  readonly jwt: Runtime<string> | null
  readonly claims: MapSource | null
  readonly environment: MapSource | null
}

/** The subject of a request; at least one part is there. */
export interface Subject {
  readonly ssoToken?: string
  readonly jwt?: string
  readonly claims?: JsonObject
}

/** Why no decision can be requested: the request has no subject. */
export class NoSubject {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** Who the request is from. Without subject the access manager would take the gateway itself for it: never asked then. */
export function subjectOf(sources: QuestionSources, exchange: Exchange): Awaitable<Subject | NoSubject> {
  return then(textFrom(sources.ssoToken, exchange), (ssoToken) =>
    then(textFrom(sources.jwt, exchange), (jwt) =>
      then(sources.claims === null ? null : mapOf(sources.claims, exchange), (claims) =>
        subjectFrom(ssoToken, jwt, claims),
      ),
    ),
  )
}

function textFrom(source: Runtime<string> | null, exchange: Exchange): Awaitable<string | null> {
  return source === null ? null : source(exchange)
}

function subjectFrom(
  ssoToken: string | null,
  jwt: string | null,
  claims: Record<string, unknown> | null,
): Subject | NoSubject {
  if (claims !== null && (typeof claims['sub'] !== 'string' || claims['sub'] === ''))
    return new NoSubject('claimsSubject gave no "sub"')
  const subject: { -readonly [name in keyof Subject]: Subject[name] } = {}
  if (ssoToken !== null && ssoToken !== '') subject.ssoToken = ssoToken
  if (jwt !== null && jwt !== '') subject.jwt = jwt
  if (claims !== null) subject.claims = claims as JsonObject
  for (const _ in subject) return subject
  return new NoSubject('the expressions for the subject gave nothing')
}

/** What else policies may look at: each value as a list of texts, which is how the access manager takes it. */
export function environmentOf(
  source: MapSource | null,
  exchange: Exchange,
): Awaitable<Record<string, readonly string[]> | null> {
  return source === null ? null : then(mapOf(source, exchange), listsIn)
}

function listsIn(values: Record<string, unknown> | null): Record<string, readonly string[]> {
  const environment: Record<string, readonly string[]> = Object.create(null)
  for (const name of Object.keys(values ?? {}).sort()) {
    const texts = textsOf((values as Record<string, unknown>)[name])
    if (texts.length > 0) environment[name] = texts
  }
  return environment
}

/** What is asked about a request. */
export interface Question {
  readonly resource: string
  readonly subject: Subject
  readonly environment: Readonly<Record<string, readonly string[]>> | null
}

/** A text that two questions have in common only if they are the same: each part of it says how long it is. */
export function textOfQuestion({ resource, subject, environment }: Question): string {
  const { ssoToken, jwt, claims } = subject
  let text = measured(resource) + measured(ssoToken) + measured(jwt)
  text += claims === undefined ? '-' : measured(JSON.stringify(claims))
  if (environment === null) return text
  for (const name of Object.keys(environment)) {
    text += `+${measured(name)}`
    for (const value of environment[name] as readonly string[]) text += measured(value)
  }
  return text
}

function measured(part: string | undefined): string {
  return part === undefined ? '-' : `${part.length}:${part}`
}

/** A question in the form in which it is sent. */
export function bodyOfQuestion({ resource, subject, environment }: Question, application: string | null): JsonObject {
  const body = {
    resources: [resource],
    ...(application === null ? {} : { application }),
    subject,
    ...(environment === null ? {} : { environment }),
  } as unknown as JsonObject
  if (JSON.stringify(body).length > LARGEST_QUESTION)
    throw new Error(
      `the question to the access manager is larger than ${LARGEST_QUESTION} bytes; give it less environment`,
    )
  return body
}

function mapOf(source: MapSource, exchange: Exchange): Awaitable<Record<string, unknown> | null> {
  if ('whole' in source) return then(source.whole(exchange), wholeMap)
  return collect(source.map, Object.keys(source.map), 0, Object.create(null), exchange)
}

function wholeMap(value: unknown): Record<string, unknown> | null {
  const json = jsonOf(value)
  if (json === null) return null
  if (!isPlainObject(json))
    throw new TypeError(`expected a map from the expression, got ${Array.isArray(json) ? 'a list' : typeof json}`)
  return json
}

/** Fills in the values of the names from one on. */
function collect(
  map: Readonly<Record<string, Ask>>,
  names: readonly string[],
  from: number,
  values: Record<string, unknown>,
  exchange: Exchange,
): Awaitable<Record<string, unknown>> {
  for (let at = from; at < names.length; at++) {
    const name = names[at] as string
    const value = (map[name] as Ask)(exchange)
    if (value instanceof Promise) {
      return value.then((late: unknown) => {
        if (late !== null) values[name] = jsonOf(late)
        return collect(map, names, at + 1, values, exchange)
      })
    }
    if (value !== null) values[name] = typeof value === 'string' ? value : jsonOf(value)
  }
  return values
}

function textsOf(value: unknown): readonly string[] {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) return [textOf(value)]
  return (value as readonly JsonValue[]).filter((each) => each !== null).map(textOf)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value)
}
