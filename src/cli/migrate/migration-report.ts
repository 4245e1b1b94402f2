import { hunkLine } from '../diff/hunk-line.ts'
import { unifiedDiff } from '../diff/unified-diff.ts'
import { formatLocated, type LocatedProblem, shownPath } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { counted, paintFor, printable } from '../terminal.ts'

/** A file before and after its migration. */
export interface MigratedFile {
  readonly path: string
  readonly before: string
  readonly after: string
  /** Parts that a person has to decide, at their places in the new text. */
  readonly decisions: readonly LocatedProblem[]
  /** Why the file is not migrated. */
  readonly problems: readonly LocatedProblem[]
}

/** Prints the changes of all files, the parts that a person has to decide, and a summary on standard error. */
export function reportMigration(
  files: readonly MigratedFile[],
  secretIds: readonly string[],
  isWritten: boolean,
  context: ProcessContext,
): void {
  const { stdout, stderr } = context
  for (const file of files) stdout.write(diffOf(file, context))
  for (const { decisions } of files) for (const each of decisions) stdout.write(`${formatLocated(each)}\n`)
  for (const { problems } of files) for (const each of problems) stderr.write(`${formatLocated(each)}\n`)
  const changed = files.filter(({ before, after }) => before !== after).length
  const decisions = files.reduce((sum, each) => sum + each.decisions.length, 0)
  const would = isWritten ? '' : 'would be '
  const parts = [
    `${counted(changed, 'file')} of ${files.length} ${would}changed`,
    ...(secretIds.length === 0 ? [] : [`${counted(secretIds.length, 'secret')} ${would}moved to secrets`]),
    ...(decisions === 0 ? [] : [`${counted(decisions, 'part')} to decide`]),
    ...(isWritten || changed === 0 ? [] : ['--write changes the files']),
  ]
  stderr.write(`${parts.join('; ')}\n`)
}

function diffOf({ path, before, after }: MigratedFile, context: ProcessContext): string {
  const hunks = unifiedDiff(before, after)
  if (hunks.length === 0) return ''
  const paint = paintFor(context.stdout, context)
  const shown = printable(shownPath(path)).replace(/^\//, '')
  const lines = [
    paint('bold', `--- a/${shown}`),
    paint('bold', `+++ b/${shown}`),
    ...hunks.map((line) => hunkLine(line, paint)),
  ]
  return `${lines.join('\n')}\n`
}
