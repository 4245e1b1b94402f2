import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, type Asking, ask } from './ask.ts'
import { type InstanceParts, TestInstance } from './instance.ts'
import { LogLines } from './log-lines.ts'

const COMMAND = join(import.meta.dirname, '..', '..', 'bin', 'gateway')

const READY = /"message":"the gateway is ready"/

/** Seconds for a start: on a busy machine compiling alone takes many. */
const LONGEST_START = 50

/** How a process came to its end. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** What a gateway process of a test is started with. */
export interface ProcessParts extends InstanceParts {
  readonly env?: Readonly<Record<string, string>>
  /** One that is there already, left behind by another process. */
  readonly instance?: TestInstance
  /** A command that runs the gateway, such as `prlimit --nofile=256`; it has to become it (exec). */
  readonly under?: readonly string[]
  /** Where standard output goes instead of to the test, which then has to find out by itself when it is ready. */
  readonly output?: string
}

/** A gateway in a process of its own, as users run it: for signals and exit codes. */
export class GatewayProcess implements AsyncDisposable {
  readonly instance: TestInstance
  readonly log = new LogLines()
  readonly exit: Promise<Exit>
  readonly #child: ChildProcess
  #errors = ''
  /** Of its traffic connectors, in their order. */
  ports: readonly number[] = []
  adminPort = 0

  constructor(parts: ProcessParts) {
    this.instance = parts.instance ?? new TestInstance(parts)
    const [command, ...words] = [...(parts.under ?? []), COMMAND, 'run', '--instance', this.instance.directory]
    const output = parts.output === undefined ? null : openSync(parts.output, 'a')
    this.#child = spawn(command as string, words, {
      stdio: ['ignore', output ?? 'pipe', 'pipe'],
      env: { ...process.env, ...parts.env },
    })
    if (output !== null) closeSync(output)
    let rest = ''
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      if (lines.length > 0) this.log.write(lines.join('\n'))
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text
    })
    this.exit = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }) as Exit)
  }

  /** Starts one and waits until it serves. */
  static async start(parts: ProcessParts): Promise<GatewayProcess> {
    const running = new GatewayProcess(parts)
    const { output } = parts
    try {
      const ready =
        output === undefined
          ? await running.log.until(READY, 0, LONGEST_START)
          : await lineOf(output, READY, () => running.hasEnded)
      running.ports = ready['ports'] as number[]
      running.adminPort = ready['adminPort'] as number
      return running
    } catch (error) {
      await running[Symbol.asyncDispose]()
      throw error
    }
  }

  get port(): number {
    return this.ports[0] ?? 0
  }

  get pid(): number {
    return this.#child.pid as number
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Processor time of all its threads so far, in milliseconds, on Linux. */
  get processorTime(): number {
    // proc_pid_stat(5): fields 14 and 15, in ticks of 10 ms; the name in parentheses may hold anything.
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  }

  /** What it wrote to standard error. */
  get errors(): string {
    return this.#errors
  }

  /** Memory of the whole process that is in use, on Linux. */
  get residentBytes(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'latin1')
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024
  }

  /** Its open files, connections among them, on Linux. */
  get openFiles(): number {
    return readdirSync(`/proc/${this.#child.pid}/fd`).length
  }

  /** Standard output is left unread from now on. */
  pauseReading(): void {
    this.#child.stdout?.pause()
  }

  resumeReading(): void {
    this.#child.stdout?.resume()
  }

  /** Resolves when the process has ended, though its output may be unread. */
  get ended(): Promise<unknown> {
    return this.hasEnded ? Promise.resolve() : once(this.#child, 'exit')
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  ask(path: string, asking: Asking = {}): Promise<Answer> {
    return ask(`http://127.0.0.1:${this.port}${path}`, asking)
  }

  askAdmin(path: string): Promise<Answer> {
    return ask(`http://127.0.0.1:${this.adminPort}${path}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.hasEnded) this.#child.kill('SIGKILL')
    await this.exit
    this.instance[Symbol.dispose]()
  }
}

/** The first line of a growing log file that matches. */
async function lineOf(path: string, pattern: RegExp, hasEnded: () => boolean): Promise<Record<string, unknown>> {
  for (;;) {
    const text = readFileSync(path, 'utf8')
    const line = text.split('\n').find((candidate) => pattern.test(candidate) && candidate.endsWith('}'))
    if (line !== undefined) return JSON.parse(line) as Record<string, unknown>
    if (hasEnded()) throw new Error(`the gateway ended without ${pattern}:\n${text}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
