import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { removeDurably, sha256, writeDurably } from '#files'
import type { Logger } from '#logging'
import type { Authorship, ConfigurationStore, FileChange, Snapshot, StoredFile, WriteOutcome } from '#releases'
import { routeFileNames } from './route-files.ts'
import { RouteWatcher } from './route-watcher.ts'

/** A folder of files. */
interface FolderInput {
  readonly directory: string
  /** Milliseconds; 0: the folder is not watched. */
  readonly scanInterval: number
  readonly logger: Logger
}

/** Configuration in one folder: paths are relative to it. Every file is written so that a crash leaves the old or the new one. */
export class FolderStore implements ConfigurationStore {
  readonly #input: FolderInput

  constructor(input: FolderInput) {
    this.#input = input
  }

  /** The JSON files of the folder, by name. */
  async read(): Promise<Snapshot> {
    const files = new Map<string, StoredFile>()
    for (const name of routeFileNames(this.#input.directory)) {
      const bytes = await this.#bytes(name)
      // Removed between listing and reading.
      if (bytes === null) continue
      files.set(name, { hash: sha256(bytes), bytes: bytes.length, content: async () => bytes })
    }
    const entries = [...files].map(([name, { hash }]) => `${name}\n${hash}\n`)
    return { state: sha256(entries.join('')), files }
  }

  /** Hash of a file as it is now; null where it does not exist. */
  async hash(path: string): Promise<string | null> {
    const bytes = await this.#bytes(path)
    return bytes === null ? null : sha256(bytes)
  }

  follow(changed: () => void): Disposable {
    const { directory, scanInterval, logger } = this.#input
    if (scanInterval <= 0) return { [Symbol.dispose]: () => {} }
    return new RouteWatcher(directory, scanInterval, async () => changed(), logger)
  }

  async write(changes: readonly FileChange[], _by: Authorship): Promise<WriteOutcome> {
    const written: FileChange[] = []
    try {
      for (const { path, before } of changes) {
        if ((await this.hash(path)) !== before) return { state: 'conflict', path }
      }
      for (const change of changes) {
        const replaced = changes.length > 1 ? await this.#bytes(change.path) : null
        await this.#put(change.path, change.after)
        written.unshift({ path: change.path, before: null, after: replaced })
      }
      return { state: 'done' }
    } catch (error) {
      // All or none, as far as the disk permits it.
      for (const { path, after } of written) await this.#put(path, after).catch(() => {})
      return { state: 'unwritten', error: error as NodeJS.ErrnoException }
    }
  }

  async #put(path: string, content: Buffer | string | null): Promise<void> {
    const target = join(this.#input.directory, path)
    if (content === null) await removeDurably(dirname(target), basename(target))
    else await writeDurably(dirname(target), basename(target), content)
  }

  async #bytes(path: string): Promise<Buffer | null> {
    const file = join(this.#input.directory, path)
    try {
      // Reading a pipe or device would block. Such files are replaced, not read.
      return (await stat(file)).isFile() ? await readFile(file) : NOTHING
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }
}

const NOTHING = Buffer.alloc(0)
