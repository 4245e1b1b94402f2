import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { onSubjectCore } from './cores.ts'
import { node, root } from './workspace.ts'

/** Waits for a fast machine before a measurement in seconds, and repetitions of one measurement. */
const MAX_WAIT = 5
const MAX_REPETITIONS = 3
/** Milliseconds of all waits and repetitions of one benchmark. On a machine that stays slow, the rest is measured as it is. */
const MAX_LOST = 300_000

/** A machine is slow while the fixed loop takes this many times its least time. */
const SLOW = 1.15

/** A measurement, how often it was repeated, and whether the machine was slow to the end. */
export interface Repeated<T> {
  readonly result: T
  readonly repeated: number
  readonly isSlow: boolean
}

/** How often a measurement was repeated, as a part of its progress. */
export function repetitions({ repeated, isSlow }: Omit<Repeated<unknown>, 'result'>): string {
  const again = repeated === 0 ? '' : `, repeated ${repeated} times`
  return isSlow ? `${again}, on a slow machine` : again
}

/**
 * Measures the speed of the core of the measured servers: a fixed loop in a process on that core. On shared hardware the
 * same work takes up to twice the CPU time from one minute to the next; a round measured in such a time says nothing about the server.
 */
export class Calibration implements Disposable {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  #least = Number.POSITIVE_INFINITY
  #lost = 0

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

  /** Repeats a measurement until the machine was fast before and after it, within the bounds. */
  async repeatWhileSlow<T>(measureOnce: () => Promise<T>): Promise<Repeated<T>> {
    for (let repeated = 0; ; repeated++) {
      const begin = performance.now()
      const mayWait = this.#lost < MAX_LOST
      let before = await this.slowness()
      for (let waits = 0; mayWait && waits < MAX_WAIT && this.isSlow(before); waits++) {
        await pause(1_000)
        before = await this.slowness()
      }
      const waited = performance.now() - begin
      const result = await measureOnce()
      const isSlow = this.isSlow(Math.max(before, await this.slowness()))
      const isLast = !isSlow || !mayWait || repeated === MAX_REPETITIONS
      this.#lost += isLast ? waited : performance.now() - begin
      if (isLast) return { result, repeated, isSlow }
    }
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
