import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { Folder } from './folder.ts'

const CHUNK = Buffer.alloc(64 * 1024)

/** A pipe for the output of a process that a test leaves unread, closes, and reads again. */
export class NamedPipe implements Disposable {
  readonly path: string
  readonly #folder = new Folder()
  #reader: number | null = null
  /** Everything that was read, as lines. */
  text = ''

  constructor() {
    this.path = this.#folder.in('pipe')
    execFileSync('mkfifo', [this.path])
    this.openReader()
  }

  openReader(): void {
    this.#reader = openSync(this.path, constants.O_RDONLY | constants.O_NONBLOCK)
  }

  /** A process that writes gets EPIPE from now on; what it has written stays in the pipe while it runs. */
  closeReader(): void {
    if (this.#reader !== null) closeSync(this.#reader)
    this.#reader = null
  }

  /** Adds what is in the pipe to `text`, and returns it. */
  read(): string {
    if (this.#reader === null) throw new Error('the pipe has no reader')
    try {
      for (let count = 1; count > 0; ) {
        count = readSync(this.#reader, CHUNK)
        this.text += CHUNK.toString('latin1', 0, count)
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
    return this.text
  }

  [Symbol.dispose](): void {
    this.closeReader()
    this.#folder[Symbol.dispose]()
  }
}
