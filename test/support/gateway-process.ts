import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { GATEWAY_COMMAND } from './installation.ts'
import { type InstanceParts, TestInstance } from './instance.ts'
import { LogLines } from './log-lines.ts'
import { type ReceivedResponse, type RequestOptions, sendRequest } from './send-request.ts'
import { within } from './waiting.ts'

const READY = /"message":"the gateway is ready"/

/** Time-out of a start in seconds: on a busy machine compilation alone takes many. */
const LONGEST_START = 50

/** Exit code and signal of a process. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Settings of a gateway process. */
export interface ProcessParts extends InstanceParts {
  readonly env?: Readonly<Record<string, string>>
  /** An existing instance of an earlier process. */
  readonly instance?: TestInstance
  /** Further arguments of `gateway run`. */
  readonly words?: readonly string[]
  /** A command that runs the gateway by exec, such as `prlimit --nofile=256`. */
  readonly under?: readonly string[]
  /** A file for standard output; the test then has to detect readiness itself. */
  readonly output?: string
}

/** A gateway in a separate process, as users run it: for signals and exit codes. */
export class GatewayProcess implements AsyncDisposable {
  readonly instance: TestInstance
  readonly log = new LogLines()
  readonly #child: ChildProcess
  readonly #exit: Promise<Exit>
  #errors = ''
  /** Of its traffic connectors, in their order. */
  ports: readonly number[] = []
  adminPort = 0

  constructor(parts: ProcessParts) {
    this.instance = parts.instance ?? new TestInstance(parts)
    const run = [GATEWAY_COMMAND, 'run', '--instance', this.instance.directory, ...(parts.words ?? [])]
    const [command, ...words] = [...(parts.under ?? []), ...run]
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
    this.#exit = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }) as Exit)
  }

  get exit(): Promise<Exit> {
    return within('the gateway process ended', this.#exit)
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

  /** Its standard error. */
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

  /** Resolves when the process has ended, even if its output is unread. */
  get ended(): Promise<unknown> {
    return this.hasEnded ? Promise.resolve() : within('the gateway process ended', once(this.#child, 'exit'))
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  ask(path: string, options: RequestOptions = {}): Promise<ReceivedResponse> {
    return sendRequest(`http://127.0.0.1:${this.port}${path}`, options)
  }

  askAdmin(path: string): Promise<ReceivedResponse> {
    return sendRequest(`http://127.0.0.1:${this.adminPort}${path}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.hasEnded) this.#child.kill('SIGKILL')
    await this.exit
    this.instance[Symbol.dispose]()
  }
}

/** The first line of a growing log file that matches. */
async function lineOf(path: string, pattern: RegExp, hasEnded: () => boolean): Promise<Record<string, unknown>> {
  const end = performance.now() + 30_000
  for (;;) {
    const text = readFileSync(path, 'utf8')
    const line = text.split('\n').find((candidate) => pattern.test(candidate) && candidate.endsWith('}'))
    if (line !== undefined) return JSON.parse(line) as Record<string, unknown>
    if (hasEnded()) throw new Error(`the gateway ended without ${pattern}:\n${text}`)
    if (performance.now() > end) throw new Error(`no log line ${pattern} within 30 s; there are:\n${text}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
