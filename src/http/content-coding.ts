import zlib from 'node:zlib'
import { BodyTooLargeError } from './body-errors.ts'
import type { Headers } from './headers.ts'

/** The most bytes that encoded content may become when an expression looks into it (threats B88). */
export const MAX_DECODED_BYTES = 16 * 1024 * 1024
const MAX_CODINGS = 2

/** Content in a coding that is not known here, or damaged. */
export class ContentCodingError extends Error {
  override readonly name = 'ContentCodingError'
  readonly code = 'GW_CONTENT_CODING'
}

const limits = { maxOutputLength: MAX_DECODED_BYTES }

const DECODERS: ReadonlyMap<string, (content: Uint8Array) => Uint8Array> = new Map([
  ['gzip', (content: Uint8Array) => zlib.gunzipSync(content, limits)],
  ['x-gzip', (content: Uint8Array) => zlib.gunzipSync(content, limits)],
  ['deflate', (content: Uint8Array) => zlib.inflateSync(content, limits)],
  ['br', (content: Uint8Array) => zlib.brotliDecompressSync(content, limits)],
  ['zstd', (content: Uint8Array) => zlib.zstdDecompressSync(content, limits)],
])

/** Undoes the Content-Encoding of a message (RFC 9110 section 8.4), the last applied first. */
export function decodeContent(headers: Headers, content: Uint8Array): Uint8Array {
  const codings = codingsOf(headers)
  if (codings.length === 0 || content.length === 0) return content
  if (codings.length > MAX_CODINGS) throw new ContentCodingError(`content-encoding: more than ${MAX_CODINGS} codings`)
  return codings.reduceRight((bytes, coding) => decode(coding, bytes), content)
}

function codingsOf(headers: Headers): string[] {
  const codings: string[] = []
  for (const value of headers.all('content-encoding')) {
    for (const part of value.split(',')) {
      const coding = part.trim().toLowerCase()
      if (coding !== '' && coding !== 'identity') codings.push(coding)
    }
  }
  return codings
}

function decode(coding: string, content: Uint8Array): Uint8Array {
  const decoder = DECODERS.get(coding)
  if (decoder === undefined) throw new ContentCodingError('content-encoding: a coding that is not known')
  try {
    return decoder(content)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new BodyTooLargeError(MAX_DECODED_BYTES)
    throw new ContentCodingError(`content-encoding: the content is not valid ${coding}`)
  }
}
