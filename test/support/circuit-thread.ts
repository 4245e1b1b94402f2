import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Circuit, type CircuitSettings } from '#resilience'
import { systemClock } from '#schema'
import { threadEntry } from './thread-entry.ts'

/** The work of one thread on a shared circuit. */
export interface CircuitWork {
  readonly memory: SharedArrayBuffer
  /** Incremented by each thread; all start when it reaches `threads`. */
  readonly start: SharedArrayBuffer
  readonly threads: number
  readonly settings: CircuitSettings
  /** Outcomes that are recorded again and again; true is a failure. */
  readonly outcomes: readonly boolean[]
  readonly times: number
}

/** The results of one thread. */
export interface CircuitReport {
  readonly opened: number
  readonly closed: number
  readonly recorded: number
}

/** Runs threads concurrently on one circuit. */
export async function runThreads(
  threads: number,
  work: Omit<CircuitWork, 'memory' | 'start' | 'threads'>,
): Promise<{ reports: readonly CircuitReport[]; circuit: Circuit }> {
  const memory = new SharedArrayBuffer(Circuit.bytes(work.settings))
  const start = new SharedArrayBuffer(4)
  const reports = await Promise.all(
    Array.from({ length: threads }, async () => {
      const workerData: CircuitWork = { ...work, memory, start, threads }
      const worker = new Worker(threadEntry(import.meta.url), { workerData, name: 'circuit' })
      const [report] = (await once(worker, 'message')) as [CircuitReport]
      await worker.terminate()
      return report
    }),
  )
  return { reports, circuit: new Circuit(memory, work.settings, systemClock) }
}

function run({ memory, start, threads, settings, outcomes, times }: CircuitWork): CircuitReport {
  const circuit = new Circuit(memory, settings, systemClock)
  const ready = new Int32Array(start)
  Atomics.add(ready, 0, 1)
  Atomics.notify(ready, 0)
  for (let here = Atomics.load(ready, 0); here < threads; here = Atomics.load(ready, 0)) Atomics.wait(ready, 0, here)
  let opened = 0
  let closed = 0
  let recorded = 0
  for (let time = 0; time < times; time++) {
    for (const failed of outcomes) {
      if (circuit.closeIfDue()) closed++
      const epoch = circuit.admit()
      if (epoch === null) continue
      recorded++
      if (circuit.record(epoch, failed)) opened++
    }
  }
  return { opened, closed, recorded }
}

if (!isMainThread && parentPort !== null) parentPort.postMessage(run(workerData as CircuitWork))
