import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { PROOF_MEMORY_BYTES, ProofMemory } from '../../src/objects/resolvers/dpop/proof-memory.ts'
import { UsedProofs } from '../../src/objects/resolvers/dpop/used-proofs.ts'
import { threadEntry } from './thread-entry.ts'

interface ProofWork {
  readonly memory: SharedArrayBuffer
  /** Incremented by each thread before each second of the test. */
  readonly seconds: SharedArrayBuffer
  readonly threads: number
  readonly proofs: number
}

/** The proofs that a thread used first, and the key that it read. */
export interface ProofReport {
  readonly key: string
  readonly first: readonly number[]
}

const PROOFS_IN_A_SECOND = 100
/** Few, so that entries of expired proofs are reused. */
const PLACES = 1_024

/** Runs threads that enter the same proofs concurrently. */
export async function enterAtOnce(threads: number, proofs: number): Promise<readonly ProofReport[]> {
  const shared = { memory: new SharedArrayBuffer(PROOF_MEMORY_BYTES), seconds: new SharedArrayBuffer(4) }
  return Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(threadEntry(import.meta.url), {
        workerData: { ...shared, threads, proofs },
        name: 'proofs',
      })
      const [report] = (await once(worker, 'message')) as [ProofReport]
      await worker.terminate()
      return report
    }),
  )
}

function run({ memory, seconds, threads, proofs }: ProofWork): ProofReport {
  const begun = new Int32Array(seconds)
  const opened = new ProofMemory(memory, 60_000, 0)
  const used = new UsedProofs({ key: opened.key, entries: opened.entries.subarray(0, PLACES) })
  const first: number[] = []
  for (let proof = 0; proof < proofs; proof++) {
    const second = Math.floor(proof / PROOFS_IN_A_SECOND)
    if (proof % PROOFS_IN_A_SECOND === 0) meet(begun, threads * (second + 1))
    // Entries of different ages make threads use different slots.
    const until = (second + 2 + (proof % 5)) * 1_000
    if (used.enter(String(proof), second * 1_000, until) === 'first') first.push(proof)
  }
  return { key: opened.key.toString('hex'), first }
}

/** Waits for all threads, so that none is ahead by more than a second of the test. */
function meet(begun: Int32Array, all: number): void {
  Atomics.add(begun, 0, 1)
  Atomics.notify(begun, 0)
  for (let here = Atomics.load(begun, 0); here < all; here = Atomics.load(begun, 0)) Atomics.wait(begun, 0, here)
}

if (!isMainThread && parentPort !== null) parentPort.postMessage(run(workerData as ProofWork))
