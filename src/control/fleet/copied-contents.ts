import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Content, type ContentEntry, contentOf } from '#releases'
import { CONTENT_MODE, isPackName, type PackedContent, PackWriter, packedContents } from './content-pack.ts'
import { AT_ONCE, eachOf } from './each-of.ts'

/** Reads contents, each once, as they arrive. */
export type FetchContents = (entries: readonly ContentEntry[]) => AsyncIterable<Pick<Content, 'hash' | 'data'>>

const HASH = /^[0-9a-f]{64}$/

/** So many contents of one change are written to one file. */
const PACKED_FROM = 64

/** A pack is written again without its unused contents when they are more than this part of it. */
const MOST_UNUSED = 0.5

/**
 * Contents of the copied release by their hashes. They are written before the release refers to them, so that its files can be
 * placed again after a crash and after changes by hand, without the store. A few have a file each, those of a large change a pack.
 */
export class CopiedContents {
  readonly #directory: string
  /** Null: a file of its own. */
  readonly #places = new Map<string, PackedContent | null>()
  /** Bytes of all contents of each pack, used or not. */
  readonly #packs = new Map<string, number>()

  private constructor(directory: string) {
    this.#directory = directory
  }

  /** Finds what is on disk, which another process may still change. */
  static async open(directory: string): Promise<CopiedContents> {
    await mkdir(directory, { recursive: true, mode: 0o750 })
    const contents = new CopiedContents(directory)
    await contents.#find(await readdir(directory))
    return contents
  }

  /** No other process writes them any more: finds what is on disk now, and removes the unfinished writes of one that ended. */
  async own(): Promise<void> {
    this.#places.clear()
    this.#packs.clear()
    const names = await readdir(this.#directory)
    await this.#find(names)
    const others = names.filter((name) => !HASH.test(name) && !this.#packs.has(name))
    for (const name of others) await rm(join(this.#directory, name), { force: true, recursive: true })
  }

  /** Makes the directory again where it was deleted, with everything in it; true if so. */
  async restore(): Promise<boolean> {
    const made = await mkdir(this.#directory, { recursive: true, mode: 0o750 })
    if (made === undefined) return false
    this.#places.clear()
    this.#packs.clear()
    return true
  }

  async #find(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (HASH.test(name)) this.#places.set(name, null)
      else if (isPackName(name)) this.#addPack(name, await packedContents(this.#directory, name))
    }
  }

  #addPack(name: string, found: ReadonlyMap<string, PackedContent>): void {
    if (found.size === 0) return
    this.#packs.set(name, bytesOf(found.values()))
    for (const [hash, place] of found) this.#places.set(hash, place)
  }

  has(hash: string): boolean {
    return this.#places.has(hash)
  }

  /** The bytes of a content; null where it is missing, or damaged. */
  async read(hash: string): Promise<Buffer | null> {
    const place = this.#places.get(hash)
    if (place === undefined) return null
    const reading = place === null ? readFile(join(this.#directory, hash)) : this.#readPacked(place)
    const bytes = await reading.catch(nullWhereMissing)
    if (bytes !== null && contentOf(bytes).hash === hash) return bytes
    this.#places.delete(hash)
    return null
  }

  /** The same without waiting: for the few that are needed while units start. */
  readNow(hash: string): Buffer | null {
    const place = this.#places.get(hash)
    if (place === undefined) return null
    try {
      const bytes = place === null ? readFileSync(join(this.#directory, hash)) : this.#readPackedNow(place)
      return contentOf(bytes).hash === hash ? bytes : null
    } catch (error) {
      return nullWhereMissing(error as NodeJS.ErrnoException)
    }
  }

  async #readPacked({ pack, offset, bytes }: PackedContent): Promise<Buffer> {
    const file = await open(join(this.#directory, pack), 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  }

  #readPackedNow({ pack, offset, bytes }: PackedContent): Buffer {
    const file = openSync(join(this.#directory, pack), 'r')
    try {
      const buffer = Buffer.alloc(bytes)
      return buffer.subarray(0, readSync(file, buffer, 0, bytes, offset))
    } finally {
      closeSync(file)
    }
  }

  /** Writes contents that are missing, and syncs them: when it resolves they survive a crash. */
  async add(entries: Iterable<ContentEntry>, fetch: FetchContents): Promise<void> {
    const missing = new Map([...entries].filter(({ hash }) => !this.has(hash)).map((entry) => [entry.hash, entry]))
    if (missing.size === 0) return
    const contents = complete(fetch([...missing.values()]), new Set(missing.keys()))
    if (missing.size >= PACKED_FROM) return this.#pack(contents)
    await this.#writeEach(contents)
    await syncFolder(this.#directory)
    for (const hash of missing.keys()) this.#places.set(hash, null)
  }

  async #pack(contents: AsyncIterable<Pick<Content, 'hash' | 'data'>>): Promise<void> {
    const pack = await PackWriter.create(this.#directory)
    try {
      for await (const { hash, data } of contents) await pack.add(hash, data)
      await pack.finish()
    } catch (error) {
      await pack.abandon()
      throw error
    }
    await syncFolder(this.#directory)
    this.#addPack(pack.name, pack.places)
  }

  async #writeEach(contents: AsyncIterable<Pick<Content, 'hash' | 'data'>>): Promise<void> {
    const writing = new Set<Promise<void>>()
    const failures: unknown[] = []
    for await (const { hash, data } of contents) {
      const written: Promise<void> = this.#write(hash, data)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => writing.delete(written))
      writing.add(written)
      if (writing.size >= AT_ONCE) await Promise.race(writing)
      if (failures.length > 0) break
    }
    await Promise.all(writing)
    if (failures.length > 0) throw failures[0]
  }

  async #write(hash: string, data: Buffer): Promise<void> {
    await rename(await this.temporary(data, true), join(this.#directory, hash))
  }

  /** Writes a temporary file, on the file system of the copy, to be renamed. */
  async temporary(bytes: Buffer, isSynced: boolean): Promise<string> {
    const path = join(this.#directory, `${randomBytes(8).toString('hex')}.tmp`)
    const file = await open(path, 'wx', CONTENT_MODE)
    try {
      await file.writeFile(bytes)
      if (isSynced) await file.sync()
    } finally {
      await file.close()
    }
    return path
  }

  /** Removes contents that are no longer used. Of a pack they go when they are the larger part of it. */
  async keepOnly(used: ReadonlySet<string>): Promise<void> {
    const unused = [...this.#places].filter(([hash]) => !used.has(hash))
    for (const [hash] of unused) this.#places.delete(hash)
    const files = unused.filter(([, place]) => place === null)
    await eachOf(files, ([hash]) => rm(join(this.#directory, hash), { force: true }))
    for (const [pack, bytes] of [...this.#packs]) {
      const left = [...this.#places].filter(([, place]) => place?.pack === pack)
      if (bytesOf(left.map(([, place]) => place as PackedContent)) >= bytes * (1 - MOST_UNUSED) && left.length > 0)
        continue
      if (left.length > 0) await this.#pack(this.#contentsOf(left.map(([hash]) => hash)))
      this.#packs.delete(pack)
      await rm(join(this.#directory, pack), { force: true })
    }
  }

  /** Those that can be read. */
  async *#contentsOf(hashes: readonly string[]): AsyncGenerator<Pick<Content, 'hash' | 'data'>> {
    for (const hash of hashes) {
      const data = await this.read(hash)
      if (data !== null) yield { hash, data }
    }
  }
}

/** Checks contents as they arrive; throws where one has another hash, and at the end where some are missing. */
async function* complete(
  contents: ReturnType<FetchContents>,
  wanted: Set<string>,
): AsyncGenerator<Pick<Content, 'hash' | 'data'>> {
  for await (const content of contents) {
    const { hash, data } = content
    if (contentOf(data).hash !== hash || !wanted.delete(hash)) throw new Error(`the content ${hash} has another hash`)
    yield content
  }
  if (wanted.size > 0) throw new Error(`${wanted.size} contents were not read`)
}

function bytesOf(places: Iterable<PackedContent>): number {
  let sum = 0
  for (const { bytes } of places) sum += bytes
  return sum
}

function nullWhereMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

export async function syncFolder(directory: string): Promise<void> {
  const folder = await open(directory, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
