// A bounded rate of requests through the load balancer, on kept and on new connections, and what became of each.
import { Agent, request } from 'node:http'
import { SERVED_BY } from './haproxy.ts'
import { percentile } from './percentile.ts'

const TICK = 50
/** Requests a second. */
const RATE = 200
/** A socket that is idle for longer may be closed by the load balancer in the same moment as it is used. */
const IDLE_TIME = 10_000
/** Milliseconds: `timeout server` of the load balancer, and some more. */
const LONGEST_RESPONSE = 65_000
/** Beyond it requests are not sent but counted. */
const MAX_IN_FLIGHT = 3_000
/** How long after SIGKILL the sockets of a process may still take requests: it ends when a processor is free for it. */
const END_OF_PROCESS = 500

/** One failed request. */
interface Failure {
  readonly begin: number
  readonly end: number
  readonly what: string
  /** The server that the load balancer asked; null where the connection ended. */
  readonly server: string | null
}

/** The load of the whole run. */
export class SteadyLoad implements AsyncDisposable {
  readonly #port: number
  readonly #agent = new Agent({ keepAlive: true, timeout: IDLE_TIME, maxFreeSockets: 64 })
  readonly #timer: NodeJS.Timeout
  readonly #kills: { readonly server: string; readonly at: number }[] = []
  readonly #failures: Failure[] = []
  #checked = 0
  #inFlight = 0
  /** Requests that a killed process had. */
  insideKilled = 0
  sent = 0
  skipped = 0
  readonly latencies: number[] = []
  readonly byServer = new Map<string, number>()

  constructor(port: number) {
    this.#port = port
    let owed = 0
    let last = performance.now()
    this.#timer = setInterval(() => {
      const now = performance.now()
      owed = Math.min(owed + ((now - last) * RATE) / 1000, RATE)
      last = now
      for (; owed >= 1; owed--) this.#send()
    }, TICK)
  }

  /** A gateway was killed now: requests that it had may fail. */
  killed(server: string): void {
    this.#kills.push({ server, at: performance.now() })
  }

  /** Failures since the last call that no kill explains, as texts. */
  unexplained(): string[] {
    const found = this.#failures.slice(this.#checked)
    this.#checked = this.#failures.length
    return found
      .filter((failure) => !this.#isExplained(failure))
      .map(
        ({ begin, end, what, server }) =>
          `${what} by ${server ?? 'no server'} at ${time(begin)} after ${time(end - begin)}`,
      )
  }

  get summary(): string {
    const { latencies, sent, skipped, insideKilled } = this
    const servers = [...this.byServer].map(([name, count]) => `${name} ${count}`).join(', ')
    const [median, most, max] = [0.5, 0.99, 1].map((share) => percentile(latencies, share).toFixed(0))
    return `${sent} requests (${servers}), ${this.#failures.length} failed, of them ${insideKilled} inside a killed gateway; ${skipped} not sent; latency p50 ${median} ms, p99 ${most} ms, max ${max} ms`
  }

  #isExplained({ begin, end, server }: Failure): boolean {
    const isExplained = this.#kills.some(
      (kill) => (server === null || server === kill.server) && begin < kill.at + END_OF_PROCESS && end >= kill.at,
    )
    if (isExplained) this.insideKilled++
    return isExplained
  }

  #send(): void {
    if (this.#inFlight >= MAX_IN_FLIGHT) return void this.skipped++
    const keeps = this.sent++ % 2 === 0
    const begin = performance.now()
    this.#inFlight++
    received(this.#port, keeps ? this.#agent : null)
      .then(
        ({ status, server, text }) => {
          this.latencies.push(performance.now() - begin)
          this.byServer.set(server, (this.byServer.get(server) ?? 0) + 1)
          if (status !== 200 || text !== 'load') this.#failed(begin, `status ${status}`, server)
        },
        (error: Error) => this.#failed(begin, (error as NodeJS.ErrnoException).code ?? error.message, null),
      )
      .finally(() => {
        this.#inFlight--
      })
  }

  #failed(begin: number, what: string, server: string | null): void {
    this.#failures.push({ begin, end: performance.now(), what, server })
  }

  /** Waits for the requests that are on their way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    const end = performance.now() + 30_000
    while (this.#inFlight > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 50))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    this.#agent.destroy()
  }
}

/** A complete response, within the time that the load balancer allows a server. */
function received(port: number, agent: Agent | null): Promise<{ status: number; server: string; text: string }> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(LONGEST_RESPONSE)
    const options = { host: '127.0.0.1', port, path: '/load', agent: agent ?? false, signal }
    const sent = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, server: String(response.headers[SERVED_BY] ?? ''), text }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

function time(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`
}
