import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyValueStore } from '#control'
import { manualClock } from '#test/build'
import { isBefore } from './login-moment.ts'
import { StoredRevocations } from './stored-revocations.ts'

const HOUR = 3_600_000

function made(sessionTimeout = HOUR) {
  const clock = manualClock()
  const releases: (() => void)[] = []
  const store = new KeyValueStore(clock).space('revocations')
  const state = { isDown: false }
  const failing = new Proxy(store, {
    get: (target, name: keyof typeof store) =>
      state.isDown ? () => Promise.reject(new Error('down')) : target[name].bind(target),
  })
  const onDispose = (release: () => void) => void releases.push(release)
  const revocations = new StoredRevocations({ store: failing, sessionTimeout, isShared: true, clock, onDispose })
  return { clock, revocations, state, [Symbol.dispose]: () => releases[0]?.() }
}

test('a revocation ends logins that began before it, by either clock, and no later one', async () => {
  using at = made()
  const now = at.clock.now()
  await at.revocations.revoke(['a'], { issuedAt: now, at: now })
  const isRevoked = (issuedAt: number, time: number) =>
    at.revocations.isRevoked(['a', 'b'], { issuedAt: now + issuedAt, at: now + time })
  assert.equal(await isRevoked(-1_000, 5_000), true, 'the clock of the gateway is ahead')
  assert.equal(await isRevoked(5_000, -1), true, 'the token came late')
  assert.equal(await isRevoked(0, 1), false, 'in the same second, after it')
  assert.equal(await at.revocations.isRevoked(['c'], { issuedAt: 0, at: 0 }), false)
})

test('a revocation that arrives late leaves a newer one as it is, also for watched logins', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  using at = made()
  const now = at.clock.now()
  await at.revocations.revoke(['a'], { issuedAt: now, at: now + 2_000 })
  await at.revocations.revoke(['a'], { issuedAt: now - 60_000, at: now + 1_000 })
  const between = { issuedAt: now - 1_000, at: now + 3_000 }
  assert.equal(await at.revocations.isRevoked(['a'], between), true, 'by the clock of the issuer')
  assert.equal(await at.revocations.isRevoked(['a'], { issuedAt: now, at: now + 1_500 }), true, 'by that of a gateway')
  const ended = Promise.withResolvers<void>()
  at.revocations.watch(['a'], between, ended.resolve)
  context.mock.timers.tick(1_000)
  await ended.promise
})

test('a login whose token request was sent before a logout and answered after it is revoked', () => {
  assert.equal(isBefore({ issuedAt: 10_000, at: 10_100 }, { issuedAt: 10_000, at: 10_200 }), true)
})

test('a revocation is stored for the lifetime of a session, for at least one day and at most 30 days', async () => {
  for (const [timeout, lifetime] of [
    [HOUR, 24 * HOUR],
    [48 * HOUR, 48 * HOUR],
    [Number.POSITIVE_INFINITY, 30 * 24 * HOUR],
  ] as const) {
    using at = made(timeout)
    assert.equal(at.revocations.lifetime, lifetime)
    const login = { issuedAt: 0, at: 0 }
    await at.revocations.revoke(['a'], { issuedAt: 1, at: 1 })
    at.clock.advance(lifetime)
    assert.equal(await at.revocations.isRevoked(['a'], login), true)
    at.clock.advance(HOUR)
    assert.equal(await at.revocations.isRevoked(['a'], login), false)
  }
})

test('an id is claimed once, until it is released', async () => {
  using at = made()
  const first = await Promise.all([at.revocations.claim('x', 100), at.revocations.claim('x', 100)])
  assert.deepEqual(first.sort(), [false, true])
  await at.revocations.release('x')
  assert.equal(await at.revocations.claim('x', 100), true)
})

test('watched logins are ended by a poll, also after an outage of the store longer than the list covers', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  using at = made()
  const ended: string[] = []
  const login = { issuedAt: at.clock.now(), at: at.clock.now() }
  const poll = async () => {
    context.mock.timers.tick(1_000)
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  for (const name of ['a', 'b', 'c']) at.revocations.watch([name], login, () => ended.push(name))
  await poll()
  assert.deepEqual(ended, [])
  at.clock.advance(1)
  await at.revocations.revoke(['a'], { issuedAt: login.issuedAt, at: at.clock.now() })
  await poll()
  assert.deepEqual(ended, ['a'])
  await at.revocations.revoke(['b'], { issuedAt: login.issuedAt, at: at.clock.now() })
  at.state.isDown = true
  await poll()
  at.clock.advance(120_000)
  at.state.isDown = false
  await poll()
  assert.deepEqual(ended, ['a', 'b'])
})
