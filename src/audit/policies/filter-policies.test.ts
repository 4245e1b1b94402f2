import assert from 'node:assert/strict'
import { createHmac, createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { topicFilter } from './filter-policies.ts'

const EVENT = { _id: '1', a: { x: 'secret', y: ['z'], 'x-host': { name: 'h', port: 1 } }, b: 2 }

/** The event with these value policies. */
function filtered(excludeIf: readonly string[], includeIf: readonly string[] = []): JsonObject {
  const policies = {
    ...{ includeIf: [], excludeIf: [], hash: null, truncate: {}, caseInsensitiveFields: ['/access/a'] },
    valueExcludeIf: excludeIf.map((pointer) => `/access${pointer}`),
    valueIncludeIf: includeIf.map((pointer) => `/access${pointer}`),
  }
  return topicFilter('access', ['/_id', '/a', '/b'], policies, 'gateway').filter(EVENT)
}

test('value.excludeIf empties values, except those that value.includeIf names at or below them', () => {
  assert.deepEqual(filtered(['/a']), { ...EVENT, a: {} })
  assert.deepEqual(filtered(['/a', '/b'], ['/b']), { ...EVENT, a: {} })
  assert.deepEqual(filtered(['/a'], ['/a/X-Host/name', '/a/y']), { ...EVENT, a: { y: ['z'], 'x-host': { name: 'h' } } })
  assert.deepEqual(filtered(['/a/x', '/b']), { ...EVENT, a: { ...EVENT.a, x: '' }, b: null })
  assert.deepEqual(filtered(['/a/X'], ['/a/x']), EVENT)
})

test('a pointer of value.excludeIf below one of value.includeIf is not exempted', () => {
  assert.deepEqual(filtered(['/a/x'], ['/a']), { ...EVENT, a: { ...EVENT.a, x: '' } })
})

test('texts are truncated before they are hashed; numbers are hashed, but not truncated', () => {
  const key = createSecretKey(Buffer.from('a key of an audit trail'))
  const policies = {
    ...{ includeIf: [], excludeIf: [], valueIncludeIf: [], valueExcludeIf: [], caseInsensitiveFields: [] },
    hash: { fields: ['/access/a/x', '/access/a/x-host/port'], key },
    truncate: { '/access': 3 },
  }
  const hashOf = (text: string) => `hmac-sha256:${createHmac('sha256', key).update(text).digest('hex')}`
  const event = { ...EVENT, b: 12345 }
  assert.deepEqual(topicFilter('access', ['/_id', '/a', '/b'], policies, 'gateway').filter(event), {
    ...event,
    a: { x: hashOf('sec'), y: ['z'], 'x-host': { name: 'h', port: hashOf('1') } },
  })
})
