import { Body, fieldsNamedInConnection, type Headers, isHopByHop, type Message, type Request, Response } from '#http'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'

/** Content of a message for the Sideband API; null where it is not sent. */
export type SidebandContent = string | null

/** Fields that the framing of the message determines. */
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding'])

/** Maximum of header fields in an answer, as in the response of a server: each is compared with the others. */
const MAX_FIELDS = 1_000

/** Header fields in the format of the API: a list of objects with one member. */
export function headerList(headers: Headers): JsonObject[] {
  return [...headers].map(([name, value]) => ({ [name]: value }))
}

/** An invalid response of the API. */
export class SidebandError extends Error {
  override readonly name = 'SidebandError'
}

/**
 * Applies the request that the API returns: method, path and query, header fields and content. A URL that is the one that was sent
 * leaves the path as earlier filters have rewritten it, and its bytes as they are.
 */
export function applyRequest(answer: JsonObject, request: Request, sentUrl: string, sent: SidebandContent): void {
  const { method, url } = answer
  if (typeof method === 'string' && method !== request.method) {
    if (!/^[A-Z]{1,20}$/.test(method)) throw new SidebandError('the method of the request is invalid')
    request.method = method
  }
  if (typeof url === 'string' && url !== sentUrl) applyUrl(url, request)
  applyHeaders(answer['headers'], request)
  applyContent(answer['body'], request, sent)
}

/** Applies the response that the API returns: status, header fields and content. */
export function applyResponse(answer: JsonObject, response: Response, sent: SidebandContent): void {
  const status = statusOf(answer['response_code'])
  if (status !== response.status) response.status = status
  applyHeaders(answer['headers'], response)
  applyContent(answer['body'], response, sent)
}

/** The response with which the API refuses a request; null where it returns the request. Throws where the answer is neither. */
export function refusal(answer: JsonObject): Response | null {
  const given = answer['response'] ?? null
  if (given === null) {
    if (MEMBERS.some((name) => Object.hasOwn(answer, name))) return null
    throw new SidebandError(`expected a response, or the request with one of ${MEMBERS.join(', ')}`)
  }
  if (!isPlainObject(given)) throw new SidebandError('response: expected an object')
  const refused = given as JsonObject
  const response = new Response(statusOf(refused['response_code']))
  applyHeaders(refused['headers'], response)
  applyContent(refused['body'], response, null)
  return response
}

/** Members of a request that the API returns; an answer without any of them is of another API. */
const MEMBERS = ['method', 'url', 'headers', 'state']

/** The server stays that of the route: the API may change path and query only. */
function applyUrl(text: string, { uri }: Request): void {
  if (!URL.canParse(text)) throw new SidebandError('the URL of the request is invalid')
  const { pathname, search } = new URL(text)
  uri.rawPath = pathname
  uri.rawQuery = search === '' ? null : search.slice(1)
}

function applyHeaders(given: JsonValue | undefined, message: Message): void {
  if (given === undefined || given === null) return
  if (!Array.isArray(given)) throw new SidebandError('headers: expected a list')
  let fields = 0
  const { headers } = message
  const named = fieldsNamedInConnection(headers.raw())
  const isOurs = (name: string) => FRAMING.has(name.toLowerCase()) || isHopByHop(name) || named?.has(name.toLowerCase())
  for (const name of headers.names()) if (!isOurs(name)) headers.delete(name)
  for (const entry of given) {
    if (!isPlainObject(entry)) throw new SidebandError('headers: expected objects with one member')
    const members = Object.entries(entry)
    fields += members.length
    if (fields > MAX_FIELDS) throw new SidebandError(`headers: expected at most ${MAX_FIELDS} fields`)
    for (const [name, value] of members) {
      if (typeof value !== 'string') throw new SidebandError('headers: expected texts')
      if (isOurs(name)) continue
      try {
        headers.add(name, value)
      } catch {
        throw new SidebandError('headers: a name or value is invalid')
      }
    }
  }
}

function applyContent(given: JsonValue | undefined, message: Message, sent: SidebandContent): void {
  if (typeof given !== 'string' || given === (sent ?? '')) return
  message.body.cancel()
  message.body = Body.of(given)
  message.headers.delete('transfer-encoding')
  message.headers.delete('content-encoding')
  message.headers.set('Content-Length', String(message.body.length))
}

function statusOf(given: JsonValue | undefined): number {
  const status = Number(typeof given === 'string' || typeof given === 'number' ? given : Number.NaN)
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new SidebandError('response_code is invalid')
  return status
}
