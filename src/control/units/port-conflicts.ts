import type { ConnectorSettings } from '#contracts'
import { ConfigError, type Problem } from '#schema'
import { listeningAddress } from './listening-address.ts'

type Ports = Pick<ConnectorSettings, 'host' | 'ports'>

/**
 * Management must never share a port with traffic, nor may two traffic listeners share one: ports are opened with
 * SO_REUSEPORT, so that the system would accept it and distribute connections over both. Throws ConfigError.
 */
export async function checkPortConflicts(connectors: readonly Ports[], admin: Ports): Promise<void> {
  const [adminPort] = admin.ports
  const problems: Problem[] = []
  const taken: { readonly port: number; readonly address: string }[] = []
  for (const [at, { ports, host }] of connectors.entries()) {
    const address = await listeningAddress(host)
    for (const port of ports) {
      if (port === 0) continue
      const pointer = `/connectors/${at}/port`
      if (port === adminPort) {
        problems.push({ pointer, message: `port ${port} is the management port; traffic needs another` })
      } else if (taken.some((other) => other.port === port && overlap(other.address, address))) {
        problems.push({ pointer, message: `port ${port} of ${host} is configured twice; name it once` })
      }
      taken.push({ port, address })
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
}

const EVERY_ADDRESS = new Set(['0.0.0.0', '[::]'])

function overlap(address: string, other: string): boolean {
  return address === other || EVERY_ADDRESS.has(address) || EVERY_ADDRESS.has(other)
}
