import type { Input, Output } from '../process-context.ts'
import { terminalSize } from '../terminal.ts'

const ENTER = '\u001b[?1049h\u001b[?25l'
const LEAVE = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const CLEAR_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'

/** Keys that end it: q, Ctrl-C and Ctrl-D. */
const END_KEYS = /[qQ\u0003\u0004]/

/** The alternate screen of a terminal, which shows the previous content again when it is left. */
export class Screen implements Disposable {
  readonly #output: Output
  readonly #input: Input
  readonly #onData: (keys: Buffer | string) => void

  /** `onEnd` is called for a key that ends the command. */
  constructor(output: Output, input: Input, onEnd: () => void) {
    this.#output = output
    this.#input = input
    this.#onData = (keys) => {
      if (END_KEYS.test(String(keys))) onEnd()
    }
    output.write(ENTER)
    input.setRawMode?.(true)
    input.on('data', this.#onData)
    // The end of the terminal.
    input.on('end', onEnd)
  }

  /** Rows that a table can have. */
  get rows(): number {
    return terminalSize(this.#output).rows
  }

  /** Replaces the content. A terminal that does not read its output is left out. */
  draw(lines: readonly string[]): void {
    if (this.#output.writableNeedDrain) return
    const shown = lines.slice(0, this.rows)
    this.#output.write(`${HOME}${shown.map((line) => `${line}${CLEAR_LINE}`).join('\r\n')}${CLEAR_BELOW}`)
  }

  [Symbol.dispose](): void {
    this.#input.off('data', this.#onData)
    this.#input.setRawMode?.(false)
    this.#input.pause()
    this.#output.write(LEAVE)
  }
}
