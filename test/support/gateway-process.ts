import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, type Asking, ask } from './ask.ts'
import { type InstanceParts, TestInstance } from './instance.ts'
import { LogLines } from './log-lines.ts'

const COMMAND = join(import.meta.dirname, '..', '..', 'bin', 'gateway')

/** How a process came to its end. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A gateway in a process of its own, as users run it: for signals and exit codes. */
export class GatewayProcess implements AsyncDisposable {
  readonly instance: TestInstance
  readonly log = new LogLines()
  readonly exit: Promise<Exit>
  readonly #child: ChildProcess
  #errors = ''
  port = 0
  adminPort = 0

  constructor(parts: InstanceParts & { readonly env?: Readonly<Record<string, string>> }) {
    this.instance = new TestInstance(parts)
    this.#child = spawn(COMMAND, ['run', '--instance', this.instance.directory], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...parts.env },
    })
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
  static async start(parts: ConstructorParameters<typeof GatewayProcess>[0]): Promise<GatewayProcess> {
    const running = new GatewayProcess(parts)
    const ready = await running.log.until(/"message":"the gateway is ready"/)
    running.port = (ready['ports'] as number[])[0] as number
    running.adminPort = ready['adminPort'] as number
    return running
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
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL')
    await this.exit
    this.instance[Symbol.dispose]()
  }
}
