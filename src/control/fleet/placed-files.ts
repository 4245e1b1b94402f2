import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ContentEntry, contentOf } from '#releases'
import type { CopiedContents } from './copied-contents.ts'
import { eachOf } from './each-of.ts'

/** Folders of a release. */
const FOLDERS = ['config', 'scripts']

/** Codes of a rename onto a folder. */
const IN_THE_WAY: ReadonlySet<string | undefined> = new Set(['EISDIR', 'ENOTEMPTY', 'EEXIST'])

/** Files of a release below a folder, as units read them. Links are replaced, never followed. */
export class PlacedFiles {
  readonly #root: string
  readonly #contents: CopiedContents
  /** By path: changes with the file, so that unchanged files are not read again. */
  readonly #stamps = new Map<string, string>()

  constructor(root: string, contents: CopiedContents) {
    this.#root = root
    this.#contents = contents
  }

  /** Makes the files equal to the release, whatever is there. Returns paths that were different. */
  async replaceAll(files: ReadonlyMap<string, ContentEntry>): Promise<string[]> {
    for (const folder of FOLDERS) await this.#makeFolder(folder)
    const found = await this.#found()
    const removed = [...found].filter((path) => !files.has(path))
    const different: string[] = []
    await eachOf(files, async ([path, { hash }]) => {
      if (!(found.has(path) && (await this.#isUnchanged(path, hash)))) different.push(path)
    })
    await this.replace(files, different, removed)
    return [...different, ...removed].sort()
  }

  /** The same for some paths only. */
  async replaceSome(files: ReadonlyMap<string, ContentEntry>, paths: readonly string[]): Promise<string[]> {
    const [written, removed]: [string[], string[]] = [[], []]
    for (const path of paths) {
      const entry = files.get(path)
      const there = await lstat(join(this.#root, path)).catch(() => null)
      if (entry !== undefined && !(await this.#isUnchanged(path, entry.hash))) written.push(path)
      else if (entry === undefined && there !== null && !isFolderOf(path, files)) removed.push(path)
    }
    await this.replace(files, written, removed)
    return [...written, ...removed].sort()
  }

  /** Writes and removes some files. */
  async replace(
    files: ReadonlyMap<string, ContentEntry>,
    written: readonly string[],
    removed: readonly string[],
  ): Promise<void> {
    // First: a file may make place for a folder of its name. Folders that are still used stay: units watch them.
    const used = removed.length === 0 ? new Set<string>() : new Set(files.keys().flatMap(foldersOf))
    for (const path of removed) await this.#remove(path, used)
    const folders = new Set(written.map((path) => dirname(path)))
    for (const folder of folders) await this.#makeFolder(folder)
    await eachOf(written, async (path) => this.#write(path, files.get(path) as ContentEntry))
  }

  async #write(path: string, { hash }: ContentEntry): Promise<void> {
    const bytes = await this.#contents.read(hash)
    if (bytes === null) throw new MissingContentError(path, hash)
    const target = join(this.#root, path)
    const temporary = await this.#contents.temporary(bytes, false)
    try {
      await rename(temporary, target).catch(async (error: NodeJS.ErrnoException) => {
        if (!IN_THE_WAY.has(error.code)) throw error
        // A folder in the place of a file was made by hand.
        await rm(target, { recursive: true, force: true })
        await rename(temporary, target)
      })
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    this.#stamps.set(path, stampOf(await lstat(target, { bigint: true })))
  }

  async #remove(path: string, used: ReadonlySet<string>): Promise<void> {
    this.#stamps.delete(path)
    await rm(join(this.#root, path), { force: true, recursive: true })
    for (const folder of foldersOf(path)) {
      if (FOLDERS.includes(folder) || used.has(folder)) return
      const isGone = await rmdir(join(this.#root, folder)).then(
        () => true,
        () => false,
      )
      if (!isGone) return
    }
  }

  /** Makes a folder and those above it; whatever is in the place of one of them is removed, also a link to a folder. */
  async #makeFolder(folder: string): Promise<void> {
    for (const each of [...foldersOf(`${folder}/x`)].reverse()) {
      const path = join(this.#root, each)
      const there = await lstat(path).catch(() => null)
      if (there?.isDirectory()) continue
      await rm(path, { force: true })
      await mkdir(path, { mode: 0o750 })
    }
  }

  async #isUnchanged(path: string, hash: string): Promise<boolean> {
    const target = join(this.#root, path)
    const stats = await lstat(target, { bigint: true }).catch(() => null)
    if (stats === null || !stats.isFile()) return false
    const stamp = stampOf(stats)
    if (this.#stamps.get(path) === stamp) return true
    const bytes = await readRegular(target)
    if (bytes === null || contentOf(bytes).hash !== hash) return false
    this.#stamps.set(path, stamp)
    return true
  }

  /** Every file, link and so on below the folders. */
  async #found(): Promise<Set<string>> {
    const found = new Set<string>()
    const walk = async (folder: string): Promise<void> => {
      for (const entry of await readdir(join(this.#root, folder), { withFileTypes: true })) {
        const path = `${folder}/${entry.name}`
        if (entry.isDirectory()) await walk(path)
        else found.add(path)
      }
    }
    for (const folder of FOLDERS) await walk(folder)
    return found
  }
}

function isFolderOf(path: string, files: ReadonlyMap<string, ContentEntry>): boolean {
  return FOLDERS.includes(path) || files.keys().some((other) => other.startsWith(`${path}/`))
}

/** Folders of a path, from its parent up: `scripts/a/b.js` is in `scripts/a` and `scripts`. */
function* foldersOf(path: string): Generator<string> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) yield path.slice(0, end)
}

/** A content of the release is neither on disk nor available. */
class MissingContentError extends Error {
  override readonly name = 'MissingContentError'
  readonly hash: string

  constructor(path: string, hash: string) {
    super(`the content of ${path} is missing in the local copy`)
    this.hash = hash
  }
}

/** Null where it is not a regular file, or gone. */
async function readRegular(path: string): Promise<Buffer | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null)
  if (file === null) return null
  try {
    return (await file.stat()).isFile() ? await file.readFile() : null
  } finally {
    await file.close()
  }
}

function stampOf({
  ino,
  size,
  mtimeNs,
  ctimeNs,
}: {
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}): string {
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}`
}
