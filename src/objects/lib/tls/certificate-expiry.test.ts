import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TlsIdentity } from '#contracts'
import { createLogger, memoryLog } from '#logging'
import { manualClock } from '#test/build'
import { testIdentity } from '#test/test-identity'
import { CachedIdentities } from './cached-identities.ts'
import { ExpiryWarnings, validityProblem } from './certificate-expiry.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 0)
const lasting = (days: number) => {
  const { key, certificate } = testIdentity('app', { from: new Date(START), to: new Date(START + days * DAY) })
  return { key, chain: [certificate] }
}
const problemOn = (lifetime: number, day: number) => validityProblem(lasting(lifetime).chain[0]!, START + day * DAY)

test('an end is announced a tenth of the lifetime ahead, one day at least and 14 days at most', () => {
  assert.equal(problemOn(90, 80), null)
  assert.equal(problemOn(90, 81), 'expires on 2026-04-01T00:00:00.000Z, in 9 days; renew it')
  assert.equal(problemOn(397, 382), null)
  assert.match(problemOn(397, 383) ?? '', /in 14 days/)
  assert.equal(problemOn(6, 4.9), null)
  assert.equal(problemOn(6, 5), 'expires on 2026-01-07T00:00:00.000Z, in 24 hours; renew it')
  assert.match(problemOn(0.5, 0.25) ?? '', /in 6 hours/)
})

test('an expired certificate, and one that is not valid yet, are named as such', () => {
  assert.equal(problemOn(90, 90), 'expired on 2026-04-01T00:00:00.000Z: peers reject it; renew it')
  assert.match(problemOn(90, -1) ?? '', /is not valid before 2026-01-01T00:00:00.000Z/)
})

test('warnings are given at load, then once a day, and end with the renewal', async () => {
  const clock = manualClock(START + 80 * DAY)
  const log = memoryLog()
  const logger = createLogger({ level: 'info', format: 'json', destination: log })
  const loaded: string[] = []
  let served: readonly TlsIdentity[] = [lasting(90)]
  const events = { failed: () => {}, recovered: () => {} }
  const source = new CachedIdentities('app.key', { read: async () => served, problem: () => null }, events)
  await source.get()
  const warnings = new ExpiryWarnings([source], { clock, logger, warn: (message) => void loaded.push(message) })
  warnings.warnAtLoad()
  warnings.check()
  assert.deepEqual([loaded, log.lines], [[], []])
  clock.advance(2 * DAY)
  for (let hour = 0; hour < 24; hour++) {
    warnings.check()
    clock.advance(DAY / 24)
  }
  assert.equal(log.lines.length, 1)
  assert.match(
    log.lines[0] ?? '',
    /GW_OBJECT_CERTIFICATE_EXPIRES.*the certificate \\"CN=app\\" of app\.key expires on 2026-04-01/,
  )
  warnings.check()
  assert.equal(log.lines.length, 2)
  new ExpiryWarnings([source], { clock, logger, warn: (message) => void loaded.push(message) }).warnAtLoad()
  assert.deepEqual(loaded, [
    'the certificate "CN=app" of app.key expires on 2026-04-01T00:00:00.000Z, in 7 days; renew it',
  ])
  served = [lasting(180)]
  source.invalidate()
  await source.refresh()
  clock.advance(DAY)
  warnings.check()
  assert.equal(log.lines.length, 2)
})
