import { JsonSyntaxError } from './parse.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The text of a configuration file. Bytes that are not UTF-8 are a JsonSyntaxError at the first of them: replacing them would
 * change the content. A byte order mark is kept.
 */
export function documentText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    const text = Buffer.from(bytes).toString('utf8')
    throw new JsonSyntaxError(`the file is ${encodingOf(bytes)}; save it as UTF-8`, text, firstReplaced(text, bytes))
  }
}

/** Editors and shells of Windows write UTF-16 with a byte order mark. */
function encodingOf([first, second]: Uint8Array): string {
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return isUtf16 ? 'UTF-16 text' : 'not UTF-8 text'
}

/** Offset of the first character that stands for an invalid byte; a file may also have U+FFFD itself. */
function firstReplaced(text: string, bytes: Uint8Array): number {
  let byte = 0
  let from = 0
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', from)) {
    byte += Buffer.byteLength(text.slice(from, at))
    if (bytes[byte] !== 0xef || bytes[byte + 1] !== 0xbf || bytes[byte + 2] !== 0xbd) return at
    byte += 3
    from = at + 1
  }
  return 0
}
