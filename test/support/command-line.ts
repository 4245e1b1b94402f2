import { Writable } from 'node:stream'
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

  constructor(isTTY: boolean) {
    super()
    this.isTTY = isTTY
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8')
    done()
  }
}

/** Runs a command line in this process, as bin/gateway would in its own. */
export async function gateway(
  words: readonly string[],
  { env = {}, terminal = false }: { env?: Record<string, string>; terminal?: boolean } = {},
): Promise<CommandResult> {
  const stdout = new Kept(terminal)
  const stderr = new Kept(terminal)
  const unitEntry = new URL('../../src/unit/thread.ts', import.meta.url)
  const studioPages = fileURLToPath(new URL('../../studio/dist', import.meta.url))
  const code = await runCommand(words, { env, stdout, stderr, unitEntry, studioPages })
  return { code, stdout: stdout.text, stderr: stderr.text }
}
