import type { Exchange } from '#http'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import type { Runtime } from '#schema'
import { type Awaitable, then } from '../lib/awaitable.ts'
import { jsonOf } from './json-values.ts'

/** Maximum bytes of the body of one evaluation request. */
const MAX_REQUEST = 128 * 1024

/** Evaluates a value for a request. */
type Evaluate = (exchange: Exchange) => unknown

/** A field that is a map of expressions, or one expression that returns a map. */
export type MapSource = { readonly map: Readonly<Record<string, Evaluate>> } | { readonly whole: Evaluate }

/** Expressions for the subject and the environment. */
export interface EvaluationSources {
  readonly ssoToken: Runtime<string> | null
  readonly jwt: Runtime<string> | null
  readonly claims: MapSource | null
  readonly environment: MapSource | null
}

/** The subject of a request; at least one member is set. */
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

/** The subject of a request. No decision is requested without one: the access manager would decide about the agent itself. */
export function subjectOf(sources: EvaluationSources, exchange: Exchange): Awaitable<Subject | NoSubject> {
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

/** The environment: each value as a list of strings, the only form that the access manager accepts. */
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

/** Input of a policy evaluation. */
export interface EvaluationRequest {
  readonly resource: string
  readonly subject: Subject
  readonly environment: Readonly<Record<string, readonly string[]>> | null
}

/** Text that is equal for equal evaluations only: each part has a length prefix. */
export function cacheKeyOf({ resource, subject, environment }: EvaluationRequest): string {
  const { ssoToken, jwt, claims } = subject
  let text = lengthPrefixed(resource) + lengthPrefixed(ssoToken) + lengthPrefixed(jwt)
  text += claims === undefined ? '-' : lengthPrefixed(JSON.stringify(claims))
  if (environment === null) return text
  for (const name of Object.keys(environment)) {
    text += `+${lengthPrefixed(name)}`
    for (const value of environment[name] as readonly string[]) text += lengthPrefixed(value)
  }
  return text
}

function lengthPrefixed(part: string | undefined): string {
  return part === undefined ? '-' : `${part.length}:${part}`
}

/** The body of the evaluation request. */
export function bodyOf({ resource, subject, environment }: EvaluationRequest, application: string | null): JsonObject {
  const body = {
    resources: [resource],
    ...(application === null ? {} : { application }),
    subject,
    ...(environment === null ? {} : { environment }),
  } as unknown as JsonObject
  if (JSON.stringify(body).length > MAX_REQUEST)
    throw new Error(
      `the evaluation request to the access manager is larger than ${MAX_REQUEST} bytes; give it less environment`,
    )
  return body
}

function mapOf(source: MapSource, exchange: Exchange): Awaitable<Record<string, unknown> | null> {
  if ('whole' in source) return then(source.whole(exchange), mapFrom)
  return collect(source.map, Object.keys(source.map), 0, Object.create(null), exchange)
}

function mapFrom(value: unknown): Record<string, unknown> | null {
  const json = jsonOf(value)
  if (json === null) return null
  if (!isPlainObject(json))
    throw new TypeError(`expected a map from the expression, got ${Array.isArray(json) ? 'a list' : typeof json}`)
  return json
}

/** Adds the values of the names from index `from` on; synchronous as long as no expression returns a promise. */
function collect(
  map: Readonly<Record<string, Evaluate>>,
  names: readonly string[],
  from: number,
  values: Record<string, unknown>,
  exchange: Exchange,
): Awaitable<Record<string, unknown>> {
  for (let at = from; at < names.length; at++) {
    const name = names[at] as string
    const value = (map[name] as Evaluate)(exchange)
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
