import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BodyConsumedError, BodyNotStoredError } from './body-errors.ts'
import type { BodySink, BodySource } from './body-flow.ts'
import type { StoredContent } from './stored-content.ts'

const openFile = promisify(fs.open)
const unlinkFile = promisify(fs.unlink)
const makeDirectory = promisify(fs.mkdir)
const READ_SIZE = 64 * 1024

/** Closes the files of bodies that were not cancelled. */
const unclosed = new FinalizationRegistry<number>((descriptor) => fs.close(descriptor, () => undefined))

/** A file that is unlinked as soon as it is open, so that a crash leaves nothing behind. */
export class TemporaryFile implements StoredContent {
  readonly #directory: string
  #descriptor = -1
  #leftover: string | null = null
  #length = 0
  #busy = 0
  #disposed = false

  constructor(directory: string) {
    this.#directory = directory
  }

  get length(): number {
    return this.#length
  }

  async open(): Promise<void> {
    const path = join(this.#directory, `body-${randomBytes(16).toString('hex')}`)
    await this.#storing(async () => {
      this.#descriptor = await openFile(path, 'wx+', 0o600).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
        await makeDirectory(this.#directory, { recursive: true, mode: 0o700 })
        return openFile(path, 'wx+', 0o600)
      })
      unclosed.register(this, this.#descriptor, this)
      // Some systems can not unlink an open file; it is then removed on close.
      await unlinkFile(path).catch(() => {
        this.#leftover = path
      })
    })
  }

  async append(chunk: Uint8Array): Promise<void> {
    await this.#storing(async () => {
      for (let written = 0; written < chunk.length; ) {
        written += await this.#writeAt(chunk, written, this.#length + written)
      }
      this.#length += chunk.length
    })
  }

  bytes(): Uint8Array {
    if (this.#disposed) throw new BodyConsumedError()
    const content = Buffer.allocUnsafe(this.#length)
    for (let read = 0; read < content.length; ) {
      const count = fs.readSync(this.#descriptor, content, read, content.length - read, read)
      if (count === 0) throw new Error('body: its temporary file is shorter than what was written')
      read += count
    }
    return content
  }

  source(trailers: readonly string[] | null): BodySource {
    return new FileSource(
      (block, at) => this.#readAt(block, at),
      () => this.#length,
      trailers,
    )
  }

  dispose(): void {
    this.#disposed = true
    if (this.#busy > 0 || this.#descriptor < 0) return
    const leftover = this.#leftover
    unclosed.unregister(this)
    fs.close(this.#descriptor, () => {
      if (leftover !== null) fs.unlink(leftover, () => undefined)
    })
    this.#descriptor = -1
  }

  #readAt(block: Buffer, at: number): Promise<number> {
    return this.#using(
      () =>
        new Promise((resolve, reject) => {
          fs.read(this.#descriptor, block, 0, block.length, at, (error, count) =>
            error ? reject(error) : resolve(count),
          )
        }),
    )
  }

  #writeAt(chunk: Uint8Array, from: number, at: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.write(this.#descriptor, chunk, from, chunk.length - from, at, (error, count) =>
        error ? reject(error) : resolve(count),
      )
    })
  }

  /** An error of the file system names no directory. */
  #storing(work: () => Promise<void>): Promise<void> {
    return this.#using(() =>
      work().catch((error: unknown) => {
        throw new BodyNotStoredError(this.#directory, error as NodeJS.ErrnoException)
      }),
    )
  }

  /** Delays close until no operation runs: the descriptor of a closed file may be reused. */
  async #using<T>(work: () => Promise<T>): Promise<T> {
    if (this.#disposed) throw new BodyConsumedError()
    this.#busy += 1
    try {
      return await work()
    } finally {
      this.#busy -= 1
      if (this.#disposed) this.dispose()
    }
  }
}

class FileSource implements BodySource {
  readonly #read: (block: Buffer, at: number) => Promise<number>
  readonly #length: () => number
  readonly #trailers: readonly string[] | null
  #sink: BodySink | null = null
  #at = 0
  #reading = false
  #paused = false

  constructor(
    read: (block: Buffer, at: number) => Promise<number>,
    length: () => number,
    trailers: readonly string[] | null,
  ) {
    this.#read = read
    this.#length = length
    this.#trailers = trailers
  }

  start(sink: BodySink): void {
    this.#sink = sink
    this.#next()
  }

  resume(): void {
    this.#paused = false
    this.#next()
  }

  cancel(): void {
    this.#sink = null
  }

  #next(): void {
    const sink = this.#sink
    if (sink === null || this.#reading || this.#paused) return
    const left = this.#length() - this.#at
    if (left === 0) {
      this.#sink = null
      sink.end(this.#trailers)
      return
    }
    this.#reading = true
    const block = Buffer.allocUnsafeSlow(Math.min(READ_SIZE, left))
    this.#read(block, this.#at).then(
      (count) => this.#deliver(block, count),
      (error: Error) => this.#fail(error),
    )
  }

  #deliver(block: Buffer, count: number): void {
    this.#reading = false
    if (this.#sink === null) return
    if (count === 0) {
      this.#fail(new Error('body: its temporary file is shorter than what was written'))
      return
    }
    this.#at += count
    this.#paused = !this.#sink.write(block.subarray(0, count))
    this.#next()
  }

  #fail(error: Error): void {
    const sink = this.#sink
    this.#sink = null
    sink?.fail(error)
  }
}
