import type { Output, ProcessContext } from './process-context.ts'

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

const CONTROL =
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g

type Style = keyof typeof CODES

/** Styles text; returns it unchanged where colours are off. */
export type Paint = (style: Style, text: string) => string

/** Whether output is coloured: FORCE_COLOR decides, then NO_COLOR (no-color.org), then whether it is a terminal. */
export function isColoured(output: Output, { env }: ProcessContext): boolean {
  const forced = env['FORCE_COLOR'] ?? ''
  if (forced !== '') return forced !== '0' && forced !== 'false'
  return output.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}

export function paintFor(output: Output, context: ProcessContext): Paint {
  return isColoured(output, context)
    ? (style, text) => `\u001b[${CODES[style]}m${text}\u001b[0m`
    : (_style, text) => text
}

/** Text without characters that change the state of a terminal or the order of text; tabs are kept. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** `1 file`, `2 files`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Size of a terminal; a serial or remote one without a size has 0 by 0, and is taken for a usual one. */
export function terminalSize({ columns = 0, rows = 0 }: Output): { readonly columns: number; readonly rows: number } {
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 }
}

/** A text of at most `width` characters. */
export function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text
}

/** Writes a value as one JSON document. */
export function writeJson(output: Output, value: unknown): void {
  output.write(`${JSON.stringify(value, null, 2)}\n`)
}

/** Rows with aligned columns; the last column is not padded. */
export function aligned(rows: readonly (readonly string[])[], gap = 2): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [at, cell] of row.slice(0, -1).entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  }
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd((widths[at] as number) + gap)))
      .join('')
      .trimEnd(),
  )
}

/** A table: a bold heading, and rows in the colour of what they show, cut to the width of a terminal by default. */
export function table<T>(
  headings: readonly string[],
  items: readonly T[],
  { cells, colour }: { cells(item: T): readonly string[]; colour(item: T): Style | null },
  context: ProcessContext,
  isCut = true,
): string[] {
  const { stdout } = context
  const paint = paintFor(stdout, context)
  const width = isCut && stdout.isTTY === true ? terminalSize(stdout).columns : Number.POSITIVE_INFINITY
  const rows = aligned([headings, ...items.map((item) => cells(item).map(printable))]).map((line) => cut(line, width))
  return rows.map((line, row) => {
    const style = row === 0 ? 'bold' : colour(items[row - 1] as T)
    return style === null ? line : paint(style, line)
  })
}

/** Rows with aligned columns; all but the first column are numbers, aligned to the right. */
export function columns(rows: readonly (readonly string[])[], gap = 2): string[] {
  const widths: number[] = []
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] as number) : cell.padStart((widths[at] as number) + gap)))
      .join(''),
  )
}
