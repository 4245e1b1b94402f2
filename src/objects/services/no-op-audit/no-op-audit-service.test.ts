import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditService } from '#contracts'
import { build } from '#test/build'
import { NoOpAuditService } from './no-op-audit-service.ts'

test('accepts and discards any event', async () => {
  await using built = await build<AuditService>(NoOpAuditService, {})
  assert.equal(built.object.publish('access', { eventName: 'GATEWAY-HTTP-ACCESS' }), undefined)
  assert.deepEqual(built.log.lines, [])
})

test('refuses a configuration: there is nothing to configure', async () => {
  await assert.rejects(build(NoOpAuditService, { eventHandlers: [] }), {
    code: 'GW_CONFIG_INVALID',
    message: '/heap/0/config/eventHandlers: unknown field',
  })
})
