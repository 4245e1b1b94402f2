// The message of a failed `assert`: its source, and the value of each part below its column.
import { inspectText } from '../values/text.ts'
import { ThrowableValue } from '../values/throwable.ts'
import type { Value } from '../values/value.ts'
import type { Recorded } from './assertion.ts'

/** Prints values below a line, from right to left, each on the first line with enough space. */
export function renderAssertion(line: string, recorded: readonly Recorded[]): string {
  const lines: string[] = [line, '']
  const starts: number[] = [0, 0]
  const values = recorded.toSorted((left, right) => right.column - left.column)
  values.forEach(({ column, value }, index) => {
    // Of several values at one column, the last one belongs to the outermost expression.
    if (column >= 1 && values[index + 1]?.column !== column) place(lines, starts, column, shown(value))
  })
  return lines.join('\n')
}

function place(lines: string[], starts: number[], column: number, text: string): void {
  const parts = text.split(/\r\n|\r|\n/)
  const end = parts.length === 1 ? column + text.length : Number.POSITIVE_INFINITY
  for (let at = 1; at < lines.length; at++) {
    if (end < (starts[at] as number)) {
      lines[at] = put(lines[at] as string, column, text)
      starts[at] = column
      return
    }
    lines[at] = put(lines[at] as string, column, '|')
    if (at > 1) starts[at] = column + 1
  }
  for (const part of parts) {
    lines.push(put('', column, part))
    starts.push(column)
  }
}

function put(line: string, column: number, text: string): string {
  const padded = line.padEnd(column - 1)
  return padded.slice(0, column - 1) + text + padded.slice(column - 1 + text.length)
}

function shown(value: Value): string {
  try {
    return inspectText(value)
  } catch (error) {
    if (!(error instanceof ThrowableValue)) throw error
    return `${error.klass.name} (toString threw it)`
  }
}
