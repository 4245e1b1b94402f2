import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '#files'
import { printVersion } from './version-file.ts'
import type { StoredVersion } from './version-index.ts'

/** Readable by the owner only: routes can contain secrets in plain text. */
const RIGHTS = { file: 0o600, folder: 0o700 }

/** Concurrent writes of versions that no request waits for, so that the thread pool stays free for others. */
const WRITES_AT_ONCE = 2

/** Events of the writer. */
interface WriterEvents {
  /** A version is on disk; false where it was dropped in the meantime. */
  written(version: StoredVersion): boolean
  failed(version: StoredVersion, error: NodeJS.ErrnoException): void
}

/** Writes and removes the files of versions. */
export class VersionWriter {
  readonly #directory: string
  readonly #events: WriterEvents
  /** Queue of versions to write and of files to remove. */
  readonly #waiting = new Set<StoredVersion>()
  readonly #removing = new Set<string>()
  readonly #writes = new Map<StoredVersion, Promise<void>>()
  #writers = 0
  #removal: Promise<void> | null = null
  #isClosed = false

  constructor(directory: string, events: WriterEvents) {
    this.#directory = directory
    this.#events = events
  }

  /** Writes a version, or joins its running write; resolves when it is on disk, or can not be written. */
  now(version: StoredVersion): Promise<void> {
    this.#waiting.delete(version)
    return this.#writes.get(version) ?? this.#write(version)
  }

  /** Queues the write of a version. */
  soon(version: StoredVersion): void {
    if (this.#isClosed) return
    this.#waiting.add(version)
    if (this.#writers < WRITES_AT_ONCE) void this.#writeWaiting()
  }

  /** Removes a version from the disk, or cancels its write. */
  remove(version: StoredVersion): void {
    // A version that is being written is checked when it is on disk.
    if (!this.#waiting.delete(version) && !this.#writes.has(version)) this.removeFile(version.name)
  }

  /** Queues the removal of a file. */
  removeFile(name: string): void {
    this.#removing.add(name)
    if (this.#removal === null) void this.#removeQueued()
  }

  /** Resolves when the queue is empty and all writes have ended. */
  async settled(): Promise<void> {
    while (this.#writers > 0 || this.#writes.size > 0 || this.#removal !== null) {
      await Promise.all([...this.#writes.values(), this.#removal])
    }
  }

  /** Drops the queue, and resolves when running writes have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#waiting.clear()
    await this.settled()
  }

  async #writeWaiting(): Promise<void> {
    this.#writers++
    for (const version of this.#waiting) await this.now(version)
    this.#writers--
  }

  #write(version: StoredVersion): Promise<void> {
    const { head, name, text } = version
    if (text === null || this.#isClosed) return Promise.resolve()
    const write = writeDurably(this.#directory, name, printVersion(head, text), RIGHTS)
      .then(() => {
        if (!this.#events.written(version)) this.removeFile(name)
      })
      .catch((error: NodeJS.ErrnoException) => this.#events.failed(version, error))
      .finally(() => this.#writes.delete(version))
    this.#writes.set(version, write)
    return write
  }

  /** A file that remains after a crash is removed when the folder is read again. */
  async #removeQueued(): Promise<void> {
    for (const name of this.#removing) {
      this.#removing.delete(name)
      this.#removal = rm(join(this.#directory, name), { force: true }).catch(() => {})
      await this.#removal
    }
    this.#removal = null
  }
}
