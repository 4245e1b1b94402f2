import { isMainThread, Worker, workerData } from 'node:worker_threads'
// Not by the entry point of the folder, which loads much more in each thread.
import { PermitTable } from '../../src/contracts/permit-table.ts'
import { waitUntil } from './waiting.ts'

interface Input {
  readonly memory: SharedArrayBuffer
  /** Permits in use, the most at one time, and for each thread its turns and whether it uses a permit. */
  readonly counts: SharedArrayBuffer
  readonly threads: number
  readonly thread: number
}

const IN_USE = 0
const MOST = 1
const TURNS = 2

/** Threads that compete for the permits of one table. */
export interface PermitThreads extends AsyncDisposable {
  /** The most permits that were in use at one time. */
  readonly most: number
  /** Resolves when every living thread has had that many. */
  turns(count: number): Promise<void>
  /** Terminates a thread at any point, and returns its permits. */
  terminate(thread: number): Promise<void>
}

export function startPermitThreads(threads: number, permits: number): PermitThreads {
  const memory = new SharedArrayBuffer(PermitTable.bytes(threads, permits))
  const counts = new SharedArrayBuffer((TURNS + 2 * threads) * Int32Array.BYTES_PER_ELEMENT)
  const words = new Int32Array(counts)
  const workers = new Map(
    Array.from({ length: threads }, (_, thread) => {
      const input: Input = { memory, counts, threads, thread }
      return [thread, new Worker(new URL(import.meta.url), { workerData: input, name: 'permits' })]
    }),
  )
  return {
    get most() {
      return Atomics.load(words, MOST)
    },
    turns: (count) =>
      waitUntil(`${count} turns`, () =>
        [...workers.keys()].every((thread) => Atomics.load(words, TURNS + thread) >= count),
      ),
    async terminate(thread) {
      await workers.get(thread)!.terminate()
      workers.delete(thread)
      Atomics.sub(words, IN_USE, Atomics.load(words, TURNS + threads + thread))
      new PermitTable(memory, threads, thread).releaseAll()
    },
    async [Symbol.asyncDispose]() {
      for (const worker of workers.values()) await worker.terminate()
    },
  }
}

async function compete({ memory, counts, threads, thread }: Input): Promise<void> {
  const words = new Int32Array(counts)
  const table = new PermitTable(memory, threads, thread)
  for (;;) {
    const { signal } = table
    if (table.adoptGranted() > 0 || table.acquire()) {
      table.setDemand(0)
      const inUse = Atomics.add(words, IN_USE, 1) + 1
      Atomics.store(words, TURNS + threads + thread, 1)
      if (inUse > Atomics.load(words, MOST)) Atomics.store(words, MOST, inUse)
      await new Promise((resolve) => setImmediate(resolve))
      Atomics.store(words, TURNS + threads + thread, 0)
      Atomics.sub(words, IN_USE, 1)
      Atomics.add(words, TURNS + thread, 1)
      while (table.held > 0) table.release()
    } else {
      table.setDemand(1)
      if (table.hasFree) continue
      // A thread that is terminated may not have sent its signal.
      const again = new Promise((resolve) => setTimeout(resolve, 20))
      await Promise.race([table.signalChanged(signal), again])
    }
  }
}

if (!isMainThread && workerData?.counts !== undefined) await compete(workerData as Input)
