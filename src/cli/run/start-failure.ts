import type { AdminSettings } from '#control'

const LISTEN = /listen (E[A-Z]+):.*? (\S+):(\d+)$/

/** Reason and remedy of a failed start; null for other errors. */
export function startFailure(error: unknown, { admin }: Pick<AdminSettings, 'admin'>): string | null {
  const message = error instanceof Error ? error.message : String(error)
  const [, code, host, port] = LISTEN.exec(message) ?? []
  if (code === undefined) return null
  const field = admin.ports.includes(Number(port)) ? 'adminConnector.port' : 'connectors[].port'
  const change = `change ${field} in config/admin.json (0 takes a free port)`
  if (code === 'EADDRINUSE') {
    const shared = admin.ports.includes(Number(port))
      ? 'is in use by another gateway; stop that, or replace it with --take-over'
      : 'is in use by another gateway; stop that, replace it with --take-over, set shareTrafficPorts to true where both are to serve it'
    if (message.includes('shared by another gateway')) return `port ${port} on ${host} ${shared}, or ${change}`
    return `port ${port} on ${host} is in use by another process; stop that, or ${change}`
  }
  if (code === 'EACCES') {
    const capability =
      'ports below 1024 need the capability CAP_NET_BIND_SERVICE (AmbientCapabilities of systemd, capabilities.add of a container)'
    return `port ${port} on ${host} needs more rights than this user has: ${capability}; grant it, or ${change}`
  }
  if (code === 'EADDRNOTAVAIL') return `this machine has no address ${host}; change the connector's host`
  return null
}
