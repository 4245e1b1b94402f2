/** Whether every line of a text ends with CRLF. */
export function hasCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text)
}

/** A text whose lines end with LF, as the editor has them. */
export function withLf(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

export function withCrlf(text: string): string {
  return text.replaceAll('\n', '\r\n')
}
