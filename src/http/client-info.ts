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

/** A client for limits by address: the /64 of an IPv6 address, since networks are assigned as /64 at least; other addresses as they are. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0')
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':')
}
