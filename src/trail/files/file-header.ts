import { chainFormatOf } from '../chain/chain-line.ts'
import type { AppendFile, FileTail } from './append-file.ts'
import { readLines } from './lines.ts'

/** The first line of the files of a topic, such as the names of CSV columns. */
export class FileHeader {
  readonly text: string
  readonly #lineEnd: string

  /** An empty text is no header. */
  constructor(text: string, lineEnd: string) {
    this.text = text
    this.#lineEnd = lineEnd
  }

  /** The header as a line; empty without one. */
  get line(): string {
    return this.text === '' ? '' : `${this.text}${this.#lineEnd}`
  }

  get size(): number {
    return Buffer.byteLength(this.line)
  }

  /** The first line of a file that may have another header; empty where the topic has none. */
  async in(file: AppendFile): Promise<Buffer> {
    return file.size > 0 && this.text !== '' ? firstLine(file.path) : Buffer.alloc(0)
  }

  /** Whether a file with this first line can be continued. */
  matches(first: Buffer): boolean {
    return first.length === 0 || first.toString('utf8').replace(/\r$/, '') === this.text
  }

  /** Whether a crash within the first write of a file has left no more than its header, or that of a chain with other columns. */
  isOnlyContent({ line, torn }: FileTail, first: Buffer, isChained: boolean): boolean {
    if (this.text === '') return false
    if (this.matches(line)) return torn.length > 0
    return isChained && first.equals(line) && chainFormatOf(first.toString('latin1')) !== null
  }
}

/** The first line of a file; empty where it has none. */
export async function firstLine(path: string): Promise<Buffer> {
  for await (const lines of readLines(path)) if (lines[0] !== undefined) return lines[0].bytes
  return Buffer.alloc(0)
}
