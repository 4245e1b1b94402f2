import { Agent } from 'node:http'
import { parseSetCookie } from '#http'
import { sendRequest } from './send-request.ts'

/** A route that counts the requests of each session, at `/counter`. */
export const COUNTER = {
  condition: "${request.uri.path == '/counter'}",
  handler: {
    type: 'Chain',
    config: {
      filters: [
        {
          type: 'AssignmentFilter',
          config: {
            onRequest: [{ target: '${session.count}', value: '${empty session.count ? 1 : session.count + 1}' }],
          },
        },
      ],
      handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'count ${session.count}' } },
    },
  },
}

/** A client with its session; null where a response was lost, after which the count is one of two. */
interface Visitor {
  readonly cookie: string
  count: number | null
}

/** Milliseconds between two requests of a connection. */
const PAUSE = 2

/** Clients that each have a session, and know how often they have used it. */
export class SessionVisitors implements Disposable {
  readonly #url: string
  readonly #agent: Agent
  readonly #visitors: Visitor[] = []
  readonly #running: Promise<void>[] = []
  #isOver = false
  requests = 0
  /** Requests without a response, since the connection was closed. */
  lost = 0
  /** Milliseconds of the slowest response. */
  slowest = 0
  /** The first responses with another count, and their number. */
  readonly wrong: string[] = []
  wrongCount = 0

  private constructor(port: number, connections: number) {
    this.#url = `http://127.0.0.1:${port}/counter`
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** Begins sessions. */
  static async begin(port: number, sessions: number, connections = 16): Promise<SessionVisitors> {
    const made = new SessionVisitors(port, connections)
    let left = sessions
    const create = async () => {
      while (left-- > 0) {
        const { headers, text } = await sendRequest(made.#url, { agent: made.#agent })
        const { name, value } = parseSetCookie(String(headers['set-cookie']))
        if (text !== 'count 1') made.#isWrong(`a new session has ${text}`)
        made.#visitors.push({ cookie: `${name}=${value}`, count: 1 })
      }
    }
    await Promise.all(Array.from({ length: connections }, create))
    return made
  }

  /** Visits sessions in any order, over some connections, until `stop`. */
  start(connections = 4): void {
    for (let at = 0; at < connections; at++) {
      const own = this.#visitors.filter((_, index) => index % connections === at)
      this.#running.push(
        (async () => {
          while (!this.#isOver) {
            await this.#visit(own[Math.floor(Math.random() * own.length)] as Visitor)
            await new Promise((resolve) => setTimeout(resolve, PAUSE))
          }
        })(),
      )
    }
  }

  /** Ends the requests, and visits each session once more. */
  async stop(connections = 16): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#running)
    const left = [...this.#visitors]
    const check = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) await this.#visit(next)
    }
    await Promise.all(Array.from({ length: connections }, check))
  }

  get report(): string {
    const { requests, lost, slowest, wrongCount } = this
    return `${requests} requests, ${wrongCount} with another count, ${lost} without a response, the slowest after ${slowest.toFixed(0)} ms`
  }

  async #visit(visitor: Visitor): Promise<void> {
    const began = performance.now()
    this.requests++
    try {
      const { text } = await sendRequest(this.#url, { agent: this.#agent, headers: { Cookie: visitor.cookie } })
      const count = Number(/^count (\d+)$/.exec(text)?.[1] ?? 0)
      if (count !== (visitor.count ?? count - 1) + 1 || count === 0)
        this.#isWrong(`expected count ${(visitor.count ?? 0) + 1}, got ${text.slice(0, 80)}`)
      visitor.count = count
    } catch {
      this.lost++
      visitor.count = null
    }
    this.slowest = Math.max(this.slowest, performance.now() - began)
  }

  #isWrong(what: string): void {
    this.wrongCount++
    if (this.wrong.length < 10) this.wrong.push(what)
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}
