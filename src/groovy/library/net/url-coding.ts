// URLEncoder and URLDecoder.
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
  for (const piece of text.match(/[A-Za-z0-9.*_-]+|[^A-Za-z0-9.*_-]+/g) ?? []) {
    parts.add(/^[A-Za-z0-9.*_-]/.test(piece) ? piece : encodePiece(piece, charset))
  }
  return parts.text()
}

function encodePiece(piece: string, charset: string): string {
  return piece
    .split(' ')
    .map((each) => Array.from(bytesOf(each, charset), hexByte).join(''))
    .join('+')
}

const hexByte = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

function decode(text: string, charset: string): string {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text)?.[0]
  if (bad !== undefined) {
    throw illegalArgument(
      bad.length < 3
        ? 'URLDecoder: Incomplete trailing escape (%) pattern'
        : `URLDecoder: Illegal hex characters in escape (%) pattern - ${bad.slice(1)}`,
    )
  }
  return text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => textOfBytes(Buffer.from(run.replaceAll('%', ''), 'hex'), charset))
}

extend(UrlEncoderClass, {
  'static encode(String text): String': (text: string) => encode(text, 'UTF-8'),
  'static encode(String text, Object charset): String': (text: string, charset: Value) => encode(text, textOf(charset)),
})

extend(UrlDecoderClass, {
  'static decode(String text): String': (text: string) => decode(text, 'UTF-8'),
  'static decode(String text, Object charset): String': (text: string, charset: Value) => decode(text, textOf(charset)),
})
