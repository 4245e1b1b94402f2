import { constants } from 'node:fs'
import { access, type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Location and limits of a trail. */
interface TrailLocation {
  readonly directory: string
  readonly topic: string
  /** A file that has grown to this size is put aside. */
  readonly maxBytes?: number
  /** Rotated files that are retained. */
  readonly oldFiles?: number
  readonly now?: () => number
}

const MAX_BYTES = 8 * 1024 * 1024
const OLD_FILES = 7

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants
const ASIDE = /^-\d{4}\.\d\d\.\d\d-\d\d\.\d\d\.\d\d\.\d{3}$/

/**
 * The files of one topic: `<topic>.audit.json`, which grows, and those that were put aside when they were full, which
 * have the time of that in their names. Only the oldest are ever removed. To be appended to by one writer, one text at a time.
 */
export class TrailFile {
  readonly path: string
  readonly #maxBytes: number
  readonly #oldFiles: number
  readonly #now: () => number

  constructor({ directory, topic, maxBytes = MAX_BYTES, oldFiles = OLD_FILES, now = Date.now }: TrailLocation) {
    this.path = join(directory, `${topic}.audit.json`)
    this.#maxBytes = maxBytes
    this.#oldFiles = oldFiles
    this.#now = now
  }

  /** Adds whole lines, and resolves when they are on the disk. Where that fails, the file is left as it was if possible. */
  async append(lines: string): Promise<void> {
    const bytes = Buffer.from(lines, 'utf8')
    const file = await this.#open()
    try {
      const { size } = await regularFile(file)
      if (size === 0 || size + bytes.length <= this.#maxBytes) return await write(file, size, bytes)
    } finally {
      await file.close()
    }
    await this.#putAside()
    await this.append(lines)
  }

  /** Files that were put aside, the oldest first. */
  async aside(): Promise<readonly string[]> {
    const [directory, name] = [dirname(this.path), basename(this.path)]
    const names = await readdir(directory).catch(nothingThere)
    return names
      .filter((other) => other.startsWith(name) && ASIDE.test(other.slice(name.length)))
      .sort()
      .map((other) => join(directory, other))
  }

  /** The file is opened for each write, so that one moved or removed by log rotation is created again. */
  async #open(): Promise<FileHandle> {
    const flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW
    try {
      return await open(this.path, flags, 0o600)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    const directory = dirname(this.path)
    await mkdir(dirname(directory), { recursive: true })
    await mkdir(directory, { recursive: true, mode: 0o700 })
    return open(this.path, flags, 0o600)
  }

  async #putAside(): Promise<void> {
    const old = await this.aside()
    // Removing comes first: where it fails, no further file is begun, so that their number stays bounded.
    for (const path of old.slice(0, Math.max(old.length - this.#oldFiles + 1, 0))) await rm(path, { force: true })
    let time = this.#now()
    while (await exists(this.#asideName(time))) time++
    await rename(this.path, this.#asideName(time))
    const folder = await open(dirname(this.path), 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }

  #asideName(time: number): string {
    const [date, clock] = new Date(time).toISOString().slice(0, -1).split('T') as [string, string]
    return `${this.path}-${date.replaceAll('-', '.')}-${clock.replaceAll(':', '.')}`
  }
}

/** A pipe or a device would accept lines without storing them. */
async function regularFile(file: FileHandle): Promise<{ size: number }> {
  const stats = await file.stat()
  if (!stats.isFile()) throw Object.assign(new Error('it is not a regular file'), { code: 'EINVAL' })
  return stats
}

async function write(file: FileHandle, size: number, bytes: Uint8Array): Promise<void> {
  // A crash may have cut the last line. What follows begins a line of its own.
  const text = (await endsInLine(file, size)) ? bytes : Buffer.concat([Buffer.from('\n'), bytes])
  try {
    await file.writeFile(text)
    await file.datasync()
  } catch (error) {
    // A full disk takes a part. It is taken back, since the lines are written again later.
    await file.truncate(size).catch(() => {})
    throw error
  }
}

async function endsInLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true
  const last = Buffer.alloc(1)
  await file.read(last, 0, 1, size - 1)
  return last[0] === 0x0a
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

function nothingThere(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}
