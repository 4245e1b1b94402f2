import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { GATEWAY_COMMAND } from './installation.ts'
import { within } from './waiting.ts'

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The demo on free ports. */
export const DEMO: readonly string[] = [
  'demo',
  ...['port', 'tls-port', 'admin-port', 'am-port'].flatMap((name) => [`--${name}`, '0']),
]

/** A command line in a separate process, as users start it; ended with its scope. */
export class SpawnedCommand implements AsyncDisposable {
  stdout = ''
  stderr = ''
  readonly #child: ChildProcess
  readonly #exit: Promise<Exit>
  readonly #waiting = new Set<() => void>()
  #ended = false

  constructor(words: readonly string[], env: Readonly<Record<string, string>> = {}, program = GATEWAY_COMMAND) {
    this.#child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
      this.#look()
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
      this.#look()
    })
    this.#exit = once(this.#child, 'close').then(([code, signal]) => {
      this.#ended = true
      this.#look()
      return { code, signal } as Exit
    })
  }

  get exit(): Promise<Exit> {
    return within('the command ended', this.#exit)
  }

  /** Waits until standard output matches; fails if the process ends first. */
  async writes(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.stdout)
      if (match !== null) return match
      if (this.#ended) throw new Error(`ended without ${pattern}:\n${this.stdout}\n${this.stderr}`)
      const output = new Promise<void>((resolve) => this.#waiting.add(resolve))
      await within(`the command wrote ${pattern}; there is:\n${this.stdout}\n${this.stderr}`, output)
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#ended) this.#child.kill('SIGKILL')
    await this.exit
  }

  #look(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}
