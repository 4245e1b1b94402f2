// The session rules of 'Route' in the specification, and the rows on sessions of the decisions, through a whole gateway.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseSetCookie } from '#http'
import { RunningGateway } from '#test/gateway'
import type { ReceivedResponse } from '#test/send-request'

const options = { timeout: 60_000 }

/** Counts requests in the session, and returns the cookies that the application receives. */
function counter(path: string, more: object = {}) {
  const value = '${empty session.count ? 1 : session.count + 1}'
  return {
    condition: `\${find(request.uri.path, '^${path}')}`,
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'AssignmentFilter',
            config: {
              onRequest: [
                {
                  condition: "${find(request.uri.path, 'fill')}",
                  target: '${session.filling}',
                  value: "${request.headers['Fill'][0]}",
                },
                { target: '${session.count}', value },
              ],
            },
          },
        ],
        handler: {
          type: 'StaticResponseHandler',
          config: {
            status: 200,
            headers: { Upstream: ["${empty request.headers['Cookie'] ? 'none' : request.headers['Cookie'][0]}"] },
            entity: 'count ${session.count}',
          },
        },
      },
    },
    ...more,
  }
}

const jwt = (config: object = {}) => ({ session: { type: 'AuthenticatedEncryptedJwtSessionManager', config } })
const inMemory = (name: string) => ({ session: { type: 'InMemorySessionManager', config: { cookie: { name } } } })

const setCookies = (answer: ReceivedResponse) => [answer.headers['set-cookie'] ?? []].flat().map(parseSetCookie)
const cookieHeader = (answer: ReceivedResponse) =>
  setCookies(answer)
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')

describe('Route: session rules', () => {
  test(
    '1. when a request enters a route with session, a new session object is built for the route',
    options,
    async () => {
      await using gateway = await RunningGateway.reuse({ routes: { own: counter('/own', inMemory('own')) } })
      const first = await gateway.ask('/own')
      assert.deepEqual([first.text, setCookies(first).map(({ name }) => name)], ['count 1', ['own']])
      assert.equal((await gateway.ask('/own', { headers: { Cookie: cookieHeader(first) } })).text, 'count 2')
      assert.equal((await gateway.ask('/own')).text, 'count 1')
    },
  )

  test('2. session content from a parent is not available in the new session', options, async () => {
    await using gateway = await RunningGateway.reuse({
      routes: { own: counter('/own', inMemory('own')), outside: counter('/outside') },
    })
    const outside = cookieHeader(await gateway.ask('/outside'))
    const inside = await gateway.ask('/own', { headers: { Cookie: outside } })
    assert.equal(inside.text, 'count 1')
    const both = `${outside}; ${cookieHeader(inside)}`
    assert.equal((await gateway.ask('/own', { headers: { Cookie: both } })).text, 'count 2')
    assert.equal((await gateway.ask('/outside', { headers: { Cookie: both } })).text, 'count 2')
  })

  test(
    '3. the content leaves as a signed and encrypted JWT in a cookie, and is not available any more',
    options,
    async () => {
      await using gateway = await RunningGateway.reuse({
        units: 2,
        routes: { own: counter('/own', jwt()), outside: counter('/outside') },
      })
      let answer = await gateway.ask('/own')
      assert.match(cookieHeader(answer), /^gateway-jwt-session=[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/)
      for (let count = 2; count <= 6; count += 1) {
        answer = await gateway.ask('/own', { headers: { Cookie: cookieHeader(answer), Connection: 'close' } })
        assert.equal(answer.text, `count ${count}`)
      }
      assert.equal((await gateway.ask('/outside', { headers: { Cookie: cookieHeader(answer) } })).text, 'count 1')
    },
  )

  test('without session, session storage is unchanged: that of the gateway, shared by routes', options, async () => {
    await using gateway = await RunningGateway.reuse({ routes: { a: counter('/a'), b: counter('/b') } })
    const cookie = cookieHeader(await gateway.ask('/a'))
    assert.equal((await gateway.ask('/b', { headers: { Cookie: cookie } })).text, 'count 2')
  })
})

describe('Session cookie names', () => {
  const routes = { memory: counter('/memory'), jwt: counter('/jwt', jwt()) }

  test(
    'gateway-session in memory, gateway-jwt-session for JWT; HttpOnly, SameSite=Lax; Secure on TLS',
    options,
    async () => {
      await using gateway = await RunningGateway.reuse({ routes })
      for (const [path, name] of [
        ['/memory', 'gateway-session'],
        ['/jwt', 'gateway-jwt-session'],
      ] as const) {
        const [cookie] = setCookies(await gateway.ask(path))
        assert.deepEqual(
          [cookie?.name, cookie?.httpOnly, cookie?.sameSite, cookie?.path, cookie?.secure ?? false, cookie?.domain],
          [name, true, 'Lax', '/', false, undefined],
        )
      }
    },
  )

  test('the session cookie is not sent to applications', options, async () => {
    await using gateway = await RunningGateway.reuse({ routes })
    for (const path of ['/memory', '/jwt']) {
      const cookie = cookieHeader(await gateway.ask(path))
      const { headers } = await gateway.ask(path, { headers: { Cookie: `a=1; ${cookie}; b=2` } })
      assert.match(String(headers['upstream']), /^a=1; b=2$/)
    }
  })
})

describe('Forged, replayed, truncated and oversized session cookies', () => {
  test(
    'B43: whichever byte of a JWT session is changed, it is an empty session, and nothing tells why',
    options,
    async () => {
      await using gateway = await RunningGateway.reuse({ routes: { jwt: counter('/jwt', jwt()) } })
      const [name = '', value = ''] = cookieHeader(await gateway.ask('/jwt')).split('=')
      assert.equal((await gateway.ask('/jwt', { headers: { Cookie: `${name}=${value}` } })).text, 'count 2')
      const places = Array.from({ length: value.length }, (_, at) => at).filter((at) => at % 7 === 0 || at < 12)
      for (const at of places) {
        const other = value[at] === 'A' ? 'g' : 'A'
        const forged = value.slice(0, at) + other + value.slice(at + 1)
        const { status, text } = await gateway.ask('/jwt', { headers: { Cookie: `${name}=${forged}` } })
        assert.deepEqual([status, text], [200, 'count 1'], `byte ${at}`)
      }
    },
  )

  test('truncated, empty, doubled, oversized and forged cookies are empty sessions', options, async () => {
    await using gateway = await RunningGateway.reuse({
      routes: { jwt: counter('/jwt', jwt()), memory: counter('/memory') },
    })
    for (const path of ['/jwt', '/memory']) {
      const [name = '', value = ''] = cookieHeader(await gateway.ask(path)).split('=')
      for (const bad of [
        value.slice(0, -1),
        value.slice(1),
        '',
        `${value}.`,
        `"${value}x"`,
        'A'.repeat(43),
        'x'.repeat(9_000),
        '3~x',
        '99~x',
        'a.b.c',
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`,
        '__proto__',
        '%00',
      ]) {
        const { status, text } = await gateway.ask(path, { headers: { Cookie: `${name}=${bad}` } })
        assert.deepEqual([status, text], [200, 'count 1'], `${path} ${bad.slice(0, 30)}`)
      }
    }
  })

  test('a session id chosen by the client is not used (session fixation)', options, async () => {
    await using gateway = await RunningGateway.reuse({ routes: { memory: counter('/memory') } })
    const chosen = `gateway-session=${'A'.repeat(43)}`
    const given = cookieHeader(await gateway.ask('/memory', { headers: { Cookie: chosen } }))
    assert.notEqual(given, chosen)
    assert.equal((await gateway.ask('/memory', { headers: { Cookie: chosen } })).text, 'count 1')
  })

  test('a JWT session of another gateway, or of another cookie name, is not accepted', options, async () => {
    const routes = {
      a: counter('/a', jwt({ cookie: { name: 'a' } })),
      b: counter('/b', jwt({ cookie: { name: 'b' } })),
    }
    await using one = await RunningGateway.reuse({ routes })
    await using two = await RunningGateway.reuse({ routes })
    const cookie = cookieHeader(await one.ask('/a'))
    assert.equal((await one.ask('/a', { headers: { Cookie: cookie } })).text, 'count 2')
    assert.equal((await two.ask('/a', { headers: { Cookie: cookie } })).text, 'count 1')
    assert.equal((await one.ask('/b', { headers: { Cookie: cookie.replace(/^a=/, 'b=') } })).text, 'count 1')
  })

  test(
    'a session that is too large for one cookie is spread over several, and over several of them is a fault',
    options,
    async () => {
      const session = jwt({ useCompression: false })
      await using gateway = await RunningGateway.reuse({ routes: { jwt: counter('/jwt', session) } })
      const filled = await gateway.ask('/jwt-fill', { headers: { Fill: 'x'.repeat(4_000) } })
      const cookies = setCookies(filled)
      assert.deepEqual(
        cookies.map(({ name }) => name),
        ['gateway-jwt-session', 'gateway-jwt-session-1'],
      )
      for (const { name, value } of cookies) assert.ok(name.length + value.length < 4_000)
      const all = cookieHeader(filled)
      assert.equal((await gateway.ask('/jwt', { headers: { Cookie: all } })).text, 'count 2')
      const [first = '', second = ''] = all.split('; ')
      for (const part of [first, second, `${first}; ${second.slice(0, -5)}`])
        assert.equal((await gateway.ask('/jwt', { headers: { Cookie: part } })).text, 'count 1')
      assert.equal((await gateway.ask('/jwt-fill', { headers: { Fill: 'x'.repeat(12_000) } })).status, 500)
    },
  )
})

describe('JWT session', () => {
  test('no key configured: one random key for all units, with a warning', options, async () => {
    await using gateway = await RunningGateway.reuse({ units: 3, routes: { jwt: counter('/jwt', jwt()) } })
    assert.ok(gateway.log.with(/random key/).length >= 1)
    let answer = await gateway.ask('/jwt')
    for (let count = 2; count <= 12; count += 1) {
      answer = await gateway.ask('/jwt', { headers: { Cookie: cookieHeader(answer), Connection: 'close' } })
      assert.equal(answer.text, `count ${count}`)
    }
  })

  test('authenticatedEncryptionSecretId: gateways with the same key share sessions', options, async () => {
    const key = Buffer.alloc(32, 9).toString('base64')
    const route = counter('/jwt', {
      heap: [
        {
          name: 'keys',
          type: 'FileSystemSecretStore',
          config: {
            directory: '&{gateway.instance.dir}/secrets',
            mappings: [
              {
                secretId: 'session.key',
                format: { type: 'SecretKeyPropertyFormat', config: { format: 'BASE64', algorithm: 'AES' } },
              },
            ],
          },
        },
      ],
      ...jwt({ authenticatedEncryptionSecretId: 'session.key', secretsProvider: 'keys' }),
    })
    const parts = { files: { 'secrets/session.key': key }, routes: { jwt: route } }
    await using one = await RunningGateway.start(parts)
    await using two = await RunningGateway.start(parts)
    const cookie = cookieHeader(await one.ask('/jwt'))
    assert.equal((await two.ask('/jwt', { headers: { Cookie: cookie } })).text, 'count 2')
    assert.equal(one.log.with(/random key/).length, 0)
  })
})
