/** Milliseconds for which lines wait for others, so that one system call writes many. */
const BATCH_TIME = 100
/** Characters after which a batch is written at once. */
const MAX_CHARACTERS = 32 * 1024

/** Receives whole lines; never blocks. */
interface LineOutput {
  /** Bytes of lines that are accepted now. */
  readonly room: number
  /** The bytes of lines for `writeLines`, where the output has memory for them. */
  encode?(lines: string): Buffer
  writeLines(bytes: Buffer): void
}

/** Collects lines and writes many at a time. Lines for which the output has no room are dropped. */
export class LineBatch {
  readonly #output: LineOutput
  readonly #onLoss: (lines: number) => void
  #text = ''
  #lines = 0
  #timer: NodeJS.Timeout | null = null

  constructor(output: LineOutput, onLoss: (lines: number) => void) {
    this.#output = output
    this.#onLoss = onLoss
  }

  add(line: string): void {
    this.#text += line
    this.#lines++
    if (this.#text.length >= MAX_CHARACTERS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), BATCH_TIME).unref()
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#lines === 0) return
    const output = this.#output
    const text = this.#text
    const lines = this.#lines
    this.#text = ''
    this.#lines = 0
    if (Buffer.byteLength(text) <= output.room) {
      output.writeLines(output.encode?.(text) ?? Buffer.from(text))
      return
    }
    this.#onLoss(lines)
  }
}
