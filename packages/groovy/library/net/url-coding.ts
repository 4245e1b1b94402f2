// URLEncoder and URLDecoder.

import { spend, tick } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { TextParts } from '../../runtime/text-parts.ts'
import { declareClass } from '../../values/classes.ts'
import { illegalArgument } from '../../values/exceptions.ts'
import { textOf } from '../../values/text.ts'
import type { Value } from '../../values/value.ts'
import { bytesOf, textOfBytes } from '../text/charsets.ts'

const UrlEncoderClass = declareClass('java.net.URLEncoder')
const UrlDecoderClass = declareClass('java.net.URLDecoder')

function encode(text: string, charset: string): string {
  const parts = new TextParts()
  // Not longer, so that the time is checked between them.
  for (const [piece] of text.matchAll(/[A-Za-z0-9.*_-]+| +|[^A-Za-z0-9.*_ -]{1,1000}/gu)) {
    if (piece.startsWith(' ')) parts.add('+'.repeat(piece.length))
    else parts.add(/^[A-Za-z0-9.*_-]/.test(piece) ? piece : percentEncoded(bytesOf(piece, charset)))
  }
  return parts.text()
}

const HEX_BYTES: readonly string[] = Array.from(
  { length: 256 },
  (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
)

/** Bytes in percent-encoding. */
export function percentEncoded(bytes: Uint8Array): string {
  spend(bytes.length)
  let text = ''
  for (const byte of bytes) text += HEX_BYTES[byte] as string
  return text
}

/** A text whose bytes in percent-encoding are decoded. */
export function percentDecoded(text: string, charset: string): string {
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => {
    tick()
    return textOfBytes(Buffer.from(run.replaceAll('%', ''), 'hex'), charset)
  })
}

function decode(text: string, charset: string): string {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text)?.[0]
  if (bad !== undefined) {
    throw illegalArgument(
      bad.length < 3
        ? 'URLDecoder: Incomplete trailing escape (%) pattern'
        : `URLDecoder: Illegal hex characters in escape (%) pattern - ${bad.slice(1)}`,
    )
  }
  return percentDecoded(text.replaceAll('+', ' '), charset)
}

extend(UrlEncoderClass, {
  'static encode(String text): String': (text: string) => encode(text, 'UTF-8'),
  'static encode(String text, Object charset): String': (text: string, charset: Value) => encode(text, textOf(charset)),
})

extend(UrlDecoderClass, {
  'static decode(String text): String': (text: string) => decode(text, 'UTF-8'),
  'static decode(String text, Object charset): String': (text: string, charset: Value) => decode(text, textOf(charset)),
})
