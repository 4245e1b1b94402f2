import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { equalsConstantTime } from '#http'
import { crestError, type EndpointResponse } from '../http/endpoint-response.ts'
import { readBody, readJsonObject } from '../http/request-body.ts'
import { send } from '../http/sending.ts'
import { randomToken } from '../state/identifiers.ts'
import { CONTROL_ACTIONS, type Controllable } from './control-actions.ts'

const MOST_BYTES = 256 * 1024

/** The control API on a separate port of the loopback interface, for tests in another process. */
export class ControlServer {
  readonly url: string
  /** Bearer token of callers, unknown to pages in a browser on this host. */
  readonly token: string
  readonly #server: Server

  private constructor(server: Server, token: string) {
    this.#server = server
    this.token = token
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async start(port: number, manager: Controllable): Promise<ControlServer> {
    const token = randomToken()
    const server = createServer({ requestTimeout: 30_000 }, (request, response) => {
      response.on('error', () => {})
      answer(request, manager, token).then(
        (given) => send(response, given),
        () => response.destroy(),
      )
    })
    server.maxConnections = 64
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return new ControlServer(server, token)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

async function answer(request: IncomingMessage, manager: Controllable, token: string): Promise<EndpointResponse> {
  const body = await readBody(request, MOST_BYTES)
  if (!equalsConstantTime(`Bearer ${token}`, request.headers.authorization ?? ''))
    return crestError(401, 'Access Denied')
  if (body === null) return crestError(413, 'The request body is too long')
  const given = readJsonObject(body)
  if (given === null) return crestError(400, 'The request body is not a JSON object')
  const { pathname } = new URL(request.url ?? '/', 'http://control')
  const exact = `${request.method} ${pathname}`
  const at = exact.lastIndexOf('/')
  const key = Object.hasOwn(CONTROL_ACTIONS, exact) ? exact : `${exact.slice(0, at)}/{}`
  const action = Object.hasOwn(CONTROL_ACTIONS, key) ? CONTROL_ACTIONS[key] : undefined
  if (action === undefined)
    return crestError(404, `no such action; there are: ${Object.keys(CONTROL_ACTIONS).join(', ')}`)
  try {
    return await action(manager, given, decodeURIComponent(exact.slice(at + 1)))
  } catch (error) {
    return crestError(400, (error as Error).message)
  }
}
