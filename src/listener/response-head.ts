import { fieldsNamedInConnection, isHopByHop, type Response } from '#http'
import { allowedTrailers } from './trailers.ts'

/** The head of a response and the framing of its body. */
export interface ResponseHead {
  readonly raw: string[]
  /** Bytes of the body; null where unknown. */
  readonly length: number | null
  readonly hasBody: boolean
}

/** Throws for a status that no final response has, as of a broken upstream (threats B28). */
export function assertFinalStatus(status: number): void {
  if (!Number.isInteger(status) || status < 200 || status > 999) {
    throw new RangeError(`status ${status} cannot end a request`)
  }
}

/** End-to-end fields in their order and case, with the framing of the gateway. */
export function headOf(response: Response, method: string): ResponseHead {
  const { status, body } = response
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 205 && status !== 304
  const hasTrailers = response.trailers !== null || (body.trailers !== null && allowedTrailers(body.trailers) !== null)
  const length = hasTrailers ? null : body.length
  const given = response.headers.raw()
  const named = fieldsNamedInConnection(given)
  const raw: string[] = []
  let declared: string | null = null
  for (let i = 0; i < given.length; i += 2) {
    const name = given[i]!
    const lower = name.toLowerCase()
    if (lower === 'content-length') declared = given[i + 1]!
    else if (!isHopByHop(lower) && named?.has(lower) !== true) raw.push(name, given[i + 1]!)
  }
  if (hasBody) {
    if (length !== null) raw.push('Content-Length', String(length))
  } else if (status === 205) {
    raw.push('Content-Length', '0')
  } else if (status !== 204 && status !== 304 && length !== null && length > 0) {
    // HEAD for a response that has content.
    raw.push('Content-Length', String(length))
  } else if (status !== 204 && declared !== null && /^\d+$/.test(declared)) {
    // RFC 9110 section 8.6: HEAD and 304 declare the length of content that is not sent.
    raw.push('Content-Length', declared)
  }
  return { raw, length, hasBody }
}
