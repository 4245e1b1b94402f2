const alphabets = {
  base64: /^[A-Za-z0-9+/]*={0,2}$/,
  base64url: /^[A-Za-z0-9_-]*={0,2}$/,
  either: /^[A-Za-z0-9+/_-]*={0,2}$/,
}

/**
 * Decodes base64; white space is skipped and padding optional. Null for invalid input: another character, wrong padding, or
 * unused bits that are not zero.
 */
export function decodeBase64(text: string, alphabet: keyof typeof alphabets): Buffer | null {
  const compact = /\s/.test(text) ? text.replaceAll(/[ \t\r\n\f]+/g, '') : text
  if (!alphabets[alphabet].test(compact)) return null
  const padding = compact.indexOf('=')
  if (padding >= 0 && compact.length % 4 !== 0) return null
  const digits = padding < 0 ? compact : compact.slice(0, padding)
  const bytes = Buffer.from(digits, 'base64')
  return isWhole(digits, bytes) ? bytes : null
}

/** Whether the last digits are canonical: encoding the bytes gives the same digits. */
function isWhole(digits: string, bytes: Buffer): boolean {
  const rest = digits.length % 4
  if (rest === 0) return true
  if (rest === 1) return false
  const last = bytes
    .subarray(bytes.length - (rest - 1))
    .toString('base64url')
    .at(-1)
  return last === digits.at(-1)?.replace('+', '-').replace('/', '_')
}
