import { type BigIntStats, readFileSync } from 'node:fs'
import { link, lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile, syncDirectory } from '#files'
import { type Content, type ContentEntry, contentOf } from '#releases'
import { AT_ONCE, eachOf } from './each-of.ts'

/** Reads contents, each once, as they arrive. */
export type FetchContents = (entries: readonly ContentEntry[]) => AsyncIterable<Pick<Content, 'hash' | 'data'>>

/** Routes may contain secrets. Read-only: the files of releases are links to it. */
const MODE = 0o440

/**
 * The bytes of releases, each content once, in a file with its hash as name. A content is synced before a release refers to it, and
 * has its hash when it is used: one that was changed on disk is removed, and fetched again.
 */
export class ContentStore {
  readonly directory: string
  /** Of the files whose hash was compared: another stamp needs another look. */
  readonly #stamps = new Map<string, string>()

  constructor(directory: string) {
    this.directory = directory
  }

  path(hash: string): string {
    return join(this.directory, hash)
  }

  /** Whether a file is a link to the content, unchanged since its hash was compared. */
  isLink(hash: string, stats: BigIntStats): boolean {
    return this.#stamps.get(hash) === stampOf(stats)
  }

  /** The bytes; null where they are missing or damaged. */
  async read(hash: string): Promise<Buffer | null> {
    return checked(hash, await readFile(this.path(hash)).catch(nullWhereMissing))
  }

  /** The same without waiting: for the few that are needed while units start. */
  readNow(hash: string): Buffer | null {
    try {
      return checked(hash, readFileSync(this.path(hash)))
    } catch (error) {
      return nullWhereMissing(error as NodeJS.ErrnoException)
    }
  }

  /** Whether the content is here with its hash; one that is damaged is removed. */
  async has(hash: string): Promise<boolean> {
    const stats = await this.#stats(hash)
    if (stats !== null && this.isLink(hash, stats)) return true
    this.#stamps.delete(hash)
    if (stats === null) return false
    if (stats.isFile() && (await this.read(hash)) !== null) {
      this.#stamps.set(hash, stampOf(stats))
      return true
    }
    await rm(this.path(hash), { recursive: true, force: true })
    return false
  }

  /** Takes a file, whose hash was compared, as the content where that is missing. */
  async adopt(hash: string, file: string, stats: BigIntStats): Promise<void> {
    if ((await this.#stats(hash)) === null) {
      await mkdir(this.directory, { recursive: true, mode: 0o750 })
      await link(file, this.path(hash)).catch(() => {})
    }
    const own = await this.#stats(hash)
    if (own !== null && stampOf(own) === stampOf(stats)) this.#stamps.set(hash, stampOf(stats))
  }

  /** Fetches contents that are missing, and syncs them: when it resolves they survive a crash. */
  async add(entries: Iterable<ContentEntry>, fetch: FetchContents): Promise<void> {
    const missing = new Map<string, ContentEntry>()
    await eachOf(new Map([...entries].map((entry) => [entry.hash, entry])).values(), async (entry) => {
      if (!(await this.has(entry.hash))) missing.set(entry.hash, entry)
    })
    if (missing.size === 0) return
    await mkdir(this.directory, { recursive: true, mode: 0o750 })
    const writing = new Set<Promise<void>>()
    const failures: unknown[] = []
    try {
      for await (const { hash, data } of complete(fetch([...missing.values()]), new Set(missing.keys()))) {
        const written: Promise<void> = this.#write(hash, data)
          .catch((error: unknown) => void failures.push(error))
          .finally(() => writing.delete(written))
        writing.add(written)
        if (writing.size >= AT_ONCE) await Promise.race(writing)
        if (failures.length > 0) break
      }
    } finally {
      // Also of those that were fetched before a failure: what is left of them is removed then.
      await Promise.all(writing)
    }
    if (failures.length > 0) throw failures[0]
    await syncDirectory(this.path('.'))
  }

  /** Removes everything but these. */
  async keepOnly(used: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.directory).catch((error) => nullWhereMissing(error) ?? [])
    const unused = names.filter((name) => !used.has(name))
    for (const hash of unused) this.#stamps.delete(hash)
    await eachOf(unused, (name) => rm(this.path(name), { recursive: true, force: true }))
  }

  async #write(hash: string, data: Buffer): Promise<void> {
    await replaceFile(this.path(hash), data, { mode: MODE, syncsName: false })
    const stats = await this.#stats(hash)
    if (stats !== null) this.#stamps.set(hash, stampOf(stats))
  }

  async #stats(hash: string): Promise<BigIntStats | null> {
    return await lstat(this.path(hash), { bigint: true }).catch(nullWhereMissing)
  }
}

/** Checks contents as they arrive; throws where one has another hash, and at the end where some are missing. */
async function* complete(
  contents: ReturnType<FetchContents>,
  wanted: Set<string>,
): AsyncGenerator<Pick<Content, 'hash' | 'data'>> {
  for await (const content of contents) {
    if (checked(content.hash, content.data) === null || !wanted.delete(content.hash))
      throw new Error(`the content ${content.hash} has another hash`)
    yield content
  }
  if (wanted.size > 0) throw new Error(`${wanted.size} contents were not read`)
}

function checked(hash: string, bytes: Buffer | null): Buffer | null {
  return bytes !== null && contentOf(bytes).hash === hash ? bytes : null
}

/** Without the time of the last status change, which each further link sets. */
function stampOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}`
}

function nullWhereMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
