import { type FSWatcher, statSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Logger } from '#logging'
import type { CopiedRelease } from './copied-release.ts'
import type { LocalCopy } from './local-copy.ts'

/** Milliseconds within which changes are merged: editors write a file in several steps. */
const SETTLE_TIME = 200

/** Folders that are watched; others are checked on reload. */
const MAX_FOLDERS = 200

/** Names of one event burst; more are checked by a look at all files. */
const MAX_NAMES = 1_000

/** Overwrites files of the local copy soon after they are changed by hand. */
export class CopyWatcher implements Disposable {
  readonly #copy: LocalCopy
  readonly #logger: Logger
  /** By folder, with the file that the folder was: another one of its name is watched again. */
  readonly #watchers = new Map<string, { readonly watcher: FSWatcher; readonly file: string }>()
  readonly #changed = new Set<string>()
  #settling: NodeJS.Timeout | null = null
  /** The release whose folders these are. */
  #followed: CopiedRelease | null = null
  #folders: ReadonlySet<string> = new Set()

  constructor(copy: LocalCopy, logger: Logger) {
    this.#copy = copy
    this.#logger = logger
  }

  /** Watches the folders of the release; called after each change of it. */
  follow(): void {
    const { release } = this.#copy
    if (release !== this.#followed) {
      this.#followed = release
      this.#folders = foldersOf(release)
    }
    const folders = this.#folders
    for (const [folder, { file }] of this.#watchers) {
      if (!folders.has(folder) || this.#fileOf(folder) !== file) this.#unwatch(folder)
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watch(folder)
  }

  [Symbol.dispose](): void {
    if (this.#settling !== null) clearTimeout(this.#settling)
    for (const folder of [...this.#watchers.keys()]) this.#unwatch(folder)
  }

  /** With its time of creation: file systems give the number of a deleted folder to the next one. */
  #fileOf(folder: string): string | null {
    const stats = statSync(join(this.#copy.root, folder), { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? null : `${stats.ino} ${stats.birthtimeNs}`
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.watcher.close()
    this.#watchers.delete(folder)
  }

  #watch(folder: string): void {
    const file = this.#fileOf(folder)
    if (file === null) return
    try {
      const watcher = watch(join(this.#copy.root, folder), { persistent: false }, (_, name) => {
        if (this.#changed.size <= MAX_NAMES && name !== null) this.#changed.add(`${folder}/${name}`)
        this.#settle()
      })
      watcher.on('error', () => this.#unwatch(folder))
      this.#watchers.set(folder, { watcher, file })
    } catch {
      // The folder can not be watched: it is checked on reload.
    }
  }

  #settle(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = null
      const paths = this.#changed.size > MAX_NAMES ? undefined : [...this.#changed]
      this.#changed.clear()
      this.#copy.repair(paths).then(
        () => this.follow(),
        (error: unknown) => this.#logger.debug({ error }, 'the local copy can not be checked'),
      )
    }, SETTLE_TIME).unref()
  }
}

function foldersOf(release: CopiedRelease | null): ReadonlySet<string> {
  const folders = new Set(release === null ? [] : ['config', 'config/routes', 'scripts'])
  for (const path of release?.files.keys() ?? []) {
    if (folders.size >= MAX_FOLDERS) break
    folders.add(dirname(path))
  }
  return folders
}
