// Routes that access tokens protect, in a whole gateway with two units, with an access manager over HTTP and
// WebSocket and its faults.
import assert from 'node:assert/strict'
import { Agent, type IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { DevelopmentAccessManager, REVOCATION_TOPIC } from '#dev'
import { RunningGateway } from '#test/gateway'
import { H2Client } from '#test/h2-client'
import { introspectionServer } from '#test/introspection-server'
import type { RequestOptions } from '#test/send-request'
import { Stopwatch } from '#test/stopwatch'
import { keyStoreWith } from '#test/test-identity'
import { once, waitUntil } from '#test/waiting'
import { webSocketUpstream } from '#test/websocket'

const options = { timeout: 120_000 }

/** Requests with invalid tokens, twenty for each valid token of the cache. */
const BURST = 1_000

/** The heap of config.json: the access manager, and a cache that all routes share. */
function root(url: string, onNotificationDisconnection: string) {
  return {
    handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } },
    heap: [
      {
        name: 'secrets',
        type: 'FileSystemSecretStore',
        config: { directory: '&{gateway.instance.dir}/secrets', format: 'PLAIN' },
      },
      {
        name: 'am',
        type: 'AmService',
        config: {
          url,
          agent: { username: 'ig_agent', passwordSecretId: 'agent.password' },
          secretsProvider: 'secrets',
          notifications: { reconnectDelay: '50 milliseconds' },
        },
      },
      {
        name: 'asAgent',
        type: 'Chain',
        config: {
          filters: [
            {
              type: 'HttpBasicAuthenticationClientFilter',
              config: { username: 'ig_agent', passwordSecretId: 'agent.password', secretsProvider: 'secrets' },
            },
          ],
          handler: 'ForgeRockClientHandler',
        },
      },
      {
        name: 'tokens',
        type: 'CacheAccessTokenResolver',
        config: {
          amService: 'am',
          onNotificationDisconnection,
          delegate: {
            type: 'TokenIntrospectionAccessTokenResolver',
            config: { amService: 'am', providerHandler: 'asAgent' },
          },
        },
      },
    ],
  }
}

function route(path: string, scopes: readonly string[], handler: object = TEXT, fields: object = {}) {
  return {
    condition: `\${find(request.uri.path, '^${path}')}`,
    ...fields,
    handler: {
      type: 'Chain',
      config: {
        filters: [{ type: 'OAuth2RSFilter', config: { scopes, requireHttps: false, accessTokenResolver: 'tokens' } }],
        handler,
      },
    },
  }
}

const TEXT = {
  type: 'StaticResponseHandler',
  config: {
    status: 200,
    headers: { 'Content-Type': ['text/plain'] },
    entity: '${contexts.oauth2.accessToken.info.username}',
  },
}

/** A gateway and its access manager. */
async function managed({ strategy = 'CLEAR_ON_DISCONNECT', units = 2, routes = {} } = {}) {
  const manager = await DevelopmentAccessManager.start()
  const gateway = await RunningGateway.start({
    units,
    files: { 'secrets/agent.password': 'password', 'config/config.json': root(manager.url, strategy) },
    routes: { mail: route('/mail', ['mail']), admin: route('/admin', ['mail', 'admin']), ...routes },
  }).catch(async (error: unknown) => {
    await manager.close()
    throw error
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const ask = (path: string, token: string, asking: RequestOptions = {}) =>
    gateway.ask(path, { headers: { Authorization: `Bearer ${token}` }, ...asking })
  const at = {
    manager,
    gateway,
    agent,
    ask,
    status: async (path: string, token: string, asking: RequestOptions = {}) => (await ask(path, token, asking)).status,
    connected: () =>
      waitUntil(
        'every unit had its notifications',
        async () => (await gateway.metric('gw_notification_connected')) === units,
      ),
    disconnected: () =>
      waitUntil('no unit had notifications', async () => (await gateway.metric('gw_notification_connected')) === 0),
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await gateway[Symbol.asyncDispose]()
      await manager.close()
    },
  }
  await at.connected()
  return at
}

/** Fills the caches of all units: each connection is served by one of them. */
async function warm(at: Awaited<ReturnType<typeof managed>>, token: string, units = 2): Promise<void> {
  await waitUntil('the token was cached in every unit', async () => {
    assert.equal(await at.status('/mail', token), 200)
    return (await at.gateway.metric('gw_cache_entries')) >= units
  })
}

test(
  'a token passes with its scopes; B54: another route still demands its own, by the same cache',
  options,
  async () => {
    await using at = await managed({ units: 1 })
    const token = await at.manager.issueToken({ username: 'demo', scopes: ['mail'] })
    const passed = await at.ask('/mail', token)
    assert.deepEqual([passed.status, passed.text], [200, 'demo'])
    const refused = await at.ask('/admin', token)
    assert.equal(refused.status, 403)
    assert.match(refused.headers['www-authenticate'] as string, /scope="mail admin"/)
    assert.equal(at.manager.requests('introspect').length, 1)
    assert.equal((await at.gateway.ask('/mail')).status, 401)
  },
)

test('B47: ambiguous credentials are rejected without a call to the authorization server', options, async () => {
  await using at = await managed({ units: 1 })
  const token = await at.manager.issueToken({ scopes: ['mail'] })
  const send = async (authorization: string | string[], path = '/mail') =>
    (await at.gateway.ask(path, { headers: { Authorization: authorization } })).status
  assert.equal(await send([`Bearer ${token}`, `Bearer ${token}`]), 400)
  assert.equal(await send([`Bearer ${token}`, 'Basic eDp5']), 400)
  for (const value of [`Bearer  ${token}`, `Bearer\t${token}`, `Bearer ${token},`, `Bearer ${token} x`]) {
    assert.equal(await send(value), 400)
  }
  for (const value of [`Basic ${token}`, token, `Bearer${token}`]) assert.equal(await send(value), 401)
  assert.ok([401, 431].includes(await send(`Bearer ${'x'.repeat(100_000)}`)))
  assert.equal((await at.gateway.ask(`/mail?access_token=${token}`)).status, 401)
  assert.equal(at.manager.requests('introspect').length, 0)
  assert.equal(await send(`bearer ${token}`), 200)
})

test('B14: requireHttps uses the connection, and forwarding headers of a trusted proxy only', options, async () => {
  const filter = {
    type: 'OAuth2ResourceServerFilter',
    config: {
      scopes: [],
      accessTokenResolver: {
        type: 'TokenIntrospectionAccessTokenResolver',
        config: { endpoint: 'http://127.0.0.1:1/introspect' },
      },
    },
  }
  const routes = { all: { handler: { type: 'Chain', config: { filters: [filter], handler: TEXT } } } }
  const claims = [{ 'X-Forwarded-Proto': 'https' }, { Forwarded: 'proto=https' }, { 'X-Forwarded-Ssl': 'on' }]
  await using open = await RunningGateway.start({ routes })
  for (const headers of claims) assert.equal((await open.ask('/', { headers })).status, 403)
  await using trusting = await RunningGateway.start({ routes, admin: { trustedProxies: ['127.0.0.1/32'] } })
  assert.equal((await trusting.ask('/')).status, 403)
  assert.equal((await trusting.ask('/', { headers: { 'X-Forwarded-Proto': 'http' } })).status, 403)
  assert.equal((await trusting.ask('/', { headers: { 'X-Forwarded-Proto': 'https' } })).status, 401)
})

test(
  'requireHttps: over a connector that speaks TLS a token is looked at, over HTTP/1.1 and HTTP/2',
  options,
  async () => {
    await using server = await introspectionServer()
    server.tokens.set('good', { active: true, username: 'demo' })
    const filter = {
      type: 'OAuth2ResourceServerFilter',
      config: {
        scopes: [],
        accessTokenResolver: {
          type: 'TokenIntrospectionAccessTokenResolver',
          config: { endpoint: server.endpoint },
        },
      },
    }
    await using gateway = await RunningGateway.start({
      files: { 'keys.p12': keyStoreWith('server') },
      routes: { all: { handler: { type: 'Chain', config: { filters: [filter], handler: TEXT } } } },
      admin: {
        connectors: [{ port: 0, host: '127.0.0.1', tls: 'https' }],
        heap: [
          { name: 'keys', type: 'KeyStore', config: { url: '&{gateway.instance.dir}/keys.p12', password: 'changeit' } },
          { name: 'manager', type: 'KeyManager', config: { keystore: 'keys' } },
          { name: 'https', type: 'ServerTlsOptions', config: { keyManager: 'manager' } },
        ],
      },
    })
    await using client = new H2Client(gateway.port)
    const passed = await client.ask('/', { headers: { authorization: 'Bearer good' } })
    assert.deepEqual([passed.status, passed.text], [200, 'demo'])
    assert.equal((await client.ask('/')).status, 401)
    const [response] = (await once(
      get({
        host: '127.0.0.1',
        port: gateway.port,
        headers: { Authorization: 'Bearer good' },
        rejectUnauthorized: false,
        agent: false,
      }),
      'response',
    )) as [IncomingMessage]
    response.resume()
    assert.equal(response.statusCode, 200)
  },
)

test('B56: a revoked token is rejected in every unit in less than a second', options, async () => {
  await using at = await managed()
  const token = await at.manager.issueToken({ scopes: ['mail'] })
  const other = await at.manager.issueToken({ scopes: ['mail'] })
  await warm(at, token)
  using time = new Stopwatch()
  at.manager.revoke(token)
  await waitUntil(
    'two revoked tokens were evicted',
    async () => (await at.gateway.metric('gw_cache_evictions_total', { reason: 'revoked' })) === 2,
  )
  assert.ok(time.elapsed < 1_000)
  for (let i = 0; i < 20; i++) assert.equal(await at.status('/mail', token), 401)
  assert.equal(await at.status('/mail', other), 200)
})

test('a WebSocket connection ends when the token it was opened with is revoked', options, async () => {
  await using upstream = await webSocketUpstream()
  const proxy = { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } }
  await using at = await managed({ routes: { chat: route('/chat', ['mail'], proxy, { baseURI: upstream.url }) } })
  const open = async (token: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${at.gateway.port}/chat`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    await once(socket, 'open')
    return socket
  }
  const token = await at.manager.issueToken({ scopes: ['mail'] })
  const other = await at.manager.issueToken({ scopes: ['mail'] })
  const sockets = [await open(token), await open(token), await open(other)]
  const closed = Promise.all(sockets.slice(0, 2).map((socket) => once(socket, 'close')))
  at.manager.revoke(token)
  for (const [code, reason] of (await closed) as [number, Buffer][]) {
    assert.deepEqual([code, reason.toString()], [1008, 'the access token was revoked'])
  }
  const [, , alive] = sockets
  alive!.send('still here')
  assert.equal(((await once(alive!, 'message')) as [Buffer])[0].toString(), 'still here')
  await assert.rejects(open(token), /401/)
  alive!.terminate()
})

test(
  'a mass revocation ends every open WebSocket connection, whether it names no token or thousands',
  options,
  async () => {
    await using upstream = await webSocketUpstream()
    const proxy = { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } }
    const routes = { chat: route('/chat', ['mail'], proxy, { baseURI: upstream.url }) }
    await using at = await managed({ routes })
    for (const body of [
      { realm: '/', eventType: 'REVOKE' },
      {},
      { realm: '/', grants: Array.from({ length: 2_000 }, (_, n) => `grant-${n}`), eventType: 'REVOKE' },
    ]) {
      const sockets: WebSocket[] = []
      for (let i = 0; i < 6; i++) {
        const token = await at.manager.issueToken({ scopes: ['mail'] })
        const socket = new WebSocket(`ws://127.0.0.1:${at.gateway.port}/chat`, {
          headers: { Authorization: `Bearer ${token}` },
        })
        await once(socket, 'open')
        sockets.push(socket)
      }
      const closed = Promise.all(sockets.map((socket) => once(socket, 'close')))
      at.manager.publish(REVOCATION_TOPIC, body)
      for (const [code, reason] of (await closed) as [number, Buffer][]) {
        assert.deepEqual([code, reason.toString()], [1008, 'the access token was revoked'])
      }
    }
  },
)

test(
  'F11: while introspection is unavailable, cached tokens pass, others get 503 in time; recovery is immediate',
  options,
  async () => {
    await using at = await managed({ units: 1 })
    const kept = await at.manager.issueToken({ scopes: ['mail'] })
    assert.equal(await at.status('/mail', kept), 200)
    const faults = [
      { cut: true },
      { status: 500 },
      { status: 200, body: '<html>' },
      { status: 200, body: '' },
      { status: 302, body: '', headers: { Location: '/elsewhere' } },
    ]
    for (const fault of faults) {
      at.manager.fail('introspect', fault)
      const unknown = await at.manager.issueToken({ scopes: ['mail'] })
      using time = new Stopwatch()
      const refused = await at.ask('/mail', unknown)
      assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '5'])
      assert.ok(time.elapsed < 5_500)
      assert.equal(await at.status('/mail', kept), 200)
      at.manager.heal()
      assert.equal(await at.status('/mail', unknown), 200)
    }
    const silence = at.manager.hold('introspect')
    using time = new Stopwatch()
    assert.equal(await at.status('/mail', await at.manager.issueToken({ scopes: ['mail'] })), 503)
    assert.ok(time.elapsed < 6_500)
    silence.release()
  },
)

for (const strategy of ['NEVER_CLEAR', 'CLEAR_ON_DISCONNECT', 'CLEAR_ON_RECONNECT']) {
  test(
    `F12: the notification socket flaps under load, ${strategy}: nothing passes that the table denies`,
    options,
    async () => {
      await using at = await managed({ strategy })
      const { manager } = at
      const good = await manager.issueToken({ scopes: ['mail'] })
      const asking = { agent: at.agent }
      await warm(at, good)
      const seen = new Set<number>()
      let flapping = true
      const load = Promise.all(
        Array.from({ length: 2 }, async () => {
          while (flapping) {
            seen.add(await at.status('/mail', good, asking))
            await pause(2)
          }
        }),
      )
      for (let flap = 0; flap < 5; flap++) {
        const doomed = await manager.issueToken({ scopes: ['mail'] })
        manager.refuseUpgrades(503)
        manager.dropSockets()
        await at.disconnected()
        // It was never cached, and lookups are denied.
        for (let i = 0; i < 4; i++) assert.equal(await at.status('/mail', doomed), 503)
        manager.revoke(doomed)
        manager.refuseUpgrades(null)
        await at.connected()
        for (let i = 0; i < 4; i++) assert.equal(await at.status('/mail', doomed), 401)
      }
      flapping = false
      await load
      // Cached tokens are accepted all the time unless the strategy clears the cache.
      const allowed = strategy === 'NEVER_CLEAR' ? [200] : [200, 503]
      assert.ok([...seen].every((status) => allowed.includes(status)))
      assert.equal(await at.status('/mail', good), 200)
      assert.equal(manager.sockets, 2)
    },
  )
}

test('B60: a burst of a thousand invalid tokens evicts no valid one and does not stall the unit', options, async () => {
  await using at = await managed({ units: 1 })
  const good = await Promise.all(Array.from({ length: 50 }, () => at.manager.issueToken({ scopes: ['mail'] })))
  for (const token of good) assert.equal(await at.status('/mail', token), 200)
  at.manager.forgetRequests()
  let sent = 0
  const statuses = new Map<number, number>()
  let probes = 0
  const burst = Array.from({ length: 16 }, async () => {
    while (sent < BURST) {
      const status = await at.status('/mail', `bad-${sent++}`, { agent: at.agent })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  })
  const probe = (async () => {
    while (sent < BURST) {
      assert.equal(await at.status('/mail', good[0] as string), 200)
      probes++
    }
  })()
  await Promise.all([...burst, probe])
  assert.deepEqual([...statuses.keys()], [401])
  // One of 17 concurrent requests: a request with a cached token does not wait behind more than a few of the burst.
  assert.ok(probes > BURST / 16 / 4, `${probes} probes were answered during ${BURST} other requests`)
  at.manager.forgetRequests()
  for (const token of good) assert.equal(await at.status('/mail', token), 200)
  assert.equal(at.manager.requests('introspect').length, 0)
  assert.equal(await at.gateway.metric('gw_cache_entries'), 50)
})

test('B60: the same invalid token a thousand times is introspected once in each unit', options, async () => {
  await using at = await managed()
  at.manager.forgetRequests()
  const statuses = new Set<number>()
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (let i = 0; i < 100; i++) statuses.add(await at.status('/mail', 'bad', { agent: at.agent }))
    }),
  )
  assert.deepEqual([...statuses], [401])
  // Five seconds later it is introspected again, and a slow machine may take longer than that.
  assert.ok(at.manager.requests('introspect').length <= 6)
})

test(
  'F14: ten thousand notifications in a row are applied within two seconds, while requests are served',
  options,
  async () => {
    await using at = await managed({ units: 1 })
    const doomed = await at.manager.issueToken({ scopes: ['mail'] })
    const kept = await at.manager.issueToken({ scopes: ['mail'] })
    for (const token of [doomed, kept]) assert.equal(await at.status('/mail', token), 200)
    for (let i = 0; i < 10_000; i++) {
      at.manager.publish(REVOCATION_TOPIC, { realm: '/', authGrantId: `grant-${i}`, auditTrackingId: `audit-${i}` })
      // The access manager shares its thread with the rest of this test.
      if (i % 500 === 499) assert.equal(await at.status('/mail', kept), 200)
    }
    at.manager.revoke(doomed)
    using time = new Stopwatch()
    await waitUntil('the last notification was applied', async () => (await at.status('/mail', doomed)) === 401)
    assert.ok(time.elapsed < 2_000)
    assert.equal(await at.status('/mail', kept), 200)
  },
)
