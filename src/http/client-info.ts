/** What is known of the peer. */
export interface ClientInfo {
  readonly remoteAddress: string
  readonly remotePort: number
  readonly remoteUser: string | null
  readonly localAddress: string
  readonly localPort: number
  readonly certificates: readonly unknown[]
  readonly userAgent: string | null
  readonly secure: boolean
  readonly external: boolean
}

const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i

/** One spelling for the address of a socket: IPv4 seen through an IPv6 socket is IPv4 (threats B20). */
export function plainAddress(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address
}
