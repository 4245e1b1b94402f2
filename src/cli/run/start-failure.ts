import type { AdminSettings } from '#control'

const LISTEN = /listen (E[A-Z]+):.*? (\S+):(\d+)$/

/** Reason and remedy of a failed start; null for other errors. */
export function startFailure(error: unknown, { admin }: Pick<AdminSettings, 'admin'>): string | null {
  const message = error instanceof Error ? error.message : String(error)
  const [, code, host, port] = LISTEN.exec(message) ?? []
  if (code === undefined) return null
  const field = admin.ports.includes(Number(port)) ? 'adminConnector.port' : 'connectors[].port'
  const change = `change ${field} in config/admin.json (0 takes a free port)`
  if (code === 'EADDRINUSE') return `port ${port} on ${host} is in use by another process; stop that, or ${change}`
  if (code === 'EACCES') return `port ${port} on ${host} needs more rights than this user has; ${change}`
  if (code === 'EADDRNOTAVAIL') return `this machine has no address ${host}; change the connector's host`
  return null
}
