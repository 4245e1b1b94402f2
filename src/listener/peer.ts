import { BlockList, isIP, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { plainAddress } from '#http'
import { clientCertificates } from './tls/client-certificates.ts'

/** The remote end of a connection. */
export interface Peer {
  readonly address: string
  readonly port: number
  readonly localAddress: string
  readonly localPort: number
  readonly scheme: 'http' | 'https'
  /** Version of TLS; null for cleartext. */
  readonly tls: string | null
  readonly trust: 'trusted' | 'untrusted'
  /** Certificate chain of the client, its own first. */
  readonly certificates: readonly unknown[]
}

const NO_CERTIFICATES: readonly unknown[] = []

/** Proxies whose forwarding headers are trusted. */
export class TrustedProxies {
  readonly #list: BlockList | null

  constructor(blocks: readonly string[]) {
    this.#list = blocks.length === 0 ? null : blocks.reduce(addBlock, new BlockList())
  }

  has(address: string): boolean {
    if (this.#list === null) return false
    const family = isIP(address)
    return family !== 0 && this.#list.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}

function addBlock(list: BlockList, block: string): BlockList {
  const [address = '', bits, ...rest] = block.trim().split('/')
  const family = isIP(address)
  const width = family === 6 ? 128 : 32
  const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
  if (family === 0 || rest.length > 0 || prefix < 0 || prefix > width) {
    throw new TypeError(
      `trustedProxies: expected an address or a block such as "10.0.0.0/8", got ${JSON.stringify(block)}`,
    )
  }
  list.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4')
  return list
}

/** The peer of a new connection; all its requests share it. */
export function peerOf(socket: Socket, trusted: TrustedProxies): Peer {
  const address = plainAddress(socket.remoteAddress ?? '')
  const isSecure = socket instanceof TLSSocket
  return {
    address,
    port: socket.remotePort ?? 0,
    localAddress: plainAddress(socket.localAddress ?? ''),
    localPort: socket.localPort ?? 0,
    scheme: isSecure ? 'https' : 'http',
    tls: isSecure ? socket.getProtocol() : null,
    trust: trusted.has(address) ? 'trusted' : 'untrusted',
    certificates: isSecure ? clientCertificates(socket) : NO_CERTIFICATES,
  }
}
