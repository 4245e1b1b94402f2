import { PassThrough, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../../src/cli/command-line.ts'

/** Exit code and output of a command. */
export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A stream that stores its output. */
class Kept extends Writable {
  readonly isTTY: boolean
  text = ''

  readonly #onOutput: (text: string) => void

  constructor(isTTY: boolean, onOutput: (text: string) => void = () => {}) {
    super()
    this.isTTY = isTTY
    this.#onOutput = onOutput
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8')
    this.#onOutput(this.text)
    done()
  }
}

/** Surroundings of a command. */
interface CommandOptions {
  readonly env?: Record<string, string>
  /** Whether its output is a terminal. */
  readonly terminal?: boolean
  /** Standard input. */
  readonly keys?: PassThrough
  /** Called with all of standard output so far. */
  onOutput?(text: string): void
}

/** Runs a command line in this process, as bin/gateway would in its own. */
export async function gateway(
  words: readonly string[],
  { env = {}, terminal = false, keys = new PassThrough(), onOutput }: CommandOptions = {},
): Promise<CommandResult> {
  const stdout = new Kept(terminal, onOutput)
  const stderr = new Kept(terminal)
  const unitEntry = new URL('../../src/unit/thread.ts', import.meta.url)
  const studioPages = fileURLToPath(new URL('../../studio/dist', import.meta.url))
  const code = await runCommand(words, { env, stdin: keys, stdout, stderr, unitEntry, studioPages })
  return { code, stdout: stdout.text, stderr: stderr.text }
}
