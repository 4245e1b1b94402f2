import { constants, monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { standardOutput, suppressedEntries } from '#logging'
import type { Summary } from '#schema'
import type { MetricsScope } from './registry.ts'

const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  // Minor mark-sweep, which has no constant in node:perf_hooks.
  2: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weak_callbacks',
}

/** Delays cover the current and the previous window, so that a scrape every minute misses none. */
const WINDOW = 60_000
const NANOSECONDS = 1e9

/** Exports event loop, heap, garbage collection and log metrics of the calling thread, until it is disposed. */
export function exposeThreadMetrics(scope: MetricsScope, thread: string): Disposable {
  const loop = measureLoop(scope, thread)
  const collections = measureCollections(scope, thread)
  measureHeap(scope, thread)
  measureLog(scope, thread)
  return {
    [Symbol.dispose]: () => {
      loop[Symbol.dispose]()
      collections.disconnect()
      scope.release()
    },
  }
}

function measureLoop(scope: MetricsScope, thread: string): Disposable {
  const labels = { thread }
  // The histogram includes the interval of its own timer, which is subtracted.
  const resolution = 20
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  let before = { mean: 0, p99: 0, max: 0 }
  const now = () => {
    const seconds = (value: number) => (delay.count === 0 ? 0 : Math.max(0, value / NANOSECONDS - resolution / 1000))
    return { mean: seconds(delay.mean), p99: seconds(delay.percentile(99)), max: seconds(delay.max) }
  }
  const timer = setInterval(() => {
    before = now()
    delay.reset()
  }, WINDOW).unref()
  const reading = (name: string, help: string, part: keyof typeof before) =>
    scope.reading(name, help, { labels, read: () => Math.max(before[part], now()[part]) })
  reading('gw_event_loop_delay_mean_seconds', 'Mean delay of the event loop in the last minutes.', 'mean')
  reading(
    'gw_event_loop_delay_p99_seconds',
    '99th percentile of the delay of the event loop in the last minutes.',
    'p99',
  )
  reading('gw_event_loop_delay_max_seconds', 'Largest delay of the event loop in the last minutes.', 'max')
  scope.countReading('gw_event_loop_active_seconds_total', 'Time the event loop has worked.', {
    labels,
    read: () => performance.eventLoopUtilization().active / 1000,
  })
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer)
      delay.disable()
    },
  }
}

function measureCollections(scope: MetricsScope, thread: string): PerformanceObserver {
  const summaries = new Map<string, Summary>()
  for (const kind of Object.values(GC_KINDS)) {
    summaries.set(kind, scope.summary('gw_gc_duration_seconds', 'Duration of garbage collections.', { thread, kind }))
  }
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind } = (entry as PerformanceEntry & { detail: { kind: number } }).detail
      summaries.get(GC_KINDS[kind] ?? '')?.observe(entry.duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return observer
}

function measureHeap(scope: MetricsScope, thread: string): void {
  const labels = { thread }
  const reading = (name: string, help: string, read: () => number) => scope.reading(name, help, { labels, read })
  reading('gw_heap_used_bytes', 'Memory that objects take.', () => getHeapStatistics().used_heap_size)
  reading('gw_heap_size_bytes', 'Memory that is set aside for objects.', () => getHeapStatistics().total_heap_size)
  reading('gw_heap_limit_bytes', 'Memory that objects may take at most.', () => getHeapStatistics().heap_size_limit)
  reading(
    'gw_heap_external_bytes',
    'Memory outside of the heap that objects hold.',
    () => getHeapStatistics().external_memory,
  )
}

function measureLog(scope: MetricsScope, thread: string): void {
  const labels = { thread }
  scope.countReading('gw_log_write_failures_total', 'Attempts to write log lines that failed.', {
    labels,
    read: () => standardOutput().failed,
  })
  scope.countReading('gw_log_lines_suppressed_total', 'Log lines that were left out, since others said the same.', {
    labels,
    read: suppressedEntries,
  })
  scope.countReading('gw_log_lines_lost_total', 'Log lines that were given up.', {
    labels,
    read: () => standardOutput().lost,
  })
}
