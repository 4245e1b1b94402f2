import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { waitUntil } from '#test/waiting'
import { MetricsRegistry } from './registry.ts'
import { exposeThreadMetrics } from './thread-metrics.ts'

test('event loop, heap and garbage collections of a thread are exported until it is disposed', async () => {
  const registry = new MetricsRegistry()
  const measuring = exposeThreadMetrics(registry.open(), 'unit-0')
  const value = (name: string) => {
    const found = registry.collect().find((sample) => sample.name === name)
    assert.equal(found?.labels['thread'], 'unit-0', name)
    return found?.value as number
  }
  // The histogram starts with the first tick of its timer: earlier stalls are not measured.
  await waitUntil('a stall of 100 ms was measured', async () => {
    await wait(30)
    const until = performance.now() + 100
    while (performance.now() < until);
    return value('gw_event_loop_delay_max_seconds') >= 0.05
  })
  assert.ok(value('gw_event_loop_delay_mean_seconds') >= 0)
  assert.ok(value('gw_event_loop_delay_p99_seconds') > 0)
  assert.ok(value('gw_event_loop_active_seconds_total') > 0)
  assert.ok(value('gw_heap_used_bytes') > 0)
  assert.ok(value('gw_heap_size_bytes') >= value('gw_heap_used_bytes'))
  assert.ok(value('gw_heap_limit_bytes') > value('gw_heap_size_bytes'))
  assert.ok(value('gw_heap_external_bytes') > 0)
  const collections = () =>
    registry.collect().filter(({ name, count }) => name === 'gw_gc_duration_seconds' && (count ?? 0) > 0)
  const garbage: object[][] = []
  await waitUntil('a garbage collection was measured', async () => {
    garbage[0] = Array.from({ length: 100_000 }, () => ({}))
    await wait(1)
    return collections().length > 0
  })
  measuring[Symbol.dispose]()
  assert.deepEqual(registry.collect(), [])
})
