import { BlockList, isIP, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { plainAddress } from '#http'
import { clientCertificates } from './tls/client-certificates.ts'

/** Who is at the other end of a connection, as far as the socket tells. */
export interface Peer {
  readonly address: string
  readonly port: number
  readonly localAddress: string
  readonly localPort: number
  readonly scheme: 'http' | 'https'
  readonly trust: 'trusted' | 'untrusted'
  /** What the client has shown in the handshake, its own certificate first. */
  readonly certificates: readonly unknown[]
}

const NO_CERTIFICATES: readonly unknown[] = []

/** The proxies whose word about the client is believed. */
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

/** Looks at a fresh connection once; every request on it shares the answer. */
export function peerOf(socket: Socket, trusted: TrustedProxies): Peer {
  const address = plainAddress(socket.remoteAddress ?? '')
  const isSecure = socket instanceof TLSSocket
  return {
    address,
    port: socket.remotePort ?? 0,
    localAddress: plainAddress(socket.localAddress ?? ''),
    localPort: socket.localPort ?? 0,
    scheme: isSecure ? 'https' : 'http',
    trust: trusted.has(address) ? 'trusted' : 'untrusted',
    certificates: isSecure ? clientCertificates(socket) : NO_CERTIFICATES,
  }
}
