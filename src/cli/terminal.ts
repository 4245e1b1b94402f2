import type { Output, ProcessContext } from './process-context.ts'

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

/** Styles text; returns it unchanged where colours are off. */
export type Paint = (style: keyof typeof CODES, text: string) => string

/** Whether output is coloured: on terminals only, and not with NO_COLOR (no-color.org). */
export function isColoured(output: Output, { env }: ProcessContext): boolean {
  return output.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}

export function paintFor(output: Output, context: ProcessContext): Paint {
  return isColoured(output, context)
    ? (style, text) => `\u001b[${CODES[style]}m${text}\u001b[0m`
    : (_style, text) => text
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
