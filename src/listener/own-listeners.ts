import { networkInterfaces } from 'node:os'
import { plainAddress, withoutBrackets } from '#http'
import type { OwnListeners } from '#schema'

interface Bound {
  readonly host: string
  readonly port: number
}

const ANY: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1)$/

/** Addresses of the traffic connectors, to detect outbound connections to the gateway itself. */
export class TrafficListeners implements OwnListeners {
  #bound: readonly Bound[]

  /** Port 0, not opened yet, matches nothing. */
  constructor(connectors: readonly { readonly host: string; readonly ports: readonly number[] }[]) {
    this.#bound = connectors.flatMap(({ host, ports }) => ports.map((port) => ({ host: addressOf(host), port })))
  }

  /** The opened ports, in the order of the connectors. */
  opened(ports: readonly number[]): void {
    this.#bound = this.#bound.map(({ host, port }, at) => ({ host, port: ports[at] ?? port }))
  }

  includes(address: string, port: number): boolean {
    const plain = plainAddress(address)
    return port > 0 && this.#bound.some((bound) => bound.port === port && reaches(bound.host, plain))
  }

  named(host: string, port: number): boolean {
    return this.includes(addressOf(host), port)
  }
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
