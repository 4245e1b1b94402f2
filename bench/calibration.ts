import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onSubjectCore } from './cores.ts'
import { node, root } from './workspace.ts'

/** A machine is slow while the fixed loop takes this many times its least time. */
const SLOW = 1.15

/**
 * Measures the speed of the core of the measured servers: a fixed loop in a process on that core. On shared hardware the
 * same work takes up to twice the CPU time from one minute to the next; a round measured in such a time says nothing about the server.
 */
export class Calibration implements Disposable {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  #least = Number.POSITIVE_INFINITY

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  }

  static async start(): Promise<Calibration> {
    const [file, ...args] = onSubjectCore([node, join(root, 'bench', 'peers', 'fixed-loop.ts')])
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(child, 'spawn')
    const calibration = new Calibration(child)
    // The first loops are interpreted and compiled.
    for (let i = 0; i < 5; i++) await calibration.#loop()
    calibration.#least = await calibration.#loop()
    return calibration
  }

  /** Runs the loop; returns its time relative to the least time so far. */
  async slowness(): Promise<number> {
    const time = await this.#loop()
    this.#least = Math.min(this.#least, time)
    return time / this.#least
  }

  isSlow(slowness: number): boolean {
    return slowness > SLOW
  }

  /** CPU milliseconds of the loop. */
  async #loop(): Promise<number> {
    this.#child.stdin!.write('\n')
    const { value, done } = await this.#lines.next()
    if (done === true) throw new Error('calibration: expected the time of a loop, got the end of its process')
    return Number(value)
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGTERM')
  }
}
