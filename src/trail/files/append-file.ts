import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory, nameFile } from '#files'

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
const FLAGS = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK
const LINE_END = 0x0a
/** Bytes read at a time from the end of a file. */
const TAIL_BYTES = 65_536

/** End of a file that exists. */
export interface FileTail {
  /** Last whole line, without its line end; empty where the file has none, or one over the limit. */
  readonly line: Buffer
  /** Text after it, which a crash has truncated. */
  readonly torn: Buffer
}

/** An open file to which whole lines are appended. */
export class AppendFile {
  readonly path: string
  /** Milliseconds since the epoch. */
  readonly begun: number
  size: number
  /** Another process appended to it. */
  hasGrown = false
  readonly #handle: FileHandle
  readonly #identity: Pick<Stats, 'dev' | 'ino'>

  private constructor(path: string, handle: FileHandle, stats: Stats) {
    this.path = path
    this.#handle = handle
    this.#identity = stats
    this.begun = stats.birthtimeMs > 0 ? stats.birthtimeMs : stats.ctimeMs
    this.size = stats.size
  }

  /** Opens the file, and creates it with its directory where it does not exist. Links, pipes and devices are refused. */
  static async open(path: string, mode: number): Promise<AppendFile> {
    const handle = await openOrCreate(path, mode)
    try {
      const stats = await handle.stat()
      // A pipe or a device would accept lines without storing them.
      if (!stats.isFile()) throw Object.assign(new Error(`${path} is not a regular file`), { code: 'EINVAL' })
      return new AppendFile(path, handle, stats)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** Whether the path still leads to this file, which may have been removed, renamed, replaced or truncated. */
  async isCurrent(): Promise<boolean> {
    try {
      const { dev, ino, size } = await lstat(this.path)
      const isSame = dev === this.#identity.dev && ino === this.#identity.ino && size >= this.size
      if (!isSame) return false
      this.hasGrown ||= size > this.size
      this.size = size
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
  }

  /** Appends all bytes, or none: a full disk writes a part, which is truncated, since the lines are written again later. */
  async append(bytes: Uint8Array): Promise<void> {
    try {
      for (let written = 0; written < bytes.length; ) {
        written += (await this.#handle.write(bytes, written)).bytesWritten
      }
      this.size += bytes.length
    } catch (error) {
      await this.#handle.truncate(this.size).catch(() => {})
      throw nameFile(error, this.path)
    }
  }

  async clear(): Promise<void> {
    await this.#handle.truncate(0)
    this.size = 0
  }

  async sync(): Promise<void> {
    try {
      await this.#handle.datasync()
    } catch (error) {
      throw nameFile(error, this.path)
    }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  /** The end of the file, of which a line of up to `maxLine` bytes is read. */
  async tail(maxLine: number): Promise<FileTail> {
    let text: Buffer = Buffer.alloc(0)
    for (let length = TAIL_BYTES; ; length *= 2) {
      const from = Math.max(this.size - length, 0)
      text = await this.read(from, this.size - from)
      const end = text.lastIndexOf(LINE_END)
      const start = end <= 0 ? -1 : text.lastIndexOf(LINE_END, end - 1)
      if (start === -1 && from > 0 && length < maxLine * 2) continue
      const isWhole = end !== -1 && (start !== -1 || from === 0)
      return { line: isWhole ? text.subarray(start + 1, end) : Buffer.alloc(0), torn: text.subarray(end + 1) }
    }
  }

  async read(from: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length)
    const { bytesRead } = await this.#handle.read(bytes, 0, length, from)
    return bytes.subarray(0, bytesRead)
  }
}

async function openOrCreate(path: string, mode: number): Promise<FileHandle> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await open(path, FLAGS)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt > 3) throw error
    }
    makeDirectory(dirname(dirname(path)))
    makeDirectory(dirname(path), 0o700)
    try {
      const handle = await open(path, FLAGS | O_CREAT | O_EXCL, mode)
      // The umask may have removed permissions.
      await handle.chmod(mode)
      return handle
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
