import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { ClientSettings } from '#client'
import { Body } from '#http'
import { ConnectorAddresses } from '#listener'
import { clientWith, send } from './client.ts'
import { exchangeFor } from './exchange.ts'
import { threadEntry } from './thread-entry.ts'

/** Calls that wait for one connection, and fail as they start. */
export interface WaitingCalls {
  readonly url: string
  readonly calls: number
  readonly http2: NonNullable<ClientSettings['http2']> | null
  /** `loop`: the server is a connector of the gateway; `body`: the body of the request fails at once. */
  readonly failure: 'loop' | 'body'
}

/** Number of calls by how they ended: their error code, or their status. */
export type Outcomes = Readonly<Record<string, number>>

/** Sends all calls in a thread of their own; rejects where they end the thread. */
export async function outcomesInThread(work: WaitingCalls): Promise<Outcomes> {
  const worker = new Worker(threadEntry(import.meta.url), { workerData: { waitingCalls: work }, name: 'waiting calls' })
  try {
    const [outcomes] = (await once(worker, 'message')) as [Outcomes]
    return outcomes
  } finally {
    await worker.terminate()
  }
}

async function run({ url, calls, http2, failure }: WaitingCalls): Promise<Outcomes> {
  const { port } = new URL(url)
  // Not released: it ends with its thread.
  const client = clientWith({
    connections: 1,
    connectionTimeout: 60_000,
    maxWaitQueueSize: calls,
    http2,
    ownListeners:
      failure === 'loop' ? new ConnectorAddresses([{ host: '0.0.0.0', ports: [Number(port)] }], null) : null,
  })
  const failing = () => Body.fromSource({ start: (sink) => sink.fail(new Error('gone')), resume() {}, cancel() {} })
  const parts = () => (failure === 'loop' ? {} : { body: failing() })
  const outcomes: Record<string, number> = {}
  const count = (outcome: string) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  await Promise.all(
    Array.from({ length: calls }, () =>
      send(client, exchangeFor('POST', url, parts())).then(
        ({ status }) => count(String(status)),
        ({ code, message }) => count(code ?? message),
      ),
    ),
  )
  return outcomes
}

if (!isMainThread && workerData?.waitingCalls !== undefined) parentPort!.postMessage(await run(workerData.waitingCalls))
