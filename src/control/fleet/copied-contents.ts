import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Content, type ContentEntry, contentOf } from '#releases'
import { AT_ONCE, eachOf } from './each-of.ts'

/** Reads contents, each once, as they arrive. */
export type FetchContents = (entries: readonly ContentEntry[]) => AsyncIterable<Pick<Content, 'hash' | 'data'>>

const HASH = /^[0-9a-f]{64}$/

/** Routes may contain secrets. */
const FILE_MODE = 0o640

/**
 * Contents of the copied release by their hashes. They are written before the release refers to them, so that its files can be
 * placed again after a crash and after changes by hand, without the store.
 */
export class CopiedContents {
  readonly #directory: string
  readonly #hashes = new Set<string>()

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async open(directory: string): Promise<CopiedContents> {
    await mkdir(directory, { recursive: true, mode: 0o750 })
    return new CopiedContents(directory)
  }

  /** Finds what is on disk, and removes the unfinished writes of a process that ended. */
  async own(): Promise<void> {
    const names = await readdir(this.#directory)
    for (const name of names) {
      if (HASH.test(name)) this.#hashes.add(name)
      else await rm(join(this.#directory, name), { force: true, recursive: true })
    }
  }

  has(hash: string): boolean {
    return this.#hashes.has(hash)
  }

  /** The bytes of a content; null where it is missing, or damaged. */
  async read(hash: string): Promise<Buffer | null> {
    if (!this.#hashes.has(hash)) return null
    const bytes = await readFile(join(this.#directory, hash)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (bytes !== null && contentOf(bytes).hash === hash) return bytes
    this.#hashes.delete(hash)
    return null
  }

  /** The same without waiting: for the few that are needed while units start. */
  readNow(hash: string): Buffer | null {
    try {
      const bytes = readFileSync(join(this.#directory, hash))
      return contentOf(bytes).hash === hash ? bytes : null
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }

  /** Writes contents that are missing, and syncs them: when it resolves they survive a crash. */
  async add(entries: Iterable<ContentEntry>, fetch: FetchContents): Promise<void> {
    const missing = new Map([...entries].filter(({ hash }) => !this.has(hash)).map((entry) => [entry.hash, entry]))
    if (missing.size === 0) return
    const wanted = new Set(missing.keys())
    const writing = new Set<Promise<void>>()
    const failures: unknown[] = []
    for await (const { hash, data } of fetch([...missing.values()])) {
      if (contentOf(data).hash !== hash || !wanted.delete(hash)) throw new Error(`the content ${hash} has another hash`)
      const written: Promise<void> = this.#write(hash, data)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => writing.delete(written))
      writing.add(written)
      if (writing.size >= AT_ONCE) await Promise.race(writing)
      if (failures.length > 0) break
    }
    await Promise.all(writing)
    if (failures.length > 0) throw failures[0]
    if (wanted.size > 0) throw new Error(`${wanted.size} contents were not read`)
    await syncFolder(this.#directory)
    for (const hash of missing.keys()) this.#hashes.add(hash)
  }

  async #write(hash: string, data: Buffer): Promise<void> {
    await rename(await this.temporary(data, true), join(this.#directory, hash))
  }

  /** Writes a temporary file, on the file system of the copy, to be renamed. */
  async temporary(bytes: Buffer, isSynced: boolean): Promise<string> {
    const path = join(this.#directory, `${randomBytes(8).toString('hex')}.tmp`)
    const file = await open(path, 'wx', FILE_MODE)
    try {
      await file.writeFile(bytes)
      if (isSynced) await file.sync()
    } finally {
      await file.close()
    }
    return path
  }

  /** Removes contents that are no longer used. */
  async keepOnly(used: ReadonlySet<string>): Promise<void> {
    const unused = [...this.#hashes].filter((hash) => !used.has(hash))
    for (const hash of unused) this.#hashes.delete(hash)
    await eachOf(unused, (hash) => rm(join(this.#directory, hash), { force: true }))
  }
}

export async function syncFolder(directory: string): Promise<void> {
  const folder = await open(directory, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
