import { relative, sep } from 'node:path'
import type { Authorship, FileChange, WriteOutcome } from '#releases'
import type { FolderTarget } from '../routes/folder-target.ts'

/** Writes changes of files as a release. */
interface ReleaseWrites {
  write(changes: readonly FileChange[], by: Authorship): Promise<WriteOutcome>
  /** Resolves when this instance has the release of a write, or the time for it is over. */
  written(outcome: WriteOutcome): Promise<void>
  /** Resolves when this instance has the changes that the store had when it was called, or the time for it is over. */
  catchUp(): Promise<void>
}

/**
 * Where changes of a route folder are written while a store is configured: to the store, for a folder of the configuration that
 * is served. `lastGood` gets paths of the store. Null for another folder, such as one that a Router of config.json names by its path on the machine.
 */
export function releaseTarget(
  directory: string,
  config: string,
  releases: ReleaseWrites,
  { hash, lastGood }: Pick<FolderTarget, 'hash' | 'lastGood'>,
): FolderTarget | null {
  const inside = relative(config, directory).split(sep).join('/')
  if (inside !== 'routes' && !inside.startsWith('routes/')) return null
  return {
    store: { write: (changes, by) => releases.write(changes, by) },
    path: `config/${inside}/`,
    isReadOnly: false,
    isShared: true,
    written: (outcome) => releases.written(outcome),
    hash,
    lastGood: (file) => lastGood(`config/${inside}/${file}`),
    catchUp: async () => {
      await releases.catchUp()
      return true
    },
  }
}
