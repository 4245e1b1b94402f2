import type { AppendFile, FileTail } from '../files/append-file.ts'

/** How far a process has written the active file: it recognises text of others when it opens the file again. */
export class OwnEnd {
  #size = 0
  /** A write that has not succeeded: a part of it, or all, may be in the file. */
  #attempt = Buffer.alloc(0)
  #hasWritten = false

  /** Whether this process has written to the trail. */
  get isKnown(): boolean {
    return this.#hasWritten
  }

  attempt(text: string): void {
    this.#attempt = Buffer.from(text, 'utf8')
  }

  written(size: number): void {
    this.#size = size
    this.#attempt = Buffer.alloc(0)
    this.#hasWritten = true
  }

  /** Whether all text is from this process. A shorter file was replaced, as by log rotation; the chain shows what is missing. */
  async isOf(file: AppendFile, { torn }: FileTail): Promise<boolean> {
    const added = file.size >= this.#size ? await file.read(this.#size, file.size - this.#size) : torn
    return added.length <= this.#attempt.length && added.equals(this.#attempt.subarray(0, added.length))
  }

  /** The file is continued from here. */
  reopened(size: number): void {
    this.#size = size
    this.#attempt = Buffer.alloc(0)
  }
}
