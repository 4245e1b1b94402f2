import type { Exchange } from '#http'
import { isPlainObject, type JsonObject } from '#json'
import type { Runtime } from '#schema'

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

/** Why nobody can be asked about a request: it says not who it is from. */
export class NoSubject {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** Who the request is from. Without subject the access manager would take the gateway itself for it: never asked then. */
export async function subjectOf(sources: QuestionSources, exchange: Exchange): Promise<Subject | NoSubject> {
  const ssoToken = sources.ssoToken === null ? null : await sources.ssoToken(exchange)
  const jwt = sources.jwt === null ? null : await sources.jwt(exchange)
  const claims = sources.claims === null ? null : await mapOf(sources.claims, exchange)
  if (claims !== null && (typeof claims['sub'] !== 'string' || claims['sub'] === ''))
    return new NoSubject('claimsSubject gave no "sub"')
  const subject: Subject = {
    ...(ssoToken === null || ssoToken === '' ? {} : { ssoToken }),
    ...(jwt === null || jwt === '' ? {} : { jwt }),
    ...(claims === null ? {} : { claims: claims as JsonObject }),
  }
  return Object.keys(subject).length === 0 ? new NoSubject('the expressions for the subject gave nothing') : subject
}

/** What else policies may look at: each value as a list of texts, which is how the access manager takes it. */
export async function environmentOf(
  source: MapSource | null,
  exchange: Exchange,
): Promise<Record<string, readonly string[]> | null> {
  if (source === null) return null
  const values = await mapOf(source, exchange)
  const environment: Record<string, readonly string[]> = Object.create(null)
  for (const name of Object.keys(values ?? {}).sort()) {
    const texts = textsOf((values as Record<string, unknown>)[name])
    if (texts.length > 0) environment[name] = texts
  }
  return environment
}

/** A question in the form in which it is sent, and by which it is remembered. */
export function checkedQuestion(question: JsonObject): string {
  const text = JSON.stringify(question)
  if (text.length > LARGEST_QUESTION)
    throw new Error(
      `the question to the access manager is larger than ${LARGEST_QUESTION} bytes; give it less environment`,
    )
  return text
}

async function mapOf(source: MapSource, exchange: Exchange): Promise<Record<string, unknown> | null> {
  if ('whole' in source) {
    const value = await source.whole(exchange)
    if (value === null) return null
    if (!isPlainObject(value)) throw new TypeError(`expected a map from the expression, got ${typeof value}`)
    return value as Record<string, unknown>
  }
  const values: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(source.map)) {
    const value = await (source.map[name] as Ask)(exchange)
    if (value !== null) values[name] = value
  }
  return values
}

function textsOf(value: unknown): readonly string[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return value.filter((each) => each !== null && each !== undefined).map(textOf)
  if (value instanceof Set) return [...value].map(textOf)
  return [textOf(value)]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value)
}
