import { type LineEdit, lineEdits } from './line-edits.ts'

/** Unchanged lines around a change. */
const CONTEXT = 3

/** Hunks of a unified diff, without the lines that name the files; empty for equal texts. */
export function unifiedDiff(before: string, after: string): string[] {
  if (before === after) return []
  const edits = lineEdits(linesOf(before), linesOf(after))
  const lines: string[] = []
  for (const [from, to] of hunkRanges(edits)) lines.push(...hunk(edits, from, to))
  return lines
}

const NO_NEWLINE = '\\ No newline at end of file'

/** Lines as `diff` compares them: the last one differs from the same line with a line break. */
function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  const last = lines.pop() as string
  return last === '' ? lines : [...lines, `${last}\n${NO_NEWLINE}`]
}

/** Ranges of edits that are shown: changes with their context, joined where they touch. */
function hunkRanges(edits: readonly LineEdit[]): [from: number, to: number][] {
  const ranges: [number, number][] = []
  for (const [index, { kind }] of edits.entries()) {
    if (kind === 'common') continue
    const last = ranges.at(-1)
    const to = Math.min(edits.length, index + CONTEXT + 1)
    if (last !== undefined && index - CONTEXT <= last[1]) last[1] = to
    else ranges.push([Math.max(0, index - CONTEXT), to])
  }
  return ranges
}

const MARKS = { common: ' ', removed: '-', added: '+' } as const

function hunk(edits: readonly LineEdit[], from: number, to: number): string[] {
  const before = edits.slice(0, from)
  const shown = edits.slice(from, to)
  const position = (absent: LineEdit['kind']): string => {
    const start = before.filter(({ kind }) => kind !== absent).length
    const length = shown.filter(({ kind }) => kind !== absent).length
    return length === 0 ? `${start},0` : `${start + 1},${length}`
  }
  return [
    `@@ -${position('added')} +${position('removed')} @@`,
    ...shown.flatMap(({ kind, line }) => `${MARKS[kind]}${line}`.split('\n')),
  ]
}
