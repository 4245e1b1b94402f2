const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The value of a hexadecimal digit given by its character code, or -1. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** The byte of the escape at `index`, or -1 without two hexadecimal digits. */
export function escapedByte(text: string, index: number): number {
  if (index + 2 >= text.length) return -1
  const high = hexDigit(text.charCodeAt(index + 1))
  const low = hexDigit(text.charCodeAt(index + 2))
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

/** Decodes percent-escapes as UTF-8; a lone `%` stays, bytes that are not UTF-8 become U+FFFD. */
export function percentDecode(text: string): string {
  return text.includes('%') ? UTF8.decode(escapedBytes(text)) : text
}

/** Whether the escapes of a text, decoded, are well-formed UTF-8 (no overlong form, no surrogate). */
export function escapesAreUtf8(text: string): boolean {
  try {
    STRICT_UTF8.decode(escapedBytes(text))
    return true
  } catch {
    return false
  }
}

/** One byte as `%XX`. */
export function escapeByte(byte: number): string {
  return ESCAPES[byte]!
}

/** Encodes as UTF-8 and percent-escapes every byte but those the table allows (indexed by ASCII code). */
export function percentEncode(text: string, allowed: Uint8Array): string {
  let plain = true
  for (let i = 0; i < text.length && plain; i++) plain = allowed[text.charCodeAt(i)] === 1
  if (plain) return text
  let encoded = ''
  for (const byte of Buffer.from(text, 'utf8')) {
    encoded += allowed[byte] === 1 ? String.fromCharCode(byte) : ESCAPES[byte]
  }
  return encoded
}

/** A table for percentEncode: 1 at the code of each given character and of each unreserved one. */
export function allowing(characters: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const each of `${UNRESERVED}${characters}`) table[each.charCodeAt(0)] = 1
  return table
}

/** RFC 3986 section 2.3. */
export const UNRESERVED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'
/** RFC 3986 section 2.2. */
export const SUB_DELIMS = "!$&'()*+,;="

const ESCAPES: readonly string[] = Array.from(
  { length: 256 },
  (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
)

function escapedBytes(text: string): Uint8Array {
  const source = Buffer.from(text, 'utf8')
  const target = Buffer.allocUnsafe(source.length)
  let length = 0
  for (let i = 0; i < source.length; i++) {
    const high = source[i] === 0x25 && i + 2 < source.length ? hexDigit(source[i + 1]!) : -1
    const low = high < 0 ? -1 : hexDigit(source[i + 2]!)
    if (low < 0) target[length++] = source[i]!
    else {
      target[length++] = high * 16 + low
      i += 2
    }
  }
  return target.subarray(0, length)
}
