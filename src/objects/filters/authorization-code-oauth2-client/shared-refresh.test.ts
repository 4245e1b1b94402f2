import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { KeyValueStore } from '#control'
import { type IssuedTokens, OpenIdError } from '#openid'
import type { SharedStore } from '#schema'
import { manualClock } from '#test/build'
import { SharedRefresh } from './shared-refresh.ts'

const issued = (accessToken: string): IssuedTokens => ({
  answer: {},
  accessToken,
  refreshToken: null,
  idToken: null,
  claims: null,
  expiresIn: 300,
})

const held = (refreshToken: string, accessToken = 'old') => ({ refreshToken, accessToken, idToken: null })

/** The store of a gateway, and units that share it. Store and timers use a manual clock. */
function gateway(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const clock = manualClock()
  const shared = new KeyValueStore(clock).space('s')
  const unit = (isAlive: () => boolean = () => true, stored: Promise<void> = Promise.resolve()) => {
    // A terminated thread neither sends nor receives messages.
    const alive = <T>(step: () => Promise<T>): Promise<T> => (isAlive() ? step() : new Promise<T>(() => {}))
    const store: SharedStore = {
      get: (key, lifetime) => alive(() => shared.get(key, lifetime)),
      update: (key, change, lifetime) => alive(() => shared.update(key, change, lifetime).then(() => stored)),
      updateIfPresent: (key, change, lifetime) => alive(() => shared.updateIfPresent(key, change, lifetime)),
      getAndDelete: (key) => alive(() => shared.getAndDelete(key)),
      getOrCreate: (key, initial, lifetime) => alive(() => shared.getOrCreate(key, initial, lifetime)),
    }
    return new SharedRefresh(store, clock)
  }
  const settle = async () => {
    for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve))
  }
  /** Advances the clock in small steps. */
  const pass = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 500) {
      clock.advance(500)
      t.mock.timers.tick(500)
      await settle()
    }
  }
  return { clock, unit, pass, settle }
}

test('requests of all units get the tokens of one refresh', async (t) => {
  const { unit, pass, settle } = gateway(t)
  const answer = Promise.withResolvers<IssuedTokens>()
  const first = unit().refresh(held('r'), () => answer.promise)
  await settle()
  const others = [unit(), unit()].map((each) => each.refresh(held('r'), () => Promise.reject(new Error('asked twice'))))
  await pass(1_000)
  answer.resolve(issued('new'))
  await settle()
  await pass(500)
  const got = await Promise.all([first, ...others])
  assert.deepEqual(
    got.map(({ tokens }) => tokens.accessToken),
    ['new', 'new', 'new'],
  )
})

test('the lifetime of tokens is counted from the token request, also for later requests', async (t) => {
  const { clock, unit, pass, settle } = gateway(t)
  const asked = clock.now()
  const answer = Promise.withResolvers<IssuedTokens>()
  const first = unit().refresh(held('r'), () => answer.promise)
  await settle()
  await pass(2_000)
  answer.resolve(issued('new'))
  assert.equal((await first).askedAt, asked)
  await pass(50_000)
  const late = unit().refresh(held('r'), () => Promise.reject(new Error('asked twice')))
  await settle()
  assert.equal((await late).askedAt, asked)
})

test('one of several waiting requests takes over from an owner that terminated', async (t) => {
  const { unit, pass, settle } = gateway(t)
  let isAlive = true
  void unit(() => isAlive).refresh(held('r'), () => new Promise(() => {}))
  await settle()
  isAlive = false
  let asked = 0
  const ask = async () => {
    asked++
    return issued('new')
  }
  const waiting: Promise<unknown>[] = []
  for (let second = 0; second < 15; second++) {
    waiting.push(unit().refresh(held('r'), ask))
    await pass(1_000)
  }
  assert.equal(asked, 1)
  await Promise.all(waiting)
})

test('an active owner renews its claim until the server responds', async (t) => {
  const { unit, pass } = gateway(t)
  const answer = Promise.withResolvers<IssuedTokens>()
  const first = unit().refresh(held('r'), () => answer.promise)
  await pass(1_000)
  const second = unit().refresh(held('r'), () => Promise.reject(new Error('asked twice')))
  await pass(25_000)
  answer.resolve(issued('new'))
  await pass(500)
  assert.equal((await first).tokens.accessToken, 'new')
  assert.equal((await second).tokens.accessToken, 'new')
})

test('an unavailable server fails the waiting requests, and is called again a second later', async (t) => {
  const { unit, pass, settle } = gateway(t)
  const answer = Promise.withResolvers<IssuedTokens>()
  const requests = [unit().refresh(held('r'), () => answer.promise)]
  await settle()
  requests.push(unit().refresh(held('r'), () => Promise.reject(new Error('asked twice'))))
  answer.reject(new OpenIdError('temporarily_unavailable', 'nothing answered', true))
  const [first, second] = await Promise.all([Promise.allSettled(requests), pass(500)]).then(([settled]) => settled)
  assert.equal((first as PromiseRejectedResult).reason.unavailable, true)
  assert.equal((second as PromiseRejectedResult).reason.unavailable, true)
  await pass(1_000)
  assert.equal((await unit().refresh(held('r'), async () => issued('new'))).tokens.accessToken, 'new')
})

test('the claim is not renewed while the outcome is stored, which would change its lifetime', async (t) => {
  const { unit, pass, settle } = gateway(t)
  const stored = Promise.withResolvers<void>()
  const refreshed = unit(undefined, stored.promise).refresh(held('r'), async () => issued('new'))
  await settle()
  await pass(3_000)
  stored.resolve()
  await refreshed
  await pass(30_000)
  const later = await unit().refresh(held('r'), () => Promise.reject(new Error('asked twice')))
  assert.equal(later.tokens.accessToken, 'new')
})

test('the end of a grant is cached', async (t) => {
  const { unit, pass } = gateway(t)
  const refused = new OpenIdError('invalid_grant', 'the token was used', false)
  await assert.rejects(
    unit().refresh(held('r'), () => Promise.reject(refused)),
    refused,
  )
  await pass(30_000)
  await assert.rejects(
    unit().refresh(held('r'), async () => issued('new')),
    { error: 'invalid_grant', unavailable: false },
  )
})

test('after another failure, such as a malformed response, the server is called again a second later', async (t) => {
  const { unit, pass } = gateway(t)
  for (const code of ['server_error', 'invalid_request', 'unauthorized_client']) {
    const failure = new OpenIdError(code, 'no tokens', false)
    const failing = () => unit().refresh(held(code), () => Promise.reject(failure))
    await assert.rejects(failing(), failure)
    await pass(500)
    await assert.rejects(
      unit().refresh(held(code), async () => issued('early')),
      { error: code },
    )
    await pass(1_000)
    assert.equal((await unit().refresh(held(code), async () => issued('new'))).tokens.accessToken, 'new')
  }
})

test('later tokens with the same refresh token are refreshed by the server, earlier ones get the outcome', async (t) => {
  const { unit } = gateway(t)
  const got = async (accessToken: string, next: string) =>
    (await unit().refresh(held('r', accessToken), async () => issued(next))).tokens.accessToken
  assert.equal(await got('first', 'second'), 'second')
  assert.equal(await got('second', 'third'), 'third')
  assert.equal(await got('first', 'asked twice'), 'second')
  assert.equal(await got('second', 'asked twice'), 'third')
})

test('requests in one unit with different tokens do not share a refresh', async (t) => {
  const { unit } = gateway(t)
  const one = unit()
  await one.refresh(held('r', 'first'), async () => issued('second'))
  const [early, late] = await Promise.all([
    one.refresh(held('r', 'first'), () => Promise.reject(new Error('asked twice'))),
    one.refresh(held('r', 'second'), async () => issued('third')),
  ])
  assert.deepEqual([early.tokens.accessToken, late.tokens.accessToken], ['second', 'third'])
})

test('a server that returns the old tokens is asked again a second later', async (t) => {
  const { unit, pass } = gateway(t)
  const got = async (next: string) =>
    (await unit().refresh(held('r', 'old'), async () => issued(next))).tokens.accessToken
  assert.equal(await got('old'), 'old')
  await pass(1_500)
  assert.equal(await got('new'), 'new')
})

test('old tokens whose refresh token was replaced are not sent again', async (t) => {
  const { unit, pass } = gateway(t)
  const replaced = { ...issued('old'), refreshToken: 'next' }
  await unit().refresh(held('r', 'old'), async () => replaced)
  await pass(30_000)
  const late = await unit().refresh(held('r', 'old'), () => Promise.reject(new Error('asked twice')))
  assert.equal(late.tokens.refreshToken, 'next')
})
