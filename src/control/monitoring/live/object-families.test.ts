import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MetricSample } from '#contracts'
import { objectFamilies } from './object-families.ts'

/** Families of objects whose metric has these values. */
function familiesWith(metric: string, values: Readonly<Record<string, number>>) {
  const samples = Object.entries(values).map(
    ([name, value]): MetricSample => ({ name: metric, type: 'gauge', help: '', labels: { name }, since: 0, value }),
  )
  return objectFamilies({ time: 0, at: 0, routes: new Map(), others: new Map([[metric, samples]]) })
}

const namesOf = (list: unknown) => (list as { name: string }[]).map(({ name }) => name)

test('the most active objects come first', () => {
  const { caches } = familiesWith('gw_cache_hits_total', { idle: 0, busy: 9, used: 1 })
  assert.deepEqual(namesOf(caches), ['busy', 'used', 'idle'])
})

test('certificates and secrets that expire first come first, and are those that a bounded list has', () => {
  for (const [metric, family] of [
    ['gw_tls_certificate_not_after_seconds', 'certificates'],
    ['gw_secret_not_after_seconds', 'secrets'],
  ] as const) {
    const values = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`key ${300 - at}`, 2e9 - at]))
    const list = familiesWith(metric, { ...values, expired: 1e9 })[family]
    assert.deepEqual(namesOf(list).slice(0, 3), ['expired', 'key 1', 'key 2'])
    assert.equal((list as unknown[]).length, 200)
  }
})
