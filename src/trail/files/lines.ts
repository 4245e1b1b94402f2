import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { COMPRESSED } from './topic-files.ts'
import { zlibChunks } from './zlib-chunks.ts'

/** A line of a file. */
export interface FileLine {
  /** Without its line end; empty where the line is over the limit. */
  readonly bytes: Buffer
  readonly isTooLong: boolean
  /** False for text at the end of a file without a line end. */
  readonly isWhole: boolean
}

const { O_RDONLY, O_NONBLOCK = 0 } = constants
const LINE_END = 0x0a
const CHUNK_BYTES = 65_536

/** Lines over this length are not held in memory. */
export const MAX_READ_LINE = 4 * 1024 * 1024

/** A file of lines, compressed or not, to where it ended when it was opened. */
export class LineFile {
  readonly #path: string
  readonly #handle: FileHandle
  readonly #size: number
  /** The same for two names of one file. */
  readonly identity: string

  private constructor(path: string, handle: FileHandle, { dev, ino, size }: Stats) {
    this.#path = path
    this.#handle = handle
    this.#size = size
    this.identity = `${dev}:${ino}`
  }

  /** Null where the path leads to no file. */
  static async open(path: string): Promise<LineFile | null> {
    let handle: FileHandle
    try {
      handle = await open(path, O_RDONLY | O_NONBLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
    try {
      const stats = await handle.stat()
      if (stats.isFile()) return new LineFile(path, handle, stats)
      await handle.close()
      return null
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** The lines, some at a time. A compressed file that is truncated throws. */
  async *lines(): AsyncGenerator<readonly FileLine[]> {
    if (this.#size === 0) return
    const content = fileChunks(this.#handle, this.#size)
    const lines = new LineSplitter()
    const isCompressed = this.#path.endsWith(COMPRESSED)
    for await (const chunk of isCompressed ? zlibChunks(content, createGunzip()) : content) yield lines.take(chunk)
    yield lines.rest()
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }
}

/** The lines of a file; none where it does not exist. */
export async function* readLines(path: string): AsyncGenerator<readonly FileLine[]> {
  const file = await LineFile.open(path)
  try {
    if (file !== null) yield* file.lines()
  } finally {
    await file?.close()
  }
}

/** The bytes of a file, some at a time. */
export async function* fileChunks(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield chunk.subarray(0, bytesRead)
  }
}

/** Assembles lines from chunks; a line over the limit is not kept. */
export class LineSplitter {
  #begun: Buffer[] = []
  #length = 0

  /** The lines that end in this chunk. */
  take(chunk: Buffer): FileLine[] {
    const ended: FileLine[] = []
    let from = 0
    for (;;) {
      const end = chunk.indexOf(LINE_END, from)
      if (end === -1) break
      this.#add(chunk.subarray(from, end))
      ended.push(this.#end(true))
      from = end + 1
    }
    this.#add(chunk.subarray(from))
    return ended
  }

  /** The text after the last line end, if there is any. */
  rest(): FileLine[] {
    return this.#length === 0 ? [] : [this.#end(false)]
  }

  #end(isWhole: boolean): FileLine {
    const isTooLong = this.#length > MAX_READ_LINE
    const bytes = isTooLong ? Buffer.alloc(0) : this.#begun.length === 1 ? this.#begun[0]! : Buffer.concat(this.#begun)
    this.#begun = []
    this.#length = 0
    return { bytes, isTooLong, isWhole }
  }

  #add(bytes: Buffer): void {
    this.#length += bytes.length
    if (this.#length > MAX_READ_LINE) this.#begun = []
    else if (bytes.length > 0) this.#begun.push(bytes)
  }
}
