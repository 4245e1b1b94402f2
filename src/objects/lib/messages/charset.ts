/** Whether a text is the name of a character encoding that the gateway can decode. */
export function isCharset(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== ''
  } catch {
    return false
  }
}
