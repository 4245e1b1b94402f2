import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { type FileLine, fileChunks, LineSplitter } from '../files/lines.ts'
import { COMPRESSED } from '../files/topic-files.ts'
import { zlibChunks } from '../files/zlib-chunks.ts'

const { O_RDONLY, O_NONBLOCK = 0 } = constants
const CHUNK_BYTES = 65_536

/** A file that is read as it grows, also when it has another name by then. */
export class GrowingFile {
  readonly #handle: FileHandle
  readonly #lines = new LineSplitter()
  #offset = 0

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  static async open(path: string): Promise<GrowingFile | null> {
    try {
      return new GrowingFile(await open(path, O_RDONLY | O_NONBLOCK))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }

  /** Whether the path leads to this file, and that was not truncated. */
  async isAt(path: string): Promise<boolean> {
    const [own, there] = await Promise.all([this.#handle.stat(), lstat(path).catch(() => null)])
    return there !== null && own.dev === there.dev && own.ino === there.ino && own.size >= this.#offset
  }

  /** Whether no path leads to it any more. */
  async isRemoved(): Promise<boolean> {
    return (await this.#handle.stat()).nlink === 0
  }

  /** Whether it is the file at a path, or that is its compressed form. */
  async isFileOf(path: string): Promise<boolean> {
    if (!path.endsWith(COMPRESSED) && (await this.isAt(path))) return true
    const begin = await beginOf(path.endsWith(COMPRESSED) ? path : `${path}${COMPRESSED}`)
    if (begin === null) return false
    const own = Buffer.alloc(begin.length)
    const { bytesRead } = await this.#handle.read(own, 0, own.length, 0)
    return bytesRead === begin.length && own.equals(begin)
  }

  /** Lines since the last call. */
  async *read(): AsyncGenerator<readonly FileLine[]> {
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      const { bytesRead } = await this.#handle.read(chunk, 0, CHUNK_BYTES, this.#offset)
      if (bytesRead === 0) return
      this.#offset += bytesRead
      yield this.#lines.take(chunk.subarray(0, bytesRead))
    }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

/** The first bytes of a compressed file: ids of lines make them unlike those of others. */
async function beginOf(path: string): Promise<Buffer | null> {
  const handle = await open(path, O_RDONLY | O_NONBLOCK).catch(() => null)
  if (handle === null) return null
  try {
    const { size } = await handle.stat()
    for await (const chunk of zlibChunks(fileChunks(handle, size), createGunzip())) return chunk
  } catch {
    // It is reported when it is read.
  } finally {
    await handle.close()
  }
  return null
}
