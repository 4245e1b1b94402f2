/** A text with its bytes in UTF-8, where it is encoded already. */
interface TextRecord {
  readonly text: string
  /** The text is from `start` to `end`, and a line feed follows. */
  readonly encoded?: { readonly bytes: Buffer; readonly start: number; readonly end: number }
}

/** The text of a line without its line end, or a record with that text. */
export type Line = string | TextRecord

/** Line end of encoded records. */
const LINE_FEED = '\n'

export function lineText(line: Line): string {
  return typeof line === 'string' ? line : line.text
}

/** Bytes of a line without its line end. */
export function lineSize(line: Line): number {
  const encoded = encodedOf(line)
  return encoded === null ? Buffer.byteLength(lineText(line)) : encoded.end - encoded.start
}

/** Lines in UTF-8 with their line ends. Encoded records that follow each other in memory are one range of it, which is not copied. */
export function lineBytes(lines: readonly Line[], lineEnd: string): Uint8Array {
  if (lineEnd !== LINE_FEED) return textBytes(lines, lineEnd)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < lines.length; ) {
    const end = endOfRange(lines, at)
    const encoded = encodedOf(lines[at]!)
    if (encoded === null) pieces.push(textBytes(lines.slice(at, end), lineEnd))
    else pieces.push(encoded.bytes.subarray(encoded.start, encodedOf(lines[end - 1]!)!.end + LINE_FEED.length))
    at = end
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

/** Index after the lines that are in one range of memory, or that are not encoded. */
function endOfRange(lines: readonly Line[], from: number): number {
  let last = encodedOf(lines[from]!)
  let at = from + 1
  for (; at < lines.length; at++) {
    const next = encodedOf(lines[at]!)
    const isAdjacent = next?.bytes === last?.bytes && (next === null || next.start === last!.end + LINE_FEED.length)
    if (!isAdjacent) break
    last = next
  }
  return at
}

function encodedOf(line: Line) {
  return typeof line === 'string' ? null : (line.encoded ?? null)
}

function textBytes(lines: readonly Line[], lineEnd: string): Uint8Array {
  return Buffer.from(lines.map((line) => `${lineText(line)}${lineEnd}`).join(''), 'utf8')
}
