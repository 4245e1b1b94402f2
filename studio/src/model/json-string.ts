/** A string of JSON as far as it is written, and where each of its characters is. */
export interface DecodedString {
  readonly text: string
  /** Offset of each character, and of the end. */
  readonly offsets: readonly number[]
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Decodes the characters between the quotes of a string that begin at an offset. */
export function decodeString(raw: string, start = 0): DecodedString {
  const offsets: number[] = []
  let text = ''
  let at = 0
  while (at < raw.length && raw[at] !== '"') {
    offsets.push(start + at)
    const isEscape = raw[at] === '\\' && at + 1 < raw.length
    const unicode = isEscape ? /^\\u([0-9a-fA-F]{4})/.exec(raw.slice(at, at + 6)) : null
    if (unicode !== null) text += String.fromCharCode(Number.parseInt(unicode[1] as string, 16))
    else text += isEscape ? (ESCAPES[raw[at + 1] as string] ?? raw[at + 1]) : raw[at]
    at += unicode !== null ? 6 : isEscape ? 2 : 1
  }
  offsets.push(start + at)
  return { text, offsets }
}
