import type { MetricSample } from '#contracts'
import type { JsonObject } from '#json'
import type { Snapshot } from './metrics-snapshot.ts'

/** Entries of one family in an event. */
const MAX_ENTRIES = 200

/** Families of objects: for each its metrics, by the name of their field. */
const FAMILIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pools: {
    gw_client_connections_open: 'connections',
    gw_client_requests_running: 'running',
    gw_client_requests_waiting: 'waiting',
  },
  circuitBreakers: {
    gw_circuit_breaker_open: 'open',
    gw_circuit_breaker_trips_total: 'trips',
    gw_circuit_breaker_refused_total: 'refused',
  },
  throttling: {
    gw_throttling_admitted_total: 'admitted',
    gw_throttling_refused_total: 'refused',
    gw_throttling_partitions: 'partitions',
    gw_throttling_overflow_total: 'overflow',
    gw_throttling_store_failures_total: 'storeFailures',
  },
  caches: {
    gw_cache_hits_total: 'hits',
    gw_cache_misses_total: 'misses',
    gw_cache_entries: 'entries',
    gw_cache_evictions_total: 'evictions',
  },
  notifications: {
    gw_notification_connected: 'connected',
    gw_notification_reconnects_total: 'reconnects',
    gw_notification_messages_total: 'messages',
    gw_notification_unreadable_total: 'unreadable',
  },
  agents: {
    gw_agent_logins_total: 'logins',
    gw_agent_failed_logins_total: 'failedLogins',
    gw_agent_replayed_calls_total: 'replayedCalls',
  },
  redis: {
    gw_redis_unavailable: 'unavailable',
    gw_redis_losses_total: 'losses',
  },
  certificates: {
    gw_tls_certificate_not_after_seconds: 'notAfter',
    gw_tls_certificate_stale: 'stale',
  },
  secrets: {
    gw_secret_not_after_seconds: 'notAfter',
  },
  audit: {
    gw_audit_queued: 'queued',
    gw_audit_spooled_bytes: 'spooledBytes',
    gw_audit_oldest_seconds: 'oldestSeconds',
    gw_audit_failures_total: 'failures',
    gw_audit_lost_total: 'lost',
  },
}

/** States of objects as bounded lists of their labels and values: those that expire first, or else the most active, first. */
export function objectFamilies({ others }: Snapshot): JsonObject {
  return Object.fromEntries(
    Object.entries(FAMILIES).map(([family, metrics]) => {
      const entries = new Map<string, JsonObject>()
      for (const [metric, field] of Object.entries(metrics)) {
        for (const sample of others.get(metric) ?? []) addValue(entries, sample, field)
      }
      const list = [...entries.values()].sort((a, b) => orderOf(a) - orderOf(b))
      return [family, list.slice(0, MAX_ENTRIES)]
    }),
  )
}

function addValue(entries: Map<string, JsonObject>, { labels, value }: MetricSample, field: string): void {
  // Losses are counted by their reason.
  const { reason: _, ...own } = labels
  const key = JSON.stringify(own)
  const entry = entries.get(key) ?? { ...own }
  entry[field] = Number(entry[field] ?? 0) + value
  entries.set(key, entry)
}

function orderOf(entry: JsonObject): number {
  if (typeof entry['notAfter'] === 'number') return entry['notAfter']
  return -Object.values(entry).reduce<number>((sum, value) => sum + (typeof value === 'number' ? value : 0), 0)
}

/** Units, memory and event loops of the process. */
export function processState({ others }: Snapshot): JsonObject {
  const one = (name: string) => others.get(name)?.[0]?.value ?? null
  return {
    units: {
      configured: one('gw_units_configured'),
      ready: one('gw_units_ready'),
      unresponsive: one('gw_units_unresponsive'),
      silent: one('gw_units_silent'),
      restarts: one('gw_unit_restarts_total'),
    },
    memory: {
      residentBytes: one('process_resident_memory_bytes'),
      threads: byThread(others, {
        gw_heap_used_bytes: 'heapUsedBytes',
        gw_heap_size_bytes: 'heapSizeBytes',
        gw_heap_limit_bytes: 'heapLimitBytes',
        gw_heap_external_bytes: 'externalBytes',
      }),
    },
    eventLoop: byThread(others, {
      gw_event_loop_delay_mean_seconds: 'meanSeconds',
      gw_event_loop_delay_p99_seconds: 'p99Seconds',
      gw_event_loop_delay_max_seconds: 'maxSeconds',
      gw_event_loop_active_seconds_total: 'activeSeconds',
    }),
    process: {
      cpuSeconds: one('process_cpu_seconds_total'),
      openFiles: one('process_open_fds'),
      maxFiles: one('process_max_fds'),
      connections: one('gw_connections_open'),
      refusedConnections: one('gw_connections_refused_total'),
    },
  }
}

function byThread(others: Snapshot['others'], metrics: Readonly<Record<string, string>>): JsonObject[] {
  const threads = new Map<string, JsonObject>()
  for (const [metric, field] of Object.entries(metrics)) {
    for (const { labels, value } of others.get(metric) ?? []) {
      const thread = labels['thread'] ?? ''
      threads.set(thread, { ...(threads.get(thread) ?? { thread }), [field]: value })
    }
  }
  return [...threads.values()]
}
