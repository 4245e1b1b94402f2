// A thread that keeps a gateway busy over kept-alive connections and judges every answer.
import { Agent } from 'node:http'
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import { ask } from './ask.ts'

/** One kind of request: where it goes, and what its answer may be. */
export interface LoadTarget {
  readonly path: string
  /** The whole answer as `status version body`; a regular expression. */
  readonly expected: string
}

/** What a load is made of. */
export interface LoadSettings {
  readonly url: string
  readonly connections: number
  readonly targets: readonly LoadTarget[]
}

/** What came of a load. */
export interface LoadResult {
  readonly requests: number
  /** The first answers that were not as expected, and how many there were. */
  readonly wrong: readonly string[]
  readonly wrongCount: number
}

/** A running load. */
export class Load implements AsyncDisposable {
  readonly #worker: Worker

  constructor(settings: LoadSettings) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: settings, name: 'load' })
  }

  /** Lets the requests under way end, and gives the counts. */
  async stop(): Promise<LoadResult> {
    const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()
    this.#worker.once('message', resolve)
    this.#worker.once('error', reject)
    this.#worker.postMessage('stop')
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}

async function run({ url, connections, targets }: LoadSettings, port: MessagePort): Promise<void> {
  const judged = targets.map(({ path, expected }) => ({ path, expected: new RegExp(expected) }))
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const wrong: string[] = []
  let [requests, wrongCount, stopped] = [0, 0, false]
  port.once('message', () => {
    stopped = true
  })
  const client = async (first: number): Promise<void> => {
    for (let turn = first; !stopped; turn++) {
      const { path, expected } = judged[turn % judged.length] as (typeof judged)[number]
      const answer = await ask(url + path, { agent }).then(
        ({ status, headers, text }) => `${status} ${headers['x-version'] ?? '-'} ${text}`,
        (error: Error) => `no answer: ${error.message}`,
      )
      requests++
      if (expected.test(answer)) continue
      wrongCount++
      if (wrong.length < 10) wrong.push(`${path}: ${answer}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, at) => client(at)))
  agent.destroy()
  port.postMessage({ requests, wrong, wrongCount } satisfies LoadResult)
}

if ((workerData as LoadSettings | null)?.targets !== undefined) {
  await run(workerData as LoadSettings, parentPort as MessagePort)
}
