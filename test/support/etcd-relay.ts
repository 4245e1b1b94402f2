import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EtcdMember } from './etcd.ts'

/** A request of a client: the path behind `/v3/`, and its message. */
export interface RelayedRequest {
  readonly path: string
  readonly body: string
  /** Keys that it puts, decoded. */
  readonly puts: readonly string[]
}

/**
 * - `pass`: forwarded, and its response too.
 * - `lose-request`: the connection is closed before the member gets it.
 * - `lose-response`: the member gets it, and the connection is closed in place of its response.
 */
export type Fate = 'pass' | 'lose-request' | 'lose-response'

/** A relay in front of a member, which counts requests and bytes, and loses what a test decides. Not for watches. */
export class EtcdRelay implements AsyncDisposable {
  readonly url: string
  readonly requests: RelayedRequest[] = []
  /** Requests to which the member has responded. */
  readonly answered = new Set<RelayedRequest>()
  /** Bytes of response bodies. */
  received = 0
  /** Bytes of request bodies. */
  sent = 0
  /** May delay a request by its promise. */
  fateOf: (request: RelayedRequest) => Fate | Promise<Fate> = () => 'pass'
  readonly #server: Server
  readonly #member: EtcdMember

  private constructor(server: Server, member: EtcdMember) {
    this.#server = server
    this.#member = member
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
      this.#relay(incoming, response).catch(() => incoming.socket.destroy())
    })
  }

  static async start(member: EtcdMember): Promise<EtcdRelay> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new EtcdRelay(server, member)
  }

  /** Forgets what was counted. */
  reset(): void {
    this.requests.length = 0
    this.answered.clear()
    this.received = 0
    this.sent = 0
  }

  async #relay(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await collected(incoming)
    const relayed = { path: (incoming.url ?? '').replace('/v3/', ''), body: String(body), puts: putsIn(body) }
    this.requests.push(relayed)
    this.sent += body.length
    const fate = await this.fateOf(relayed)
    if (fate === 'lose-request') return void incoming.socket.destroy()
    const outgoing = request(`${this.#member.url}${incoming.url}`, { method: 'POST' }).end(body)
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    const data = await collected(answer)
    this.answered.add(relayed)
    if (fate === 'lose-response') return void incoming.socket.destroy()
    this.received += data.length
    response.writeHead(answer.statusCode ?? 500, { 'content-type': 'application/json' }).end(data)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

async function collected(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream))
}

function putsIn(body: Buffer): string[] {
  const { success = [] } = JSON.parse(String(body)) as { success?: { request_put?: { key: string } }[] }
  return success.flatMap(({ request_put }) => (request_put ? [Buffer.from(request_put.key, 'base64').toString()] : []))
}
