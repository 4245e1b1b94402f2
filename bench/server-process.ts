import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { onSubjectCore } from './cores.ts'

/** The command of a server, and its readiness check. */
export interface ServerCommand {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** URL that responds with 200 as soon as the server is ready. */
  readonly readyUrl: string
  readonly readyWithin?: number
  readonly environment?: Readonly<Record<string, string>>
  /** Whether it serves the measured servers, and does not run on their core. */
  readonly isUpstream?: boolean
}

/** Unit of CPU time in /proc (USER_HZ, 100 on every Linux that runs Node). */
const ticksPerSecond = 100
const pageBytes = 4_096
const stopWithin = 10_000
const keptOutput = 4_000

const running = new Set<ServerProcess>()

/** A server started for a benchmark; terminated by its process id on disposal. */
export class ServerProcess implements AsyncDisposable {
  readonly name: string
  /** Milliseconds from the start of the process to its first 200. */
  readonly readyAfter: number
  readonly #child: ChildProcess

  private constructor(name: string, readyAfter: number, child: ChildProcess) {
    this.name = name
    this.readyAfter = readyAfter
    this.#child = child
    running.add(this)
  }

  /** Starts the server and waits until it is ready; throws with its last output if it ends or times out. */
  static async start(server: ServerCommand): Promise<ServerProcess> {
    const { name, command, readyUrl, readyWithin = 30_000, isUpstream = false, environment = {} } = server
    const [file, ...args] = isUpstream ? command : onSubjectCore(command)
    const begin = performance.now()
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } })
    // Not decoded before it is needed: some subjects write much, and the machine should be theirs.
    let output: Buffer = Buffer.alloc(0)
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        output = Buffer.concat([output, bytes.subarray(-keptOutput)]).subarray(-keptOutput)
      })
    }
    let ended: string | undefined
    child.once('error', (error) => {
      ended = error.message
    })
    child.once('exit', (code, signal) => {
      ended = `it ended with ${signal ?? `exit code ${code}`}`
    })
    while (ended === undefined && performance.now() - begin < readyWithin) {
      if (await answers(readyUrl)) return new ServerProcess(name, performance.now() - begin, child)
      await pause(10)
    }
    if (ended === undefined) child.kill('SIGKILL')
    throw new Error(`${name} did not start: ${ended ?? `no answer in ${readyWithin} ms`}\n${output}`)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** CPU seconds, user and system, that the process and its children have used so far. */
  cpuSeconds(): number {
    return this.#sum(({ ticks }) => ticks) / ticksPerSecond
  }

  /** Resident memory of the process and its children. */
  residentBytes(): number {
    return this.#sum(({ pages }) => pages) * pageBytes
  }

  #sum(value: (stat: ProcessStat) => number): number {
    const stats = processTable()
    let sum = 0
    const pending = [this.#child.pid]
    for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
      const stat = stats.get(pid)
      if (stat !== undefined) sum += value(stat)
      for (const [child, { parent }] of stats) if (parent === pid) pending.push(child)
    }
    return sum
  }

  /** Sends SIGTERM, and SIGKILL if the process does not end. */
  async [Symbol.asyncDispose](): Promise<void> {
    running.delete(this)
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exit = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const force = setTimeout(() => this.#child.kill('SIGKILL'), stopWithin)
    await exit
    clearTimeout(force)
  }
}

/** Terminates every running server, for an interrupted benchmark. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((server) => server[Symbol.asyncDispose]()))
}

/** A free port of the loopback interface. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('expected a port, got none')
  return address.port
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(2_000) })
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return false
  }
}

interface ProcessStat {
  readonly parent: number
  readonly ticks: number
  readonly pages: number
}

/** Parent, CPU ticks and resident pages of every process, from /proc/<pid>/stat (proc(5): fields 4, 14, 15 and 24). */
function processTable(): Map<number, ProcessStat> {
  const table = new Map<number, ProcessStat>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'latin1')
      // The second field is the name in parentheses, which may contain blanks and parentheses itself.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const [parent, user, system, pages] = [1, 11, 12, 21].map((at) => Number(fields[at])) as [
        number,
        number,
        number,
        number,
      ]
      table.set(Number(entry), { parent, ticks: user + system, pages })
    } catch {
      // The process ended between listing and reading.
    }
  }
  return table
}
