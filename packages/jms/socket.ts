import type { X509Certificate } from 'node:crypto'
import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, TLSSocket } from 'node:tls'
import { JmsError, reasonOf } from './jms-error.ts'
import type { ProducerEnv } from './producer.ts'
import type { Endpoint, EndpointTls, ProducerTls } from './producer-plan.ts'

const MIN_VERSION = 'TLSv1.2'

/** Opens a connection to a broker, with TLS where the endpoint asks for it. Rejects with JmsError. */
export function openSocket(
  endpoint: Endpoint,
  tls: ProducerTls | null,
  { identityProblem = unnamed }: Pick<ProducerEnv, 'identityProblem'>,
  signal: AbortSignal,
): Promise<Socket> {
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
    const isChecked = endpoint.tls?.verifyHostName ?? tls?.checkServerIdentity ?? true
    // Node compares them only with `rejectUnauthorized`.
    const problem =
      isChecked && socket instanceof TLSSocket ? identityProblem(host, socket.getPeerX509Certificate()) : null
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
function tlsOptions(endpoint: Endpoint, address: EndpointTls, plan: ProducerTls | null): ConnectionOptions {
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

/** Why the certificate does not have the host among its alternative names. */
function unnamed(host: string, certificate: X509Certificate | undefined): string | null {
  if (certificate === undefined) return 'the server showed no certificate'
  const named = isIP(host) === 0 ? certificate.checkHost(host, { subject: 'never' }) : certificate.checkIP(host)
  return named === undefined ? `the certificate of the server does not name "${host}"` : null
}
