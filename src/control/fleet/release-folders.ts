import { readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { replaceFile, syncDirectory } from '#files'
import { ContentStore, type FetchContents } from './content-store.ts'
import { type CopiedRelease, type CopyRecord, decodeCopy, encodeCopy, hashesOf } from './copied-release.ts'
import { oldCopy } from './old-copy.ts'
import { compareFolder, fillFolder, RECORD } from './release-folder.ts'

const RELEASES = 'releases'
/** The folder of the next release. It gets its name when it is complete. */
const UNFINISHED = '.unfinished'
/** Links that units have as their folders: with the process that made them. */
const UNITS = /^units-(\d+)-/

/** A release with the name of its folder. */
export interface StoredRelease {
  readonly name: string
  readonly record: CopyRecord
}

/** Links of units of this process. */
const own = new Set<string>()

/** Files of a release on disk have another content, and can not be restored. */
export class DamagedCopyError extends Error {
  override readonly name = 'DamagedCopyError'
  readonly paths: readonly string[]

  constructor(paths: readonly string[], cause: Error) {
    super(`its content on disk was changed, and can not be restored: ${cause.message}`, { cause })
    this.paths = paths
  }
}

/** The folders of releases below `releases/`, their contents, and links to them. */
export class ReleaseFolders {
  readonly root: string
  readonly contents: ContentStore
  readonly #records = new Map<string, CopyRecord>()

  constructor(root: string) {
    this.root = root
    this.contents = new ContentStore(join(root, 'contents'))
  }

  path(name: string): string {
    return join(this.root, RELEASES, name)
  }

  /** Makes the folder of a release. Contents that are not here yet are fetched; if one of them fails, no folder is left. */
  async make(record: CopyRecord, fetch: FetchContents): Promise<StoredRelease> {
    const { release, write, files } = record.release
    const name = `${release}-${write.slice(0, 8)}`
    const unfinished = this.path(UNFINISHED)
    try {
      await fillFolder(unfinished, files, this.contents, fetch)
      await replaceFile(join(unfinished, RECORD), encodeCopy(record))
      await rm(this.path(name), { recursive: true, force: true })
      await rename(unfinished, this.path(name))
      await syncDirectory(this.path(name))
    } catch (error) {
      // A full disk gets its space back.
      await rm(unfinished, { recursive: true, force: true }).catch(() => {})
      throw error
    }
    this.#records.set(name, record)
    return { name, record }
  }

  /** Makes the release of the layout before; null without one. */
  async convert(known: CopiedRelease | null): Promise<StoredRelease | null> {
    const old = await oldCopy(this.root)
    if (old === null || old.record.release.write === known?.write) return null
    const { kept } = old.record
    await this.contents.add(kept.values(), old.contents).catch(() => {})
    return this.make(old.record, old.contents)
  }

  /** The release that a link names; null without one. Throws where it can not be read. */
  async read(link: string): Promise<StoredRelease | null> {
    const target = await readlink(join(this.root, link)).catch(nullWhereMissing)
    if (target === null) return null
    const name = basename(target)
    return { name, record: await this.#recordOf(name) }
  }

  /** Overwrites files that were changed by hand; returns their paths. */
  async repair({ name, record: { release } }: StoredRelease, fetch: FetchContents): Promise<readonly string[]> {
    const { wrong, foreign } = await compareFolder(this.path(name), release.files, this.contents)
    const paths = [...wrong, ...foreign].sort()
    if (paths.length === 0) return paths
    await fillFolder(this.path(name), release.files, this.contents, fetch).catch((error: Error) => {
      throw new DamagedCopyError(paths, error)
    })
    return paths
  }

  /** Makes a link to a release, or replaces it by one rename. Those of units do not outlive their process, and are not synced. */
  async link(link: string, { name }: StoredRelease): Promise<void> {
    const [path, temporary] = [join(this.root, link), join(this.root, `.${link}.tmp`)]
    await rm(temporary, { force: true })
    await symlink(join(RELEASES, name), temporary)
    const isOfUnits = UNITS.test(link)
    if (isOfUnits) own.add(path)
    await rename(temporary, path)
    if (!isOfUnits) await syncDirectory(path)
  }

  async unlink(link: string): Promise<void> {
    const path = join(this.root, link)
    own.delete(path)
    await rm(path, { force: true })
    await syncDirectory(path)
  }

  /** Links of this process are those of one that has ended, whose units may still drain. */
  close(): void {
    for (const path of [...own]) if (dirname(path) === this.root) own.delete(path)
  }

  /** Removes all but these folders, and those that units of a living process have; then contents that none of them has. */
  async keepOnly(names: Iterable<string>, hashes: Iterable<string>): Promise<void> {
    const used = new Set(names)
    const contents = new Set(hashes)
    for (const link of await readdir(this.root)) {
      if (!UNITS.test(link)) continue
      if (isInUse(join(this.root, link), Number(UNITS.exec(link)?.[1])))
        used.add(basename(await readlink(join(this.root, link))))
      else await rm(join(this.root, link), { force: true })
    }
    for (const name of await readdir(this.path('.')).catch(noneWhereMissing)) {
      if (!used.has(name)) await this.#retire(name)
      else if (!name.startsWith('.')) for (const hash of hashesOf(await this.#recordOf(name))) contents.add(hash)
    }
    await this.contents.keepOnly(contents)
  }

  /** The folder of the next release begins with what this one has: most files are the same. */
  async #retire(name: string): Promise<void> {
    this.#records.delete(name)
    if (name === UNFINISHED) return
    await rename(this.path(name), this.path(UNFINISHED)).catch(() =>
      rm(this.path(name), { recursive: true, force: true }),
    )
  }

  async #recordOf(name: string): Promise<CopyRecord> {
    const known = this.#records.get(name)
    if (known !== undefined) return known
    const record = decodeCopy(await readFile(join(this.path(name), RECORD), 'utf8'))
    this.#records.set(name, record)
    return record
  }
}

function isInUse(path: string, process_: number): boolean {
  if (process_ === process.pid) return own.has(path)
  try {
    return process.kill(process_, 0)
  } catch (error) {
    // Another user's process is one too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function nullWhereMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

function noneWhereMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}
