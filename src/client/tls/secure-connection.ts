import { isIP, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { identityProblem } from '#contracts'
import { sharedLookup } from '../shared-lookup.ts'
import type { OutboundContext, OutboundContexts } from './outbound-context.ts'

/** The server's certificate was rejected. */
class ServerIdentityError extends Error {
  override readonly name = 'ServerIdentityError'
  readonly code = 'GW_TLS_IDENTITY'
}

/** Target of a connection. */
interface SecureTarget {
  readonly hostname: string
  readonly port: number
  readonly localAddress?: string | null
  /** The tunnel to use; null for a new connection. */
  readonly through?: Socket | null
}

/**
 * Opens TLS connections to one server with session resumption. A resumed session does not present the certificate again,
 * so that sessions are only reused with the keys and trust they were established with.
 */
export class SecureConnections {
  readonly #contexts: OutboundContexts
  readonly #offers: readonly string[]
  #session: { readonly ticket: Buffer; readonly context: OutboundContext } | null = null

  constructor(contexts: OutboundContexts, offers: readonly string[]) {
    this.#contexts = contexts
    this.#offers = offers
  }

  /** Connects; calls `opened` after the certificate is verified, or `failed`. */
  async open(target: SecureTarget, events: SecureEvents): Promise<void> {
    const { tls } = this.#contexts
    const current = await this.#contexts.current()
    const { context, verifiesChain } = current
    const { hostname, port, localAddress, through } = target
    if (events.isOver()) {
      through?.destroy()
      return
    }
    const socket = connect({
      ...(through
        ? { socket: through }
        : { host: hostname, port, lookup: sharedLookup, ...(localAddress ? { localAddress } : {}) }),
      ...(isIP(hostname) === 0 ? { servername: hostname.replace(/\.$/, '') } : {}),
      ...(tls.alpn || this.#offers.includes('h2') ? { ALPNProtocols: [...this.#offers] } : {}),
      ...(this.#session?.context === current ? { session: this.#session.ticket } : {}),
      secureContext: context,
      rejectUnauthorized: verifiesChain,
      // Node skips its name check where the chain is not verified; ours is below.
      checkServerIdentity: () => undefined,
    })
    events.started(socket)
    socket.setKeepAlive(true, 60_000)
    socket.setNoDelay(true)
    socket.once('error', (error) => events.failed(verifiesChain ? explained(error, socket) : error))
    let isKnown = false
    let ticket: Buffer | undefined
    socket.on('session', (session) => {
      ticket = session
      if (isKnown) this.#session = { ticket, context: current }
    })
    socket.once('secureConnect', () => {
      const problem = tls.hostnames === 'STRICT' ? problemOf(socket, hostname) : null
      if (problem !== null) {
        socket.destroy(new ServerIdentityError(problem))
        return
      }
      isKnown = true
      if (ticket !== undefined) this.#session = { ticket, context: current }
      events.opened(socket)
    })
  }
}

/** The error for a certificate that Node has rejected, as for one with another name; other errors are unchanged. */
function explained(error: Error, { authorizationError }: TLSSocket): Error {
  if (!authorizationError || error instanceof ServerIdentityError) return error
  // The advice of Node is about its own options.
  const reason = error.message.replace(/; if the root CA.*$/, '')
  return new ServerIdentityError(`the certificate of the server is rejected: ${reason} (${String(authorizationError)})`)
}

/** Only sessions whose certificate was accepted are cached. */
function problemOf(socket: TLSSocket, hostname: string): string | null {
  return socket.isSessionReused() ? null : identityProblem(hostname, socket.getPeerX509Certificate())
}

/** Callbacks of an attempt to connect. */
export interface SecureEvents {
  /** Whether the attempt was cancelled or timed out. */
  isOver(): boolean
  started(socket: TLSSocket): void
  opened(socket: TLSSocket): void
  failed(error: Error): void
}
