// All parts of a run: OpenAM, the gateway in a process of its own, the application behind it, and a browser.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { pathToFileURL } from 'node:url'
import type { Authority } from '#test/certificates'
import type { Chromium } from '#test/chromium'
import { GatewayProcess } from '#test/gateway-process'
import { secureHeap } from '#test/secure-connector'
import { type ReceivedResponse, type RequestOptions, sendRequest } from '#test/send-request'
import { COOKIE } from './administrator.ts'
import { accessManagers, routes, SECRET_FILES, type Servers } from './routes.ts'
import type { OpenAm } from './server.ts'
import type { Addresses } from './set-up.ts'

/** A request received by the application. */
export interface ForwardedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Peers {
  readonly openam: OpenAm
  readonly gateway: GatewayProcess
  readonly at: Addresses
  /** Null if missing. */
  readonly chromium: Chromium | null
  /** A request to the gateway, with a session where one is given. */
  readonly ask: (path: string, session?: string | null, asking?: RequestOptions) => Promise<ReceivedResponse>
}

const NAMES = pathToFileURL(`${import.meta.dirname}/../../support/loopback-names.ts`).href

/** Responds with the request as JSON. */
export async function startApplication(): Promise<Server> {
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ url: request.url, headers: request.headers }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

export function startGateway(servers: Servers, authority: Authority): Promise<GatewayProcess> {
  const at = servers
  return GatewayProcess.start({
    env: { NODE_OPTIONS: `--import=${NAMES}` },
    files: {
      ...SECRET_FILES,
      'config/config.json': { heap: accessManagers(servers), handler: { type: 'Router' } },
    },
    routes: routes(servers),
    admin: {
      mode: 'DEVELOPMENT',
      logging: { level: 'debug' },
      connectors: [
        { port: Number(new URL(at.app).port), host: '127.0.0.1' },
        { port: Number(new URL(at.shop).port), host: '127.0.0.1', tls: 'https' },
      ],
      heap: secureHeap(authority.issue({ name: new URL(at.shop).hostname })),
    },
  })
}

/** Sends requests to the gateway as a browser navigation does. */
export function requestSender({ app }: Addresses): Peers['ask'] {
  return (path, session = null, { headers = {}, ...asking } = {}) =>
    sendRequest(app + path, {
      ...asking,
      headers: {
        'Sec-Fetch-Mode': 'navigate',
        ...(session !== null && { Cookie: `${COOKIE}=${session}` }),
        ...headers,
      },
    })
}

/** The forwarded request in a response of the application. */
export function forwardedRequest({ status, text, headers }: ReceivedResponse): ForwardedRequest {
  if (status === 200) return JSON.parse(text) as ForwardedRequest
  throw new Error(`expected the application's response, found ${status} ${headers.location ?? text.slice(0, 300)}`)
}
