import { type Paint, printable } from '../terminal.ts'

const STYLES = { '+': 'green', '-': 'red', '@': 'cyan' } as const

/** A line of a unified diff for a terminal. */
export function hunkLine(line: string, paint: Paint): string {
  const style = STYLES[line[0] as keyof typeof STYLES]
  const shown = line.split('\n').map(printable).join('\n')
  return style === undefined ? shown : paint(style, shown)
}
