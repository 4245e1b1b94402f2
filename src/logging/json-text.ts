import { oneJsonLine } from './one-line.ts'

/** A value as JSON in one line, without line ends and control characters (threats B87). */
export function jsonText(value: unknown): string {
  return oneJsonLine(JSON.stringify(value))
}

/** Printable ASCII that JSON does not escape. */
const PLAIN = /^[ !#-[\]-~]*$/

/** A text as JSON; the same as `jsonText`, and cheaper for most texts. */
export function jsonString(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : jsonText(text)
}

/** The same without its quotes. */
export function jsonContent(text: string): string {
  return PLAIN.test(text) ? text : jsonText(text).slice(1, -1)
}
