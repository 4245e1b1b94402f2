// A thread that generates load over keep-alive connections and checks every response.
import { Agent, type IncomingHttpHeaders } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import { answerOf, H2Client } from './h2-client.ts'
import { sendRequest } from './send-request.ts'
import { within } from './waiting.ts'

/** One kind of request with its expected response. */
export interface LoadTarget {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The expected response as `status version body`; a regular expression. */
  readonly expected: string
}

/** Settings of a load. */
export interface LoadSettings {
  /** With `https` requests use HTTP/2. */
  readonly url: string
  readonly connections: number
  /** Whether each request opens a new connection; HTTP/1.1 only. */
  readonly reconnects?: boolean
  /** Time-out of a request in milliseconds. */
  readonly timeout?: number
  readonly targets: readonly LoadTarget[]
}

/** The results of a load. */
export interface LoadResult {
  readonly requests: number
  /** The first unexpected responses, and their number. */
  readonly wrong: readonly string[]
  readonly wrongCount: number
  /** Milliseconds of the slowest response. */
  readonly slowest: number
}

/** A running load. */
export class Load implements AsyncDisposable {
  readonly #worker: Worker

  constructor(settings: LoadSettings) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: settings, name: 'load' })
  }

  /** Waits for the in-flight requests, and returns the counts. */
  async stop(): Promise<LoadResult> {
    const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()
    this.#worker.once('message', resolve)
    this.#worker.once('error', reject)
    this.#worker.postMessage('stop')
    return within('the load stopped', promise)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}

/** Milliseconds between two requests of a connection: some requests are always in flight, and most of the machine is for the tested ones. */
const PAUSE = 2

const LONGEST_TIMER = 2 ** 31 - 1

/** One connection of a load. */
interface LoadConnection {
  send(target: LoadTarget): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>
  close(): void
}

function http1Connection({ url, timeout = LONGEST_TIMER, reconnects = false }: LoadSettings): LoadConnection {
  const agent = new Agent({ keepAlive: !reconnects, maxSockets: 1 })
  return {
    send: ({ path, expected: _, ...asking }) =>
      sendRequest(url + path, {
        ...asking,
        agent,
        ...(timeout < LONGEST_TIMER ? { signal: AbortSignal.timeout(timeout) } : {}),
      }),
    close: () => agent.destroy(),
  }
}

function http2Connection({ url, timeout = LONGEST_TIMER }: LoadSettings): LoadConnection {
  const open = () => new H2Client(Number(new URL(url).port))
  let client = open()
  return {
    send: ({ path, expected: _, ...asking }) => {
      if (client.session.destroyed || client.session.closed) client = open()
      const stream = client.open(path, asking)
      const late = setTimeout(() => stream.destroy(new Error(`timeout of ${timeout} ms`)), timeout)
      return answerOf(stream).finally(() => clearTimeout(late))
    },
    close: () => client.session.destroy(),
  }
}

async function run(settings: LoadSettings, port: MessagePort): Promise<void> {
  const { url, connections, targets } = settings
  const judged = targets.map((target) => ({ target, expected: new RegExp(target.expected) }))
  const connect = url.startsWith('https:') ? http2Connection : http1Connection
  const wrong: string[] = []
  let [requests, wrongCount, slowest, stopped] = [0, 0, 0, false]
  port.once('message', () => {
    stopped = true
  })
  const client = async (first: number): Promise<void> => {
    const connection = connect(settings)
    for (let turn = first; !stopped; turn++) {
      const { target, expected } = judged[turn % judged.length] as (typeof judged)[number]
      const began = performance.now()
      const answer = await connection.send(target).then(
        ({ status, headers, text }) => `${status} ${headers['x-version'] ?? '-'} ${text}`,
        (error: Error) => `no answer: ${error.message}`,
      )
      requests++
      slowest = Math.max(slowest, performance.now() - began)
      if (!expected.test(answer)) {
        wrongCount++
        if (wrong.length < 10) wrong.push(`${target.path}: ${answer.slice(0, 200)}`)
      }
      await pause(PAUSE)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, (_, at) => client(at)))
  port.postMessage({ requests, wrong, wrongCount, slowest } satisfies LoadResult)
}

if ((workerData as LoadSettings | null)?.targets !== undefined) {
  await run(workerData as LoadSettings, parentPort as MessagePort)
}
