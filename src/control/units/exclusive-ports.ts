import { once } from 'node:events'
import { createServer } from 'node:net'
import type { ConnectorSettings } from '#contracts'

type Ports = Pick<ConnectorSettings, 'host' | 'ports'>

interface PortSettings {
  readonly admin: Ports
  readonly unit: { readonly connectors: readonly Ports[] }
  readonly shareTrafficPorts: boolean
}

/**
 * Throws the system's error where another process listens on a port, or where this one may not. Ports are opened with
 * SO_REUSEPORT, which a second gateway of the same user could join: the system would then send it a part of the connections.
 */
export async function checkPortsAreFree({ admin, unit, shareTrafficPorts }: PortSettings): Promise<void> {
  const connectors = shareTrafficPorts ? [] : unit.connectors
  for (const { ports, host } of [admin, ...connectors]) {
    for (const port of ports) if (port !== 0) await checkPortIsFree(port, host)
  }
}

async function checkPortIsFree(port: number, host: string): Promise<void> {
  try {
    await open(port, host, false)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    // Succeeds only where the other process shares its port.
    await open(port, host, true).catch(() => {
      throw error
    })
    const message = `listen EADDRINUSE: address shared by another gateway ${host}:${port}`
    throw Object.assign(new Error(message, { cause: error }), { code: 'EADDRINUSE' })
  }
}

async function open(port: number, host: string, reusePort: boolean): Promise<void> {
  const server = createServer()
  server.listen({ port, host, reusePort })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}
