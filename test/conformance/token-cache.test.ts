// The tables of the spec under 'OAuth2ResourceServerFilter' (`cache` fields, eviction on revocation, example times) and
// 'Cache behaviour on loss of the notification service', over the wire: a real AmService, and an access manager
// over HTTP and WebSocket.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { answerJson, introspectionServer } from '#test/introspection-server'
import { INTROSPECTING, managedResource, protectedResource } from '#test/protected-resource'

const options = { timeout: 60_000 }
const HOUR = 3_600_000

const cached = (more: JsonObject = {}) => ({ cache: { enabled: true, amService: 'am', ...more } })

/** A filter whose tokens have a lifetime set by the test. */
async function resourceWith(cache: JsonObject, expiresIn: number | null) {
  const server = await introspectionServer()
  const resource = await protectedResource({
    accessTokenResolver: { type: 'TokenIntrospectionAccessTokenResolver', config: { endpoint: server.endpoint } },
    ...(cache['enabled'] === undefined ? {} : { cache }),
  }).catch(async (error: unknown) => {
    await server[Symbol.asyncDispose]()
    throw error
  })
  const exp = expiresIn === null ? {} : { exp: (resource.clock.now() + expiresIn) / 1_000 }
  server.answer = (response) => answerJson(response, 200, { active: true, ...exp })
  return {
    asked: server.asked,
    clock: resource.clock,
    status: () => resource.status('token'),
    /** Whether a token is cached for exactly this time after its introspection. */
    async isKeptFor(milliseconds: number): Promise<boolean> {
      server.asked.length = 0
      await resource.status('token')
      resource.clock.advance(milliseconds - 1)
      await resource.status('token')
      const before = server.asked.length
      resource.clock.advance(1)
      await resource.status('token')
      return before === 1 && server.asked.length === 2
    },
    async [Symbol.asyncDispose]() {
      await resource[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

describe('cache: fields', () => {
  test('cache: by default tokens are not cached', async () => {
    await using at = await resourceWith({}, HOUR)
    await at.status()
    await at.status()
    assert.equal(at.asked.length, 2)
  })

  test('enabled: false by default; every request causes a verification', async () => {
    await using off = await resourceWith({ enabled: false }, HOUR)
    await off.status()
    await off.status()
    assert.equal(off.asked.length, 2)
    await using on = await resourceWith({ enabled: true }, HOUR)
    await on.status()
    await on.status()
    assert.equal(on.asked.length, 1)
  })

  test('defaultTimeout: 1 minute by default, for a token without a valid expiry', async () => {
    await using at = await resourceWith({ enabled: true }, null)
    assert.ok(await at.isKeptFor(60_000))
  })

  test('Access token cache, maxTimeout: can not be zero or unlimited', async () => {
    for (const [maxTimeout, expected] of [
      ['zero', 'expected a duration of more than zero, got "zero"'],
      ['unlimited', 'expected a limited duration, got "unlimited"'],
    ] as const) {
      await assert.rejects(resourceWith({ enabled: true, maxTimeout }, null), {
        message: `/heap/0/config/cache/maxTimeout: ${expected}`,
      })
    }
  })

  const DAY = { enabled: true, defaultTimeout: '1 hour', maxTimeout: '1 day' }

  test('example: a token without expiry is cached 1 hour', async () => {
    await using at = await resourceWith(DAY, null)
    assert.ok(await at.isKeptFor(HOUR))
  })

  test('example: a token whose expiry is under one day is cached until that expiry', async () => {
    await using at = await resourceWith(DAY, 5 * HOUR)
    await at.status()
    at.clock.advance(5 * HOUR - 1)
    assert.equal(await at.status(), 200)
    assert.equal(at.asked.length, 1)
    at.clock.advance(1)
    assert.equal(await at.status(), 401)
  })

  test('example: a token whose expiry is over one day is cached 1 day', async () => {
    await using at = await resourceWith(DAY, 100 * HOUR)
    assert.ok(await at.isKeptFor(24 * HOUR))
  })
})

describe('cache eviction on revocation', () => {
  test('B56: a revoked access_token is removed from the cache', options, async () => {
    await using at = await managedResource(cached())
    const token = await at.manager.issueToken()
    const other = await at.manager.issueToken()
    assert.deepEqual([await at.status(token), await at.status(token), await at.status(other)], [200, 200, 200])
    assert.equal(at.introspections, 2)
    const heard = at.revocation()
    at.manager.revoke(token)
    await heard
    assert.equal(await at.status(token), 401)
    assert.equal(await at.status(other), 200)
    assert.equal(at.introspections, 3)
  })

  test('a revoked refresh_token revokes all its access tokens', options, async () => {
    await using at = await managedResource(cached())
    at.manager.registerClient({ id: 'refreshing', secret: 'password', scopes: ['mail'], refreshTokenLifetime: HOUR })
    const first = await tokens(at.manager.url, {
      grant_type: 'password',
      username: 'demo',
      password: 'changeit',
      scope: 'mail',
    })
    const second = await tokens(at.manager.url, { grant_type: 'refresh_token', refresh_token: first.refresh_token })
    const access = [first.access_token, second.access_token]
    for (const token of access) assert.equal(await at.status(token), 200)
    const heard = at.revocation()
    await post(`${at.manager.url}/oauth2/realms/root/token/revoke`, {
      token: second.refresh_token ?? first.refresh_token,
    })
    await heard
    for (const token of access) assert.equal(await at.status(token), 401)
  })

  test(
    'B61: after the cache was cleared, two hundred requests with one token cause one introspection',
    options,
    async () => {
      await using at = await managedResource(cached())
      const token = await at.manager.issueToken()
      assert.equal(await at.status(token), 200)
      await at.disconnect()
      await at.reconnect()
      const before = at.introspections
      const statuses = await Promise.all(Array.from({ length: 200 }, () => at.status(token)))
      assert.deepEqual([...new Set(statuses)], [200])
      assert.equal(at.introspections - before, 1)
    },
  )

  test('B57: a token that is revoked during its lookup is not cached', options, async () => {
    await using at = await managedResource(cached())
    const token = await at.manager.issueToken()
    const held = at.manager.hold('introspect')
    const asked = at.status(token)
    await held.arrived
    const heard = at.revocation()
    at.manager.revoke(token)
    await heard
    held.release()
    assert.equal(await asked, 401)
    assert.equal(await at.status(token), 401)
    assert.equal(at.built.metrics.values.get('gw_cache_entries') ?? 0, 0)
  })

  test('without the metadata a token stays cached until its time-out', options, async () => {
    await using at = await managedResource(cached({ maxTimeout: '1 minute' }))
    const token = await at.manager.issueToken({ extra: { authGrantId: null, auditTrackingId: null } })
    assert.equal(await at.status(token), 200)
    const heard = at.revocation()
    at.manager.revoke(token)
    await heard
    assert.equal(await at.status(token), 200)
    at.clock.advance(60_000)
    assert.equal(await at.status(token), 401)
  })
})

describe('B58: cache behaviour on loss of the notification service', () => {
  type Outcome = 'passes, kept' | 'denied' | 'asked, then kept'
  const table: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Outcome>>>>>> = {
    NEVER_CLEAR: {
      connected: { cached: 'passes, kept', uncached: 'asked, then kept', expired: 'asked, then kept' },
      disconnected: { cached: 'passes, kept', uncached: 'denied', expired: 'denied' },
      reconnected: { cached: 'passes, kept', uncached: 'asked, then kept', expired: 'asked, then kept' },
    },
    CLEAR_ON_DISCONNECT: {
      connected: { cached: 'passes, kept', uncached: 'asked, then kept', expired: 'asked, then kept' },
      disconnected: { cached: 'denied', uncached: 'denied', expired: 'denied' },
      reconnected: { cached: 'asked, then kept', uncached: 'asked, then kept', expired: 'asked, then kept' },
    },
    CLEAR_ON_RECONNECT: {
      connected: { cached: 'passes, kept', uncached: 'asked, then kept', expired: 'asked, then kept' },
      disconnected: { cached: 'passes, kept', uncached: 'denied', expired: 'denied' },
      reconnected: { cached: 'asked, then kept', uncached: 'asked, then kept', expired: 'asked, then kept' },
    },
  }
  for (const [strategy, states] of Object.entries(table)) {
    for (const [state, entries] of Object.entries(states)) {
      for (const [entry, outcome] of Object.entries(entries)) {
        test(`${strategy}, ${state}, ${entry}: ${outcome}`, options, async () => {
          const config = cached({ onNotificationDisconnection: strategy, maxTimeout: '1 minute' })
          await using at = await managedResource(config)
          const token = await at.manager.issueToken()
          if (entry !== 'uncached') assert.equal(await at.status(token), 200)
          if (state !== 'connected') await at.disconnect()
          if (entry === 'expired') at.clock.advance(60_000)
          if (state === 'reconnected') await at.reconnect()
          const before = at.introspections
          const seen = [await at.ask(`Bearer ${token}`), await at.ask(`Bearer ${token}`)]
          const asked = outcome === 'asked, then kept' ? 1 : 0
          assert.equal(at.introspections - before, asked)
          const status = outcome === 'denied' ? 503 : 200
          assert.deepEqual(
            seen.map((answer) => answer.status),
            [status, status],
          )
          if (outcome === 'denied') assert.equal(seen[0]?.retryAfter, '5')
        })
      }
    }
  }

  test('CLEAR_ON_DISCONNECT (default): cached tokens are denied too', options, async () => {
    await using at = await managedResource(cached())
    const token = await at.manager.issueToken()
    assert.equal(await at.status(token), 200)
    await at.disconnect()
    assert.equal(await at.status(token), 503)
  })

  test('entries that expire while disconnected are removed', options, async () => {
    await using at = await managedResource(
      cached({ onNotificationDisconnection: 'NEVER_CLEAR', maxTimeout: '1 minute' }),
    )
    assert.equal(await at.status(await at.manager.issueToken()), 200)
    const { values } = at.built.metrics
    assert.equal(values.get('gw_cache_entries'), 1)
    await at.disconnect()
    at.clock.advance(60_000)
    assert.equal(await at.status(at.passed!.request.headers.get('authorization')!.slice(7)), 503)
    assert.equal(values.get('gw_cache_entries'), 0)
  })

  test('it has effect only when amService is set', options, async () => {
    await using at = await managedResource({
      cache: { enabled: true, onNotificationDisconnection: 'CLEAR_ON_DISCONNECT' },
    })
    const token = await at.manager.issueToken()
    assert.equal(await at.status(token), 200)
    await at.disconnect()
    assert.equal(await at.status(token), 200)
    assert.equal(await at.status(await at.manager.issueToken()), 200)
  })

  test('CacheAccessTokenResolver: the same, with its own field names', options, async () => {
    await using at = await managedResource({
      accessTokenResolver: {
        type: 'CacheAccessTokenResolver',
        config: { delegate: INTROSPECTING, amService: 'am', onNotificationDisconnection: 'NEVER_CLEAR' },
      },
    })
    const token = await at.manager.issueToken()
    assert.equal(await at.status(token), 200)
    await at.disconnect()
    assert.equal(await at.status(token), 200)
    assert.equal(await at.status(await at.manager.issueToken()), 503)
    await at.reconnect()
    const heard = at.revocation()
    at.manager.revoke(token)
    await heard
    assert.equal(await at.status(token), 401)
  })
})

async function post(url: string, fields: Record<string, string>): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa('refreshing:password')}` },
    body: new URLSearchParams(fields),
  })
  assert.equal(response.status, 200)
  return response.text()
}

async function tokens(manager: string, fields: Record<string, string>) {
  const text = await post(`${manager}/oauth2/realms/root/access_token`, fields)
  return JSON.parse(text) as { access_token: string; refresh_token: string }
}
