import { readdirSync, readFileSync } from 'node:fs'
import type { MetricsScope } from '#metrics'

/** Build information that metrics expose. */
interface BuildInfo {
  readonly version: string
  readonly revision: string
}

/** Process metrics under their conventional Prometheus names, and the build information. */
export function exposeProcessMetrics(scope: MetricsScope, { version, revision }: BuildInfo): void {
  const startedAt = Date.now() / 1000 - process.uptime()
  const { node } = process.versions
  const build = { version, revision, node }
  scope.reading('gw_build_info', 'Versions of the gateway and of Node.js; always 1.', { labels: build, read: () => 1 })
  scope.reading('process_start_time_seconds', 'When the process started, in seconds since 1970.', {
    read: () => startedAt,
  })
  scope.countReading('process_cpu_seconds_total', 'Processor time of all threads.', {
    read: () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    },
  })
  scope.reading('process_resident_memory_bytes', 'Memory of the process.', { read: () => process.memoryUsage.rss() })
  if (openFiles() === null) return
  scope.reading('process_open_fds', 'Files and sockets that are open.', { read: () => openFiles() ?? 0 })
  const limit = fileLimit()
  if (limit !== null) {
    scope.reading('process_max_fds', 'Files and sockets that may be open.', { read: () => limit })
  }
}

/** Null where the system does not provide it. */
export function openFiles(): number | null {
  try {
    // Reading the folder itself opens one more descriptor.
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return null
  }
}

function fileLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? null : Number(limit)
  } catch {
    return null
  }
}
