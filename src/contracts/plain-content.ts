/** A password without any trimming, so that a trailing line break is an error (spec: storePasswordSecretId). */
export function plainPassword(content: Buffer): Buffer {
  if (content.length === 0) throw new Error('expected a password, got nothing')
  if (content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf) {
    throw new Error('expected only the password, but it starts with a byte order mark; save it without one')
  }
  const trailing = trailingWhitespace(content)
  if (trailing !== null) {
    throw new Error(`expected only the password, but it ends in ${trailing}; write it with printf '%s', without that`)
  }
  return content
}

/** Decodes base64 of the standard or URL-safe alphabet; line breaks and spaces are ignored. */
export function base64Bytes(content: Buffer, warn: (message: string) => void): Buffer {
  const text = content.toString('latin1').replace(/[\t\n\r ]+/g, '')
  if (text === '') throw new Error('expected base64, got nothing')
  if (!/^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/.test(text)) {
    throw new Error('expected base64, found another character; use the format PLAIN for plain text')
  }
  const digits = text.replace(/=+$/, '')
  const isWhole = digits.length % 4 !== 1 && (text === digits || text.length % 4 === 0)
  if (!isWhole) throw new Error('expected base64, but its length is invalid; it may be truncated')
  const bytes = Buffer.from(digits, 'base64')
  const trailing = isPrintable(bytes) ? trailingWhitespace(bytes) : null
  if (trailing !== null) warn(`the encoded text ends in ${trailing}, which is part of the secret; was that meant?`)
  return bytes
}

const ENDINGS: Readonly<Record<number, string>> = {
  10: 'a line break',
  13: 'a carriage return',
  32: 'a space',
  9: 'a tab',
  0: 'a zero byte',
}

/** Description of a trailing character that no password ends in; null without one. */
function trailingWhitespace(content: Buffer): string | null {
  return ENDINGS[content.at(-1) ?? -1] ?? null
}

/** Whether bytes are printable text, as keys hardly ever are. */
function isPrintable(bytes: Buffer): boolean {
  return bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09)
}
