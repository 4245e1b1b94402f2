import { constants } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { nameFile } from '#files'
import { readSpoolLines, type SpoolChunk } from './spool-line.ts'

const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_NOFOLLOW = 0 } = constants
const READ_BYTES = 256 * 1024

const NAME = /^\d{16}\.spool$/

export function segmentName(number: number): string {
  return `${String(number).padStart(16, '0')}.spool`
}

export function isSegmentName(name: string): boolean {
  return NAME.test(name)
}

/** The file was removed while it was open, so that writes to it are stored nowhere. */
export class SegmentRemoved extends Error {
  readonly code = 'ENOENT'

  constructor() {
    super('a segment file of the spool was removed')
  }
}

/** One file of a spool: written once from its beginning to its end, then read, then removed. */
export class SpoolSegment {
  readonly path: string
  /** Of an earlier process. */
  readonly isReplayed: boolean
  /** Bytes of whole, synchronised lines; for a replayed segment the size of the file. */
  bytes: number
  /** Bytes whose records are in memory or have left it. */
  readBytes = 0
  /** Records behind `readBytes`; unknown for a replayed segment. */
  unread = 0
  /** Position after the last of its records in memory, as counted by the backlog. */
  end = 0
  /** Lines of this segment that have been read so far, or whose records were in memory when they were written. */
  entered = 0
  /** Lines at the beginning whose records an earlier process delivered. */
  skip = 0
  /** Lines are being appended. */
  isBusy = false
  #file: FileHandle | null = null

  constructor(path: string, replayedBytes: number | null = null) {
    this.path = path
    this.isReplayed = replayedBytes !== null
    this.bytes = replayedBytes ?? 0
  }

  get name(): string {
    return basename(this.path)
  }

  get isRead(): boolean {
    return this.readBytes >= this.bytes
  }

  async create(): Promise<void> {
    this.#file = await open(this.path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  }

  /** Appends whole lines. Resolves when they are on the disk; `bytes` is for the caller to set then. */
  async append(lines: Buffer): Promise<void> {
    const file = this.#file as FileHandle
    try {
      await file.writeFile(lines)
      await file.datasync()
      if ((await file.stat()).nlink === 0) throw new SegmentRemoved()
    } catch (error) {
      // A full disk stores a part of the lines; truncated back, the file ends in a whole line.
      await file.truncate(this.bytes).catch(() => {})
      throw nameFile(error, this.path)
    }
  }

  /** Reads lines behind `readBytes`, at most `limit`; moving it by the bytes of the result is for the caller. */
  async read(limit: number): Promise<SpoolChunk> {
    const file = await open(this.path, O_RDONLY | O_NOFOLLOW)
    try {
      // Lines that are appended meanwhile are left for the next call.
      const end = this.bytes
      for (let size = READ_BYTES; ; size *= 4) {
        const length = Math.min(size, end - this.readBytes)
        const content = Buffer.allocUnsafe(length)
        const { bytesRead } = await file.read(content, 0, length, this.readBytes)
        const chunk = readSpoolLines(content.subarray(0, bytesRead), limit)
        const isLast = bytesRead < length || this.readBytes + length === end
        if (chunk.lines.length === limit) return chunk
        if (chunk.lines.length === 0 && !isLast) continue
        // A crash may have cut the last line: it was never acknowledged as written.
        return isLast ? { ...chunk, bytes: end - this.readBytes } : chunk
      }
    } finally {
      await file.close()
    }
  }

  /** No more is appended. */
  async finish(): Promise<void> {
    const file = this.#file
    this.#file = null
    await file?.close().catch(() => {})
  }

  async remove(): Promise<void> {
    await this.finish()
    await rm(this.path, { force: true })
  }
}
