import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { DevelopmentAccessManager } from '#dev'
import { type Filter, parseSetCookie, Response, respond } from '#http'
import type { JsonObject } from '#json'
import { accessManagerOptions } from '#test/am-service'
import { build, manualClock } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { auditedExchange } from '#test/exchange'
import { HeaderFilter } from '../header/header-filter.ts'
import { AmSessionIdleTimeoutFilter } from './am-session-idle-timeout-filter.ts'

const NAME = 'x-ig-activity-tracker'
const Secrets = secretsType({ key: createSecretKey(Buffer.alloc(32, 5)), short: createSecretKey(Buffer.alloc(16, 5)) })
const MINUTE = 60_000

async function withFilter(manager: DevelopmentAccessManager, config: JsonObject = {}) {
  const { types, heap } = accessManagerOptions(manager.url, { notifications: { enabled: false } })
  const clock = manualClock(Date.now())
  const given = {
    amService: 'am',
    idleTimeout: '10 minutes',
    encryptionSecretId: 'key',
    secretsProvider: { type: Secrets.name },
    ...config,
  }
  const built = await build<Filter>(AmSessionIdleTimeoutFilter, given, {
    types: [...types, Secrets, HeaderFilter],
    heap,
    clock,
  })
  return {
    built,
    clock,
    /** The status, the cookies that the application received, and the tracker of the response: null where it has none. */
    async send(token: string | null, tracker: string | null = null, answer: Response = respond(200)) {
      const cookies = [
        token === null ? [] : `iPlanetDirectoryPro=${token}`,
        tracker === null ? [] : `${NAME}=${tracker}`,
      ]
      const exchange = auditedExchange('GET', 'http://app.example/', { headers: { Cookie: cookies.flat().join('; ') } })
      let received: string | null = null
      const response = await built.object(exchange, async ({ request }) => {
        received = request.headers.get('cookie') ?? ''
        return answer
      })
      const set = response.headers.all('set-cookie').map((field) => parseSetCookie(field))
      const written = set.find((cookie) => cookie?.name === NAME) ?? null
      return {
        status: response.status,
        received: received as string | null,
        tracker: written?.value ?? null,
        written,
        decision: exchange.audit?.decision ?? null,
      }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const logouts = (manager: DevelopmentAccessManager) =>
  manager.requests('sessions').filter(({ target }) => target.includes('_action=logout')).length

test('a used session stays; its tracker is renewed and not sent to the application', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await withFilter(manager)
  const token = manager.login('demo')
  let { tracker, written } = await filter.send(token)
  assert.deepEqual([written?.maxAge, written?.httpOnly, written?.path], [600, true, '/'])
  for (let round = 0; round < 4; round += 1) {
    filter.clock.advance(9 * MINUTE)
    const next = await filter.send(token, tracker)
    assert.deepEqual([next.status, next.received], [200, `iPlanetDirectoryPro=${token}`])
    assert.notEqual(next.tracker, null)
    tracker = next.tracker
  }
  assert.equal((await filter.send(token, tracker)).tracker, null, 'not written again in the same second')
  assert.equal(logouts(manager), 0)
})

test('an idle session is ended, and the request is passed on without it', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await withFilter(manager)
  const token = manager.login('demo')
  const { tracker } = await filter.send(token)
  filter.clock.advance(10 * MINUTE + 1)
  const { status, received, written, decision } = await filter.send(token, tracker)
  assert.deepEqual([status, received, written?.value, written?.maxAge], [200, '', '', 0])
  assert.equal(decision, null, 'the request was not refused')
  assert.equal(logouts(manager), 1)
  assert.equal((await filter.send(token)).tracker, null, 'the session has ended at the access manager')
})

test('of several cookies of the name, the first with a session is the one that is tracked and ended', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await withFilter(manager)
  const token = manager.login('demo')
  const cookies = `stale; iPlanetDirectoryPro=${token}`
  const { tracker } = await filter.send(cookies)
  assert.notEqual(tracker, null)
  filter.clock.advance(10 * MINUTE + 1)
  const { received } = await filter.send(cookies, tracker)
  assert.deepEqual([received, manager.endSession(token)], ['', false])
})

test('the end of an idle session is the decision where the gateway demands a login then', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await withFilter(manager)
  const decided = async (answer: Response) => {
    const token = manager.login('demo')
    const { tracker } = await filter.send(token)
    filter.clock.advance(11 * MINUTE)
    const { decision } = await filter.send(token, tracker, answer)
    return decision === null ? null : [decision.result, decision.reason]
  }
  assert.deepEqual(await decided(respond(401)), ['DENIED', 'session idle for too long'])
  assert.equal(await decided(new Response(401, { isReceived: true })), null, 'a 401 of the application')
  assert.equal(await decided(respond(302)), null)
})

test('a deleted tracker, or that of another session, does not renew an idle session', async () => {
  await using manager = await DevelopmentAccessManager.start({ clientBasedSessions: true })
  await using filter = await withFilter(manager)
  const [token, other] = [manager.login('demo'), manager.login('amadmin')]
  filter.clock.advance(9 * MINUTE)
  const { tracker } = await filter.send(other)
  filter.clock.advance(2 * MINUTE)
  for (const presented of [null, tracker, 'nonsense', `${tracker}x`, 'a.b.c.d.e'])
    assert.equal((await filter.send(token, presented)).received, '', String(presented).slice(0, 20))
})

test('requests without a valid session are passed on without a tracker', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using filter = await withFilter(manager)
  assert.deepEqual((await filter.send(null)).tracker, null)
  const unknown = await filter.send('unknown')
  assert.deepEqual([unknown.status, unknown.tracker, unknown.received], [200, null, 'iPlanetDirectoryPro=unknown'])
})

test('idleTimeoutUpdate: the timeout of a tracker of another filter', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using first = await withFilter(manager)
  const token = manager.login('demo')
  const { tracker } = await first.send(token)
  for (const [idleTimeoutUpdate, idleTimeout, seconds] of [
    ['ALWAYS', '5 minutes', 300],
    ['NEVER', '5 minutes', 600],
    ['INCREASE_ONLY', '5 minutes', 600],
    ['INCREASE_ONLY', '20 minutes', 1_200],
    ['DECREASE_ONLY', '5 minutes', 300],
    ['DECREASE_ONLY', '20 minutes', 600],
  ] as const) {
    await using filter = await withFilter(manager, { idleTimeoutUpdate, idleTimeout })
    filter.clock.advance(2_000)
    assert.equal((await filter.send(token, tracker)).written?.maxAge, seconds, `${idleTimeoutUpdate} ${idleTimeout}`)
  }
})

test('sessionToken with removeAmSessionFilter', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const config = {
    sessionToken: "${request.cookies['iPlanetDirectoryPro'][0].value}",
    removeAmSessionFilter: { type: 'HeaderFilter', config: { messageType: 'REQUEST', remove: ['Cookie'] } },
  }
  await using filter = await withFilter(manager, config)
  const token = manager.login('demo')
  const { tracker } = await filter.send(token)
  filter.clock.advance(11 * MINUTE)
  assert.equal((await filter.send(token, tracker)).received, '')
})

test('while the access manager can not be reached, tracked sessions are passed on and others get 503', async () => {
  const manager = await DevelopmentAccessManager.start()
  await using filter = await withFilter(manager)
  const token = manager.login('demo')
  const { tracker } = await filter.send(token)
  await manager.close()
  assert.equal((await filter.send(token, tracker)).status, 200)
  const { status: withoutTracker, decision } = await filter.send(token)
  assert.deepEqual([withoutTracker, decision?.result, decision?.reason], [503, 'FAILED', 'session lookup failed'])
  filter.clock.advance(11 * MINUTE)
  const { status, received } = await filter.send(token, tracker)
  assert.deepEqual([status, received], [503, null])
})

test('without encryptionSecretId the key is random, with a warning', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const { types, heap } = accessManagerOptions(manager.url, { notifications: { enabled: false } })
  const config = { amService: 'am', idleTimeout: '1 minute' }
  await using built = await build<Filter>(AmSessionIdleTimeoutFilter, config, { types, heap })
  assert.match(built.warnings.join(), /random key/)
})

for (const [name, config, message] of [
  ['no idleTimeout', { idleTimeout: null }, /idleTimeout/],
  ['a key of another length', { encryptionSecretId: 'short' }, /encryptionSecretId/],
  ['a cookie that browsers refuse', { cookie: { name: '__Host-a', secure: false } }, /cookie\/secure/],
] as const) {
  test(`refused: ${name}`, async () => {
    await using manager = await DevelopmentAccessManager.start()
    await assert.rejects(
      withFilter(manager, config as unknown as JsonObject),
      (error: Error & { problems?: object[] }) => {
        assert.match(JSON.stringify(error.problems ?? error.message), message)
        return true
      },
    )
  })
}
