import { checkText } from '../../meter.ts'
import { UnsupportedEncodingException } from '../../values/exceptions.ts'
import { throwable } from '../../values/throwable.ts'

type NodeEncoding = 'utf8' | 'latin1' | 'ascii' | 'utf16le' | 'utf16be'

const ENCODINGS: ReadonlyMap<string, NodeEncoding> = new Map<string, NodeEncoding>([
  ['UTF-8', 'utf8'],
  ['UTF8', 'utf8'],
  ['ISO-8859-1', 'latin1'],
  ['LATIN1', 'latin1'],
  ['US-ASCII', 'ascii'],
  ['ASCII', 'ascii'],
  ['UTF-16LE', 'utf16le'],
  ['UTF-16BE', 'utf16be'],
])

function encodingOf(charset: string): NodeEncoding {
  const encoding = ENCODINGS.get(charset.toUpperCase())
  if (encoding === undefined) throw throwable(UnsupportedEncodingException, charset)
  return encoding
}

/** The name of a charset as Java writes it; throws for an unsupported one. */
export function canonicalCharset(charset: string): string {
  const encoding = encodingOf(charset)
  for (const [name, each] of ENCODINGS) if (each === encoding) return name
  return charset
}

/** Encodes a string. Characters that the charset does not have become question marks. */
export function bytesOf(text: string, charset: string): Uint8Array {
  const encoding = encodingOf(charset)
  checkText(text.length * 2)
  if (encoding === 'utf16be') return Buffer.from(text, 'utf16le').swap16()
  if (encoding === 'latin1') return Buffer.from(text.replace(/[^\0-\xff]/g, '?'), 'latin1')
  if (encoding === 'ascii') return Buffer.from(text.replace(/[^\0-\x7f]/g, '?'), 'latin1')
  return Buffer.from(text, encoding)
}

/** Decodes bytes. */
export function textOfBytes(bytes: Uint8Array, charset: string): string {
  const encoding = encodingOf(charset)
  checkText(bytes.length)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (encoding === 'utf16be')
    return Buffer.from(buffer.subarray(0, buffer.length & ~1))
      .swap16()
      .toString('utf16le')
  if (encoding === 'ascii') return buffer.toString('latin1').replace(/[^\0-\x7f]/g, '\ufffd')
  return buffer.toString(encoding)
}
