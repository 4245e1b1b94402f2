import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { ThrottlingRate } from '#contracts'
import { BucketTable, type TableSize } from '#resilience'
import { type Clock, systemClock } from '#schema'
import { threadEntry } from './thread-entry.ts'

/** The concurrent work of threads on one table. */
export interface ThrottlingWork {
  readonly size: TableSize
  readonly rate: ThrottlingRate
  readonly partitions: number
  /** Duration in milliseconds of the real clock. */
  readonly time: number
  /** Factor by which the clock of the table runs faster. */
  readonly clockSpeed: number
  /** Duration of bursts of requests and of the pauses between them, in milliseconds; null for no pauses. */
  readonly burst: number | null
  /** Whether the first thread only cleans. */
  readonly cleaner: boolean
}

/** A request that was admitted, by the clock of the table: the decision was made between the two times. */
export interface Admission {
  readonly partition: number
  readonly before: number
  readonly after: number
}

/** The results of one thread. */
export interface ThrottlingReport {
  readonly admissions: readonly Admission[]
  /** For each partition, its first and last rejected request; null without rejections. */
  readonly refusals: readonly (Refusals | null)[]
}

/** Times around the decisions on the first and the last rejected request. */
export interface Refusals {
  readonly first: Omit<Admission, 'partition'>
  /** A time before the decision on the last. */
  last: number
}

interface Input extends ThrottlingWork {
  readonly memory: SharedArrayBuffer
  readonly start: SharedArrayBuffer
  readonly threads: number
  readonly cleans: boolean
}

/** Runs threads concurrently on one table; returns their results. */
export async function runThreads(threads: number, work: ThrottlingWork): Promise<readonly ThrottlingReport[]> {
  const memory = new SharedArrayBuffer(BucketTable.bytes(work.size))
  const start = new SharedArrayBuffer(4)
  return Promise.all(
    Array.from({ length: threads }, async (_, at) => {
      const input: Input = { ...work, memory, start, threads, cleans: work.cleaner && at === 0 }
      const worker = new Worker(threadEntry(import.meta.url), { workerData: input, name: 'throttling' })
      const [report] = (await once(worker, 'message')) as [ThrottlingReport]
      await worker.terminate()
      return report
    }),
  )
}

async function run(input: Input): Promise<ThrottlingReport> {
  const { memory, start, threads, size, rate, partitions, time, clockSpeed, burst } = input
  const clock: Clock = { now: systemClock.now, monotonic: () => systemClock.monotonic() * clockSpeed }
  const table = new BucketTable(memory, size, clock)
  const names = Array.from({ length: partitions }, (_, at) => `partition ${at}`)
  const ready = new Int32Array(start)
  Atomics.add(ready, 0, 1)
  Atomics.notify(ready, 0)
  for (let here = Atomics.load(ready, 0); here < threads; here = Atomics.load(ready, 0)) Atomics.wait(ready, 0, here)
  const admissions: Admission[] = []
  const refusals: (Refusals | null)[] = names.map(() => null)
  const end = systemClock.monotonic() + time
  for (let now = systemClock.monotonic(); now < end; now = systemClock.monotonic()) {
    if (input.cleans) {
      await table.clean(0, async () => {})
      continue
    }
    if (burst !== null && Math.floor(now / burst) % 2 === 1) continue
    for (let partition = 0; partition < partitions; partition++) {
      const before = clock.monotonic()
      if (table.take(names[partition]!, rate).admitted) {
        admissions.push({ partition, before, after: clock.monotonic() })
        continue
      }
      const known = refusals[partition]
      if (known) known.last = before
      else refusals[partition] = { first: { before, after: clock.monotonic() }, last: before }
    }
  }
  return { admissions, refusals }
}

if (!isMainThread && parentPort !== null) {
  const { postMessage } = parentPort
  run(workerData as Input).then((report) => postMessage.call(parentPort, report))
}
