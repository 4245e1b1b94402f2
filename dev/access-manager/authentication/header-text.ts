const ENCODED_WORD = /^=\?([\w-]+)\?([BQ])\?([^?]*)\?=$/i

/** Text of a header: an encoded word (RFC 2047) is decoded, other text is unchanged. */
export function headerText(value: string): string {
  const match = ENCODED_WORD.exec(value)
  if (match === null || match[1]!.toLowerCase() !== 'utf-8') return value
  const content = match[3]!
  if (match[2]!.toUpperCase() === 'B') return Buffer.from(content, 'base64').toString('utf8')
  const bytes = content
    .replaceAll('_', ' ')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
