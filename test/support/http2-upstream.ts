import { once } from 'node:events'
import {
  createSecureServer,
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerOptions,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Issued } from './certificates.ts'

/** An HTTP/2 server of a test on a free loopback port, closed at the end of its scope. */
export interface Http2Upstream extends AsyncDisposable {
  readonly url: string
  /** HTTP/2 connections that are open now. */
  readonly sessions: ReadonlySet<ServerHttp2Session>
  /** HTTP/2 connections since the start. */
  readonly accepted: number
}

type Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => void

/** HTTP/2 over TLS; HTTP/1.1 too, by option. */
export function secureHttp2Upstream(
  { key, certificate }: Pick<Issued, 'key' | 'certificate'>,
  listener: Listener,
  options: SecureServerOptions = {},
): Promise<Http2Upstream> {
  return listening(createSecureServer({ key, cert: certificate, ...options }, listener), 'https')
}

/** HTTP/2 without TLS. */
export function clearHttp2Upstream(listener: Listener, options: ServerOptions = {}): Promise<Http2Upstream> {
  return listening(createServer(options, listener), 'http')
}

async function listening(server: Http2Server, scheme: string): Promise<Http2Upstream> {
  const sessions = new Set<ServerHttp2Session>()
  let accepted = 0
  server.on('session', (session) => {
    accepted++
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => {})
  })
  server.on('sessionError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `${scheme}://localhost:${(server.address() as AddressInfo).port}`,
    sessions,
    get accepted() {
      return accepted
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
