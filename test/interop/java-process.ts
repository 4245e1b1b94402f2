// A server in a separate JVM that is killed when the suite ends in any way.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { peakMemory } from './memory.ts'

/** JVMs that run now. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export interface JavaOptions {
  /** Home of the JDK. */
  readonly jdk: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Standard output and standard error are appended to it. */
  readonly log: string
}

export class JavaProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #log: string

  constructor({ jdk, args, cwd, env, log }: JavaOptions) {
    const output = openSync(log, 'a')
    this.#log = log
    this.#child = spawn(join(jdk, 'bin', 'java'), args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    this.#child.on('error', () => running.delete(this.#child))
    this.#child.on('exit', () => running.delete(this.#child))
    running.add(this.#child)
  }

  get hasEnded(): boolean {
    return this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** In MiB; 0 once it has ended. */
  get peakMemory(): number {
    return this.hasEnded ? 0 : peakMemory(this.#child.pid as number)
  }

  /** Waits until `isReady` returns true; throws with the end of the log if the process ends or `timeout` expires. */
  async until(isReady: () => Promise<boolean>, timeout: number): Promise<void> {
    const deadline = Date.now() + timeout
    while (!(await isReady().catch(() => false))) {
      if (this.hasEnded || Date.now() > deadline) {
        const why = this.hasEnded ? 'the JVM ended' : `not ready after ${timeout / 1000} s`
        throw new Error(`${why}; the end of ${this.#log}:\n${readFileSync(this.#log, 'utf8').slice(-3000)}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    if (this.hasEnded) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }

  /** Ends it: SIGTERM, and SIGKILL after 20 seconds. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.hasEnded) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 20_000)
    await ended
    clearTimeout(timer)
  }
}
