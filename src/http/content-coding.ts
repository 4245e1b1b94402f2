import zlib from 'node:zlib'
import { EntityTooLargeError } from './entity-limits.ts'
import type { Headers } from './headers.ts'

const MAX_CODINGS = 2

/**
 * Largest ratio of decoded to encoded content: text seldom compresses to a thirtieth, more is a decompression bomb (threats
 * B88). Small content may exceed it, since repeated text compresses further.
 */
const MAX_RATIO = 100
const LITTLE_BYTES = 64 * 1024

/** An unsupported coding, or malformed content. */
export class ContentCodingError extends Error {
  override readonly name = 'ContentCodingError'
  readonly code = 'GW_CONTENT_CODING'
}

type Decoder = (content: Uint8Array, limit: { readonly maxOutputLength: number }) => Uint8Array

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', zlib.gunzipSync as Decoder],
  ['x-gzip', zlib.gunzipSync as Decoder],
  ['deflate', zlib.inflateSync as Decoder],
  ['br', zlib.brotliDecompressSync as Decoder],
  ['zstd', zlib.zstdDecompressSync as Decoder],
])

/** Decodes the Content-Encoding of a message (RFC 9110 section 8.4), the last applied first, up to a number of bytes. */
export function decodeContent(headers: Headers, content: Uint8Array, maxBytes: number): Uint8Array {
  const codings = codingsOf(headers)
  if (codings.length === 0 || content.length === 0) return content
  if (codings.length > MAX_CODINGS) throw new ContentCodingError(`content-encoding: more than ${MAX_CODINGS} codings`)
  const limit = Math.min(maxBytes, Math.max(LITTLE_BYTES, MAX_RATIO * content.length))
  const found = limit === maxBytes ? `more than ${maxBytes} bytes` : `content that expands ${MAX_RATIO} times`
  return codings.reduceRight((bytes, coding) => decode(coding, bytes, limit, found), content)
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

function decode(coding: string, content: Uint8Array, limit: number, excess: string): Uint8Array {
  const decoder = DECODERS.get(coding)
  if (decoder === undefined) throw new ContentCodingError('content-encoding: unknown coding')
  try {
    return decoder(content, { maxOutputLength: limit })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new EntityTooLargeError(excess)
    throw new ContentCodingError(`content-encoding: the content is not valid ${coding}`)
  }
}
