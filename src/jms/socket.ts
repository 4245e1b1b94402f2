import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, TLSSocket } from 'node:tls'
import { identityProblem, type TlsPlan } from '#contracts'
import { JmsError, reasonOf } from './jms-error.ts'
import type { Endpoint, EndpointTls } from './producer-plan.ts'

const MIN_VERSION = 'TLSv1.2'

/** Opens a connection to a broker, with TLS where the endpoint asks for it. Rejects with JmsError. */
export function openSocket(endpoint: Endpoint, tls: TlsPlan | null, signal: AbortSignal): Promise<Socket> {
  const { host, port, connectTimeout: timeout } = endpoint
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  if (signal.aborted) return Promise.reject(new JmsError('aborted'))
  let socket: Socket
  try {
    socket =
      endpoint.tls === null
        ? connect({ host, port })
        : connectTls({ host, port, ...tlsOptions(endpoint, endpoint.tls, tls) })
  } catch (error) {
    // Keys, certificates and suites that OpenSSL does not accept.
    return Promise.reject(new JmsError(reasonOf(error), { cause: error }))
  }
  const timer = setTimeout(() => fail(new JmsError(`no connection within ${timeout} ms`)), timeout)
  const onAbort = (): void => fail(new JmsError('aborted'))
  const onError = (error: Error): void => fail(new JmsError(reasonOf(error), { cause: error }))
  const onClose = (): void => fail(new JmsError('the connection was closed before it was ready'))
  const event = endpoint.tls === null ? 'connect' : 'secureConnect'
  const settle = (): void => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    socket.off('error', onError).off('close', onClose).off(event, onReady)
  }
  const fail = (error: JmsError): void => {
    settle()
    // An error may still follow, and must not become an uncaught one.
    socket.on('error', () => {})
    socket.destroy()
    reject(error)
  }
  const onReady = (): void => {
    const problem = socket instanceof TLSSocket ? problemOf(endpoint, tls, socket) : null
    if (problem !== null) {
      fail(new JmsError(problem))
      return
    }
    settle()
    socket.setNoDelay(true)
    resolve(socket)
  }
  signal.addEventListener('abort', onAbort)
  socket.on('error', onError).on('close', onClose).on(event, onReady)
  return promise
}

/** Options of TLS to an endpoint: those in its address over those of the plan. */
function tlsOptions(endpoint: Endpoint, address: EndpointTls, plan: TlsPlan | null): ConnectionOptions {
  const { key, cert, ca, allowPartialTrustChain, rejectUnauthorized = true } = plan ?? {}
  const ciphers = address.ciphers ?? plan?.ciphers ?? null
  const maxVersion = address.maxVersion ?? plan?.maxVersion
  return {
    ...(key === undefined ? {} : { key: [...key] }),
    ...(cert === undefined ? {} : { cert: [...cert] }),
    ...(ca === undefined ? {} : { ca: [...ca] }),
    ...(allowPartialTrustChain === undefined ? {} : { allowPartialTrustChain }),
    ...(isIP(endpoint.host) === 0 ? { servername: endpoint.host } : {}),
    ...(ciphers === null ? {} : { ciphers }),
    ...(maxVersion === undefined ? {} : { maxVersion }),
    minVersion: address.minVersion ?? plan?.minVersion ?? MIN_VERSION,
    rejectUnauthorized,
    checkServerIdentity: () => undefined,
  }
}

/** Why the certificate is not that of the host; null where it is. Node compares them only with `rejectUnauthorized`. */
function problemOf({ host, tls }: Endpoint, plan: TlsPlan | null, socket: TLSSocket): string | null {
  if (!(tls?.verifyHostName ?? plan?.checkServerIdentity ?? true)) return null
  return identityProblem(host, socket.getPeerX509Certificate())
}
