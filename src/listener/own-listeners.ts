import { networkInterfaces } from 'node:os'
import { plainAddress, withoutBrackets } from '#http'
import type { OwnListeners } from '#schema'

interface Bound {
  readonly host: string
  readonly port: number
}

const ANY: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1)$/

interface Connector {
  readonly host: string
  readonly ports: readonly number[]
}

/**
 * Addresses of the connectors, to detect outbound connections to the gateway itself. That of the management API is one of them: it
 * treats callers on loopback as local, and a client could otherwise reach it by a Host that names it (threats B12).
 */
export class ConnectorAddresses implements OwnListeners {
  #traffic: readonly Bound[]
  readonly #management: readonly Bound[]

  /** Port 0, not opened yet, matches nothing. */
  constructor(traffic: readonly Connector[], management: Connector | null) {
    this.#traffic = traffic.flatMap(boundBy)
    this.#management = management === null ? [] : boundBy(management)
  }

  /** The opened ports of traffic, in the order of the connectors. */
  opened(ports: readonly number[]): void {
    this.#traffic = this.#traffic.map(({ host, port }, at) => ({ host, port: ports[at] ?? port }))
  }

  includes(address: string, port: number): boolean {
    if (port <= 0) return false
    const plain = plainAddress(address)
    const isBound = (bound: Bound) => bound.port === port && reaches(bound.host, plain)
    return this.#traffic.some(isBound) || this.#management.some(isBound)
  }

  named(host: string, port: number): boolean {
    return this.includes(addressOf(host), port)
  }
}

function boundBy({ host, ports }: Connector): Bound[] {
  return ports.map((port) => ({ host: addressOf(host), port }))
}

function reaches(host: string, address: string): boolean {
  if (host === address) return true
  if (host === 'localhost') return LOOPBACK.test(address)
  if (address === 'localhost') return ANY.has(host) || LOOPBACK.test(host)
  return ANY.has(host) && (ANY.has(address) || LOOPBACK.test(address) || isOfThisMachine(address))
}

/** Not cached, since interfaces change; called only for ports of the gateway. */
function isOfThisMachine(address: string): boolean {
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some((each) => each.address === address))
}

function addressOf(host: string): string {
  return plainAddress(withoutBrackets(host).toLowerCase())
}
