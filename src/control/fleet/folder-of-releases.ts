import { relative, sep } from 'node:path'
import type { Authorship, FileChange, WriteOutcome } from '#releases'
import type { SharedFolder } from '../routes/route-store.ts'

/** Writes changes of files as a release. */
interface ReleaseWrites {
  write(changes: readonly FileChange[], by: Authorship): Promise<WriteOutcome>
  /** Resolves when this instance has the release of a write, or the time for it is over. */
  onWriteCommitted(outcome: WriteOutcome): Promise<void>
  /** Resolves when this instance has the changes that the store had when it was called, or the time for it is over. */
  catchUp(): Promise<void>
  /** By the path in a release. */
  lastGood(path: string): Buffer | null
}

/**
 * A route folder of the configuration `config` that is served, whose changes are releases. Null for another folder, such as one that a
 * Router of config.json names by its path on the machine.
 */
export function folderOfReleases(directory: string, config: string, releases: ReleaseWrites): SharedFolder | null {
  const inside = relative(config, directory).split(sep).join('/')
  if (inside !== 'routes' && !inside.startsWith('routes/')) return null
  const pathOf = (file: string) => `config/${inside}/${file}`
  return {
    write: (change, by) => releases.write([{ ...change, path: pathOf(change.path) }], by),
    onWriteCommitted: (outcome) => releases.onWriteCommitted(outcome),
    lastGood: (file) => releases.lastGood(pathOf(file)),
    catchUp: () => releases.catchUp(),
  }
}
