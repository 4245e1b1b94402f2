import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { RunningGateway, textRoute } from '#test/gateway'
import { converse, RawClient } from '#test/listening'
import type { ReceivedResponse } from '#test/send-request'

const PASSWORD = 'correct horse'
const basic = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`
const authorized = { headers: { Authorization: basic } }

describe('management connector', () => {
  let gateway: RunningGateway

  before(async () => {
    gateway = await RunningGateway.start({
      units: 2,
      files: { 'secrets/gateway.admin.password': `${PASSWORD}\n` },
      admin: { adminConnector: { allowedHosts: ['manage.test'] } },
      routes: { all: textRoute('a route') },
    })
  })

  after(() => gateway[Symbol.asyncDispose]())

  const HEALTH = [
    '/ping',
    '/health/live',
    '/health/ready',
    '/health/startup',
    '/livez',
    '/readyz',
    '/startupz',
    '/healthz',
  ]
  for (const path of HEALTH.flatMap((name) => [name, `/gateway${name}`])) {
    test(`${path} is 200 without credentials, with no details`, async () => {
      const { status, text, headers } = await gateway.askAdmin(path)
      assert.deepEqual([status, text, headers['cache-control']], [200, '', 'no-store'])
      assert.equal((await gateway.askAdmin(path, { method: 'HEAD' })).status, 200)
      assert.equal((await gateway.askAdmin(path, { method: 'POST' })).status, 405)
    })
  }

  test('?verbose lists the checks, one for each unit', async () => {
    const { headers, text } = await gateway.askAdmin('/readyz?verbose')
    assert.equal(headers['content-type'], 'application/json; charset=UTF-8')
    const { status, checks } = JSON.parse(text) as { status: string; checks: { name: string; ok: boolean }[] }
    assert.equal(status, 'UP')
    assert.deepEqual(
      checks.map(({ name, ok }) => `${name} ${ok}`),
      ['started true', 'accepting true', 'unit-0 true', 'unit-1 true'],
    )
  })

  test('B19: no header makes another path a health endpoint', async () => {
    const headers = { 'User-Agent': 'kube-probe/1.0', 'X-Original-URL': '/ping', 'X-Rewrite-URL': '/ping' }
    assert.equal((await gateway.askAdmin('/api/info', { headers })).status, 401)
    assert.equal((await gateway.ask('/other', { headers })).text, 'a route')
  })

  for (const path of ['/api/info', '/gateway/api/info']) {
    test(`${path} has version, revision, mode, units and revision of the configuration`, async () => {
      const { status, text } = await gateway.askAdmin(path, authorized)
      assert.equal(status, 200)
      const { configRevision, ...info } = JSON.parse(text) as Record<string, unknown>
      assert.deepEqual(info, { _id: 'info', version: '1.2.3', revision: 'test', mode: 'PRODUCTION', units: 2 })
      assert.match(String(configRevision), /^[0-9a-f]{12}$/)
    })
  }

  test('errors have the form of Common REST, and reveal neither the product nor its files', async () => {
    const missing = await gateway.askAdmin('/api/nothing', authorized)
    assert.equal(missing.status, 404)
    assert.deepEqual(JSON.parse(missing.text), {
      code: 404,
      reason: 'Not Found',
      message: 'there is nothing at /api/nothing',
    })
    assert.equal(missing.headers['x-content-type-options'], 'nosniff')
    const refused = await gateway.askAdmin('/api/info')
    assert.equal(refused.status, 401)
    assert.doesNotMatch(refused.text, /\/work|node|\.ts/)
    const method = await gateway.askAdmin('/api/info', { ...authorized, method: 'DELETE' })
    assert.deepEqual([method.status, method.headers.allow], [405, 'GET, HEAD'])
  })

  test('B47: two Authorization headers, or a wrong one, are 401', async () => {
    for (const fields of [
      `Authorization: ${basic}\r\nAuthorization: ${basic}\r\n`,
      'Authorization: Bearer wrong\r\n',
      '',
    ]) {
      const answer = await converse(
        gateway.gateway.adminPort,
        `GET /api/info HTTP/1.1\r\nHost: localhost\r\n${fields}Connection: close\r\n\r\n`,
      )
      assert.match(answer, /^HTTP\/1\.1 40[01] /)
    }
    assert.equal(
      (await gateway.askAdmin('/api/info', { headers: { Authorization: `Bearer ${PASSWORD}` } })).status,
      401,
    )
  })

  describe('B84: rebinding and cross-site requests', () => {
    const status = async (path: string, headers: Record<string, string>, method = 'GET') =>
      (await gateway.askAdmin(path, { method, headers: { Authorization: basic, ...headers } })).status

    test('a Host that does not name the connector is 403 on every path', async () => {
      for (const host of [
        'evil.test',
        'localhost.evil.test',
        '127.0.0.1.evil.test',
        '10.0.0.1',
        '[::2]',
        'manage.test.evil.test',
      ]) {
        assert.deepEqual([host, await status('/api/info', { Host: host })], [host, 403])
        assert.deepEqual([host, await status('/ping', { Host: host })], [host, 403])
      }
    })

    test('loopback names and configured ones pass, with and without a port, in any case', async () => {
      for (const host of ['localhost', 'LOCALHOST:8085', '127.0.0.1', '[::1]:1', 'manage.test', 'Manage.TEST:443']) {
        assert.deepEqual([host, await status('/api/info', { Host: host })], [host, 200])
      }
    })

    test('changes from pages of another origin are 403; reads and changes without an origin are not', async () => {
      assert.equal(await status('/api/x', { Origin: 'http://evil.test' }, 'POST'), 403)
      assert.equal(await status('/api/x', { Origin: 'null' }, 'PUT'), 403)
      assert.equal(await status('/api/x', { 'Sec-Fetch-Site': 'cross-site' }, 'DELETE'), 403)
      assert.equal(await status('/api/x', { 'Sec-Fetch-Site': 'same-site' }, 'PATCH'), 403)
      assert.equal(await status('/api/x', { 'Sec-Fetch-Site': 'same-origin', Origin: gateway.adminUrl }, 'POST'), 404)
      assert.equal(await status('/api/x', {}, 'POST'), 404)
      assert.equal(await status('/api/info', { Origin: 'http://evil.test', 'Sec-Fetch-Site': 'cross-site' }), 200)
    })

    test('no response has CORS headers for other origins', async () => {
      const { headers } = await gateway.askAdmin('/api/info', {
        headers: { Authorization: basic, Origin: 'http://evil.test' },
      })
      assert.equal(headers['access-control-allow-origin'], undefined)
    })
  })

  test('a body over 1 MiB is 413, declared or not', async () => {
    const port = gateway.gateway.adminPort
    const head = `POST /api/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic}\r\n`
    assert.match(await converse(port, `${head}Content-Length: ${2 ** 20 + 1}\r\n\r\n`), /^HTTP\/1\.1 413 /)
    await using client = new RawClient(port)
    client.send(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    for (let sent = 0; sent <= 17; sent++) client.send(chunk)
    await client.receives(/^HTTP\/1\.1 413 /)
    const within = await gateway.askAdmin('/api/x', { ...authorized, method: 'POST', body: 'x'.repeat(2 ** 20) })
    assert.equal(within.status, 404)
  })

  const refused: readonly (readonly [string, number, RegExp])[] = [
    ['GET /api/system/objects/_router/routes/a%2fb HTTP/1.1\r\nHost: localhost', 400, /path/],
    ['GET /api/system/objects/_router/routes/%ff HTTP/1.1\r\nHost: localhost', 400, /path/],
    ['GET /api/info HTTP/1.1\r\nHost: a@b', 400, /user information/],
    ['TRACE /api/info HTTP/1.1\r\nHost: localhost', 405, /TRACE/],
    ['FOO /api/info HTTP/1.1\r\nHost: localhost', 501, /method/],
    ['FOO /api/info x HTTP/1.1\r\nHost: localhost', 400, /no HTTP request/],
    ['CONNECT localhost:1 HTTP/1.1\r\nHost: localhost:1', 405, /CONNECT/],
    [`GET /api/info?_queryFilter=${'('.repeat(20_000)} HTTP/1.1\r\nHost: localhost`, 431, /over the limit/],
    [`POST /api/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${2 ** 20 + 1}`, 413, /Content-Length/],
  ]
  for (const [head, status, reason] of refused) {
    test(`${head.split('\r\n')[0]?.slice(0, 60)} is refused with ${status} in the form of every other error, with the reason`, async () => {
      const answer = await converse(gateway.gateway.adminPort, `${head}\r\nConnection: close\r\n\r\n`)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.match(answer, /Content-Type: application\/json; charset=UTF-8\r\n/)
      assert.equal(/\r\nAllow: GET, /.test(answer), status === 405)
      const body = JSON.parse(answer.slice(answer.indexOf('{'))) as { code: number; message: string }
      assert.equal(body.code, status)
      assert.match(body.message, reason)
    })
  }

  test('B12, B83: a traffic port serves neither management nor routes on its paths', async () => {
    const targets = [
      '/gateway',
      '/gateway/',
      '/gateway/ping',
      '/gateway/api/info',
      '/GATEWAY/ping',
      '/Gateway/api/info',
      '/%67ateway/ping',
      '/%47ATEWAY/api/info',
      '//gateway/ping',
      '///gateway/api/info',
      '/x/../gateway/ping',
      '/./gateway/ping',
      '/gateway;x=1/ping',
      '/gateway/../gateway/ping',
      '/gateway%2fping',
      '/gateway?x',
      '/gateway#x',
      '/x/%2e%2e/gateway/ping',
      'http://localhost/gateway/ping',
      'http://localhost//gateway/ping',
      'http://localhost:8085/gateway/ping',
    ]
    for (const target of targets) {
      for (const host of ['localhost', `localhost:${gateway.gateway.adminPort}`]) {
        const answer = await converse(
          gateway.port,
          `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${basic}\r\nConnection: close\r\n\r\n`,
        )
        assert.match(answer, /^HTTP\/1\.1 (404|400) /, `${target}: ${answer.slice(0, 60)}`)
        assert.doesNotMatch(answer, /a route|configRevision/, target)
      }
    }
    for (const path of ['/ping', '/api/info', '/metrics', '/health/ready', '/gatewayx', '/x/gateway/ping']) {
      assert.equal((await gateway.ask(path, authorized)).text, 'a route', path)
    }
  })
})

test('B83: without a configured secret PRODUCTION is 401 with a warning, DEVELOPMENT accepts loopback clients with a warning', async () => {
  await using production = await RunningGateway.start()
  assert.equal((await production.askAdmin('/api/info')).status, 401)
  assert.equal((await production.askAdmin('/api/x', { method: 'PUT', body: '{}' })).status, 401)
  assert.equal((await production.askAdmin('/ping')).status, 200)
  assert.equal((await production.askAdmin('/metrics/prometheus')).status === 401, false)
  await production.log.until(/no admin password is configured/)

  await using development = await RunningGateway.start({ env: { GATEWAY_RUN_MODE: 'development' } })
  assert.equal((await development.askAdmin('/api/info')).status, 200)
  await development.log.until(/open to every process on this machine/)

  await using secured = await RunningGateway.start({
    admin: { mode: 'DEVELOPMENT' },
    env: { GATEWAY_ADMIN_PASSWORD: 'x' },
  })
  assert.equal((await secured.askAdmin('/api/info')).status, 401)
  assert.equal((await secured.askAdmin('/api/info', { headers: { Authorization: 'Bearer x' } })).status, 200)
})

test('metricsProtection decides alone for the metrics, also on loopback; the API keeps its credentials', async () => {
  const condition = "${request.headers['authorization'][0] == 'Bearer scrape'}"
  await using guarded = await RunningGateway.start({
    admin: { metricsProtection: { type: 'ConditionEnforcementFilter', config: { condition } } },
    files: { 'secrets/gateway.admin.password': 'word' },
  })
  const statusOf = async (path: string, Authorization?: string) =>
    (await guarded.askAdmin(path, Authorization === undefined ? {} : { headers: { Authorization } })).status
  for (const path of ['/metrics/prometheus', '/metrics/prometheus/0.0.4', '/metrics/api?_queryFilter=true']) {
    assert.deepEqual(
      [await statusOf(path), await statusOf(path, 'Bearer word'), await statusOf(path, 'Bearer scrape')],
      [403, 403, 200],
      path,
    )
  }
  assert.deepEqual(
    [await statusOf('/api/info', 'Bearer scrape'), await statusOf('/api/info', 'Bearer word')],
    [401, 200],
  )
})

test('adminProtection: a filter of the admin heap protects the API instead of the credentials; health stays open', async () => {
  await using gateway = await RunningGateway.start({
    admin: {
      adminProtection: 'guard',
      prefix: 'manage',
      heap: [
        {
          name: 'guard',
          type: 'ConditionEnforcementFilter',
          config: { condition: "${request.headers['X-Key'][0] == 'open'}" },
        },
      ],
    },
    files: { 'secrets/gateway.admin.password': PASSWORD },
    routes: { all: textRoute('a route') },
  })
  assert.equal((await gateway.askAdmin('/api/info', { headers: { 'X-Key': 'open' } })).status, 200)
  assert.equal((await gateway.askAdmin('/manage/api/info', { headers: { 'X-Key': 'open' } })).status, 200)
  assert.equal((await gateway.askAdmin('/api/info', authorized)).status, 403)
  assert.equal((await gateway.askAdmin('/manage/ping')).status, 200)
  assert.equal((await gateway.ask('/manage/ping')).status, 404)
  assert.equal((await gateway.ask('/gateway/ping')).text, 'a route')
})

test('the routes of a gateway that is just starting are 503 and not 404', async () => {
  const path = '/api/system/objects/_router/routes?_queryFilter=true'
  const early: ReceivedResponse[] = []
  await using gateway = await RunningGateway.start({
    admin: { mode: 'DEVELOPMENT' },
    whileStarting: async (starting) => {
      early.push(await starting.askAdmin(path), await starting.askAdmin('/api/info'))
    },
  })
  const [routes, info] = early
  assert.ok(routes?.status === 200 || (routes?.status === 503 && routes.headers['retry-after'] === '1'))
  assert.equal(info?.status, 200)
  assert.equal((await gateway.askAdmin(path)).status, 200)
})
