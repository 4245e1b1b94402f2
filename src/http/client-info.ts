/** The client of an exchange. */
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

/** Normalizes the address of a socket: IPv4-mapped IPv6 becomes IPv4 (threats B20). */
export function plainAddress(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address
}
