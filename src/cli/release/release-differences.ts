import { hunkLine } from '../diff/hunk-line.ts'
import { unifiedDiff } from '../diff/unified-diff.ts'
import { counted, type Paint, printable } from '../terminal.ts'
import { hashOf, type ReleaseClient, type ReleasedFile, textOf } from './release-client.ts'

/** Bytes of one file beyond which only the change itself is shown. */
const MAX_SHOWN = 1024 * 1024

/** A file that two releases, or a release and a folder, do not have in common. */
export interface FileChange {
  readonly path: string
  readonly change: 'added' | 'changed' | 'removed'
}

/** Where the contents of one side are. */
interface ReleaseSide {
  /** Hashes by path. */
  readonly files: ReadonlyMap<string, string>
  contents(paths: readonly string[]): AsyncIterable<readonly [path: string, content: Buffer]>
}

/** The side of a stored release. */
export async function releaseSide(releases: ReleaseClient, number: string): Promise<ReleaseSide> {
  const files = await releases.files(number)
  return {
    files: new Map([...files].map(([path, { sha256 }]: [string, ReleasedFile]) => [path, sha256])),
    contents: (paths) => releases.contents(number, paths),
  }
}

/** The side of the files of a folder; of none without any. */
export function folderSide(files: ReadonlyMap<string, Buffer>): ReleaseSide {
  return {
    files: new Map([...files].map(([path, data]) => [path, hashOf(data)])),
    async *contents(paths) {
      for (const path of paths) yield [path, files.get(path) as Buffer] as const
    },
  }
}

/** Changes from one side to another, by path. */
export function changesBetween(before: ReleaseSide, after: ReleaseSide): FileChange[] {
  const paths = [...new Set([...before.files.keys(), ...after.files.keys()])].sort()
  return paths.flatMap((path): FileChange[] => {
    const [old, fresh] = [before.files.get(path), after.files.get(path)]
    if (old === fresh) return []
    return [{ path, change: old === undefined ? 'added' : fresh === undefined ? 'removed' : 'changed' }]
  })
}

/** Unified diffs of all changes, which `patch -p1` applies. */
export async function* diffLines(
  before: ReleaseSide,
  after: ReleaseSide,
  changes: readonly FileChange[],
  paint: Paint,
): AsyncGenerator<string> {
  for (const { path, change } of changes) {
    const [old, fresh] = [await contentOf(before, path), await contentOf(after, path)]
    const shown = printable(path)
    yield paint('bold', `--- ${change === 'added' ? '/dev/null' : `a/${shown}`}`)
    yield paint('bold', `+++ ${change === 'removed' ? '/dev/null' : `b/${shown}`}`)
    const [oldText, newText] = [shownText(old), shownText(fresh)]
    if (oldText === null || newText === null) yield 'binary or large files differ'
    else for (const line of unifiedDiff(oldText, newText)) yield hunkLine(line, paint)
  }
}

/** `2 files changed, 1 file added`. */
export function changeSummary(changes: readonly FileChange[]): string {
  const parts = (['changed', 'added', 'removed'] as const).flatMap((kind) => {
    const count = changes.filter(({ change }) => change === kind).length
    return count === 0 ? [] : [`${counted(count, 'file')} ${kind}`]
  })
  return parts.length === 0 ? 'no file changed' : parts.join(', ')
}

/** Lines such as `M config/routes/shop.json`. */
export function changeLines(changes: readonly FileChange[], paint: Paint): string[] {
  const marks = { added: ['green', 'A'], changed: ['yellow', 'M'], removed: ['red', 'D'] } as const
  return changes.map(({ path, change }) => `${paint(marks[change][0], marks[change][1])} ${printable(path)}`)
}

async function contentOf(side: ReleaseSide, path: string): Promise<Buffer> {
  if (!side.files.has(path)) return Buffer.alloc(0)
  for await (const [, content] of side.contents([path])) return content
  return Buffer.alloc(0)
}

function shownText(content: Buffer): string | null {
  return content.length > MAX_SHOWN ? null : textOf(content)
}
