import type { AdminSettings } from '#control'

const LISTEN = /listen (E[A-Z]+):.*? (\S+):(\d+)$/
const UNKNOWN_HOST = /^getaddrinfo (E[A-Z_]+) (.+)$/
const NO_DESCRIPTOR = /\bE[MN]FILE\b|too many open files/

/** Reason and remedy of a failed start; null for other errors. With --take-over there was no gateway of the instance to replace. */
export function startFailure(
  error: unknown,
  { admin, directories }: Pick<AdminSettings, 'admin' | 'directories'>,
  takesOver: boolean,
): string | null {
  const message = error instanceof Error ? error.message : String(error)
  if (NO_DESCRIPTOR.test(message)) {
    const remedy = 'raise the limit (ulimit -n, LimitNOFILE of systemd), or lower gatewayUnits in config/admin.json'
    return `too many open files for the ports and threads of its units (${message}); ${remedy}`
  }
  const [, lookup, name] = UNKNOWN_HOST.exec(message) ?? []
  if (lookup !== undefined) {
    const field = admin.host === name ? 'adminConnector.host' : 'connectors[].host'
    return `the host ${JSON.stringify(name)} has no address (${lookup}); change ${field} in config/admin.json`
  }
  if (message.includes(directories.temporary) || isAbove(error, directories.temporary)) {
    const remedy = 'check its permissions, or name another temporaryDirectory in config/admin.json'
    return `the directory of temporary files can not be used: ${message}; ${remedy}`
  }
  const [, code, host, port] = LISTEN.exec(message) ?? []
  if (code === undefined) return null
  const field = admin.ports.includes(Number(port)) ? 'adminConnector.port' : 'connectors[].port'
  const change = `change ${field} in config/admin.json (0 takes a free port)`
  if (code === 'EADDRINUSE') {
    if (message.includes('shared by another gateway')) {
      const whose = takesOver
        ? ', which is not replaced: it has another instance or state directory, or its socket in tmp/ was deleted'
        : ''
      const remedies = [
        'stop that',
        ...(takesOver ? [] : ['replace it with --take-over']),
        ...(admin.ports.includes(Number(port)) ? [] : ['set shareTrafficPorts to true where both are to serve it']),
      ]
      return `port ${port} on ${host} is in use by another gateway${whose}; ${remedies.join(', ')}, or ${change}`
    }
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

/** Whether an error is that of a parent of a directory. */
function isAbove(error: unknown, directory: string): boolean {
  const { path } = error as NodeJS.ErrnoException
  return typeof path === 'string' && directory.startsWith(`${path}/`)
}
