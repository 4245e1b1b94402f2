import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathRoute, RunningGateway } from '#test/gateway'
import { converse } from '#test/listening'
import { type Managed, managing } from '#test/management'

const PASSWORD = 'correct horse'
const SESSION = '/api/studio/session'
const LOGIN = `${SESSION}?_action=login`

/** The cookie of a response, as a browser returns it. */
const cookieOf = ({ headers }: Managed) => String(headers['set-cookie']?.[0]).split(';')[0] as string

describe('session of the Studio', () => {
  let gateway: RunningGateway
  let ask: ReturnType<typeof managing>

  before(async () => {
    gateway = await RunningGateway.start({
      files: { 'secrets/gateway.admin.password': PASSWORD },
      admin: { adminConnector: { allowedHosts: ['manage.test'] } },
      routes: {
        echo: pathRoute('/echo', "${request.headers['Cookie'][0]}|${request.cookies['a'][0].value}"),
      },
    })
    ask = managing(gateway.adminUrl)
  })

  after(() => gateway[Symbol.asyncDispose]())

  const logIn = (password = PASSWORD, headers: Record<string, string> = {}) =>
    ask('POST', LOGIN, { headers, body: { username: 'admin', password } })
  const withCookie = (cookie: string, headers: Record<string, string> = {}) => ({
    headers: { Cookie: cookie, ...headers },
  })

  for (const prefix of ['', '/gateway']) {
    test(`log-in at ${prefix}${SESSION} sets a cookie that opens the API until log-out`, async () => {
      const before = await ask('GET', prefix + SESSION)
      assert.deepEqual(before.json, {
        _id: 'session',
        login: 'password',
        authenticated: false,
        userId: null,
        expires: null,
      })
      const answer = await ask('POST', prefix + LOGIN, { body: { username: 'admin', password: PASSWORD } })
      assert.deepEqual([answer.status, answer.json['authenticated'], answer.json['userId']], [200, true, 'admin'])
      const minutes = (Date.parse(String(answer.json['expires'])) - Date.now()) / 60_000
      assert.ok(minutes > 29 && minutes <= 30.1, `${minutes}`)
      const { adminPort } = gateway.gateway
      const [set] = answer.headers['set-cookie'] ?? []
      assert.match(
        String(set),
        new RegExp(`^gateway-studio-${adminPort}=[\\w-]{43}; Path=/; SameSite=Strict; HttpOnly$`),
      )
      const cookie = cookieOf(answer)
      assert.equal((await ask('GET', `${prefix}/api/info`, withCookie(cookie))).status, 200)
      assert.equal((await ask('GET', prefix + SESSION, withCookie(cookie))).json['authenticated'], true)
      const out = await ask('POST', `${prefix}${SESSION}?_action=logout`, withCookie(cookie))
      assert.equal(out.status, 204)
      assert.match(String(out.headers['set-cookie']?.[0]), /=; Path=\/; Max-Age=0; /)
      assert.equal((await ask('GET', `${prefix}/api/info`, withCookie(cookie))).status, 401)
      assert.equal((await ask('GET', prefix + SESSION, withCookie(cookie))).json['authenticated'], false)
    })
  }

  test('changes by a session are those of the user admin in the audit', async () => {
    const cookie = cookieOf(await logIn())
    const path = '/api/system/objects/_router/routes/by-studio'
    const put = await ask('PUT', path, { ...withCookie(cookie), body: pathRoute('/by-studio', 'x') })
    assert.equal(put.status, 201)
    const filter = encodeURIComponent('objectId co "by-studio"')
    const { json } = await ask('GET', `/api/audit/config?_queryFilter=${filter}`, withCookie(cookie))
    const [event] = json['results'] as { userId: string; authentication: string }[]
    assert.deepEqual([event?.userId, event?.authentication], ['admin', 'studio'])
  })

  test('a second log-in of a browser ends its first session', async () => {
    const first = cookieOf(await logIn())
    const second = cookieOf(await logIn(PASSWORD, { Cookie: first }))
    assert.notEqual(first, second)
    assert.equal((await ask('GET', '/api/info', withCookie(first))).status, 401)
    assert.equal((await ask('GET', '/api/info', withCookie(second))).status, 200)
  })

  test('bad log-ins: no cookie, no dialog of the browser, and 400 for another body', async () => {
    for (const body of [
      { username: 'admin', password: 'wrong' },
      { username: 'root', password: PASSWORD },
      { username: 'admin', password: '' },
    ]) {
      const { status, headers } = await ask('POST', LOGIN, { body })
      assert.equal(status, 401)
      assert.equal(headers['set-cookie'], undefined)
      assert.doesNotMatch(String(headers['www-authenticate']), /basic/i)
    }
    for (const body of [{}, [], { username: 'admin' }, { username: 1, password: PASSWORD }]) {
      assert.equal((await ask('POST', LOGIN, { body })).status, 400)
    }
    const form = await gateway.askAdmin(LOGIN, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'username=admin&password=x',
    })
    assert.equal(form.status, 415)
    assert.equal((await ask('PUT', SESSION, { body: {} })).status, 501)
    assert.ok(gateway.log.lines.some((line) => line.includes('log-in to the Studio refused')))
    assert.ok(!gateway.log.lines.some((line) => line.includes('wrong')), 'passwords are not logged')
  })

  test('forged and foreign cookies open nothing', async () => {
    const cookie = cookieOf(await logIn())
    const [name] = cookie.split('=')
    for (const header of [
      `${name}=${'A'.repeat(43)}`,
      `${name}=`,
      `${name}=x; ${name}=${'A'.repeat(43)}`,
      cookie.replace('studio-', 'studio-1'),
    ]) {
      assert.equal((await ask('GET', '/api/info', withCookie(header))).status, 401, header)
    }
    const wrong = withCookie(cookie, { Authorization: 'Bearer wrong' })
    assert.equal((await ask('GET', '/api/info', wrong)).status, 401)
    assert.equal((await ask('GET', '/api/info', withCookie(cookie))).status, 200)
  })

  test('further cookies of the name do not lock out, and a log-out ends every session of the browser', async () => {
    const [first, second] = [cookieOf(await logIn()), cookieOf(await logIn())]
    const [name] = first.split('=')
    const forged = `${name}=${'A'.repeat(43)}`
    for (const header of [`${forged}; ${first}`, `${first}; ${forged}`, `${name}=; ${first}; ${name}=x`]) {
      assert.equal((await ask('GET', '/api/info', withCookie(header))).status, 200, header)
      assert.equal((await ask('GET', SESSION, withCookie(header))).json['authenticated'], true, header)
    }
    const foreign = withCookie(`${forged}; ${first}`, { Origin: `http://127.0.0.1:${gateway.port}` })
    assert.equal((await ask('GET', '/api/info', foreign)).status, 403)
    const many = `${Array(40).fill(forged).join('; ')}; ${first}`
    assert.equal((await ask('GET', '/api/info', withCookie(many))).status, 401, 'not more than 32 are read')
    const out = await ask('POST', `${SESSION}?_action=logout`, withCookie(`${forged}; ${first}; ${second}`))
    assert.equal(out.status, 204)
    for (const cookie of [first, second]) {
      assert.equal((await ask('GET', '/api/info', withCookie(cookie))).status, 401)
    }
  })

  test('B84: a session is not accepted from another port of the host, nor is a log-in', async () => {
    const cookie = cookieOf(await logIn())
    const other = { Origin: `http://127.0.0.1:${gateway.port}` }
    const site = { 'Sec-Fetch-Site': 'same-site' }
    for (const headers of [other, site, { Origin: 'null' }]) {
      assert.equal((await ask('GET', '/api/info', withCookie(cookie, headers))).status, 403)
      assert.equal((await ask('DELETE', '/api/info', withCookie(cookie, headers))).status, 403)
      assert.equal((await logIn(PASSWORD, headers)).status, 403)
    }
    const own = { Origin: gateway.adminUrl, 'Sec-Fetch-Site': 'same-origin' }
    assert.equal((await ask('GET', '/api/info', withCookie(cookie, own))).status, 200)
    assert.equal((await logIn(PASSWORD, { ...own, Cookie: cookie })).status, 200)
    assert.equal((await logIn(PASSWORD, { Host: 'evil.test' })).status, 403)
  })

  test('scripts get a 401 for which browsers show no dialog, navigations get Basic', async () => {
    const script = await ask('GET', '/api/info', {
      headers: { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Site': 'same-origin' },
    })
    assert.deepEqual([script.status, script.headers['www-authenticate']], [401, 'Bearer realm="IdentityGateway"'])
    const page = await ask('GET', '/api/info', { headers: { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'none' } })
    assert.match(String(page.headers['www-authenticate']), /^Basic /)
  })

  test('traffic connectors remove the cookie before any route sees it, and keep the others', async () => {
    const cookie = cookieOf(await logIn())
    assert.equal((await gateway.ask('/echo', withCookie(cookie))).text, '|')
    assert.equal((await gateway.ask('/echo', withCookie(`a=1; ${cookie}; b=2`))).text, 'a=1; b=2|1')
    const raw = await converse(
      gateway.port,
      `GET /echo HTTP/1.1\r\nHost: localhost\r\ncookie: ${cookie}\r\nCookie: a=1\r\nCOOKIE: ${cookie}; b=2\r\nConnection: close\r\n\r\n`,
    )
    assert.match(raw, /\r\n\r\na=1; b=2\|1$/)
  })

  test('descriptors describe the session', async () => {
    const { json, status } = await ask('GET', '/api?_api', {
      headers: { Authorization: `Basic ${btoa(`admin:${PASSWORD}`)}` },
    })
    assert.equal(status, 200)
    assert.ok(Object.keys(json['paths'] as object).some((path) => path.startsWith(SESSION)))
    assert.equal((await ask('GET', `${SESSION}?_api`)).status, 200)
  })

  test('of many guesses at one time some get 429 with Retry-After, and the right password is accepted after them', async () => {
    const many = await Promise.all(Array.from({ length: 80 }, (_, n) => logIn(`guess ${n}`)))
    const refused = many.filter(({ status }) => status === 429)
    assert.ok(refused.length > 0)
    assert.ok(refused.every(({ headers }) => Number(headers['retry-after']) > 0))
    assert.equal((await logIn()).status, 200)
  })

  test('a changed password ends the sessions', async () => {
    await using other = await RunningGateway.start({ files: { 'secrets/gateway.admin.password': 'old' } })
    const send = managing(other.adminUrl)
    const cookie = cookieOf(await send('POST', LOGIN, { body: { username: 'admin', password: 'old' } }))
    assert.equal((await send('GET', '/api/info', withCookie(cookie))).status, 200)
    other.instance.write('secrets/gateway.admin.password', 'new')
    assert.equal((await send('GET', '/api/info', withCookie(cookie))).status, 401)
    other.instance.write('secrets/gateway.admin.password', 'old')
    assert.equal((await send('GET', '/api/info', withCookie(cookie))).status, 401)
  })

  test('a password file that can not be read for a while ends no session, and prevents no log-out', async () => {
    await using other = await RunningGateway.start({ files: { 'secrets/gateway.admin.password': 'old' } })
    const send = managing(other.adminUrl)
    const cookie = cookieOf(await send('POST', LOGIN, { body: { username: 'admin', password: 'old' } }))
    const file = join(other.instance.directory, 'secrets/gateway.admin.password')
    const statuses = async () => {
      const reads = ['/api/info', SESSION].map((path) => send('GET', path, withCookie(cookie)))
      return (await Promise.all(reads)).map(({ status }) => status)
    }
    renameSync(file, `${file}.aside`)
    mkdirSync(file)
    assert.deepEqual(await statuses(), [500, 500])
    rmdirSync(file)
    renameSync(`${file}.aside`, file)
    assert.deepEqual(await statuses(), [200, 200])
    renameSync(file, `${file}.aside`)
    mkdirSync(file)
    assert.equal((await send('POST', `${SESSION}?_action=logout`, withCookie(cookie))).status, 204)
    rmdirSync(file)
    renameSync(`${file}.aside`, file)
    assert.equal((await send('GET', '/api/info', withCookie(cookie))).status, 401)
  })
})

test('DEVELOPMENT mode without a password asks loopback callers for no log-in', async () => {
  await using gateway = await RunningGateway.start({ env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' } })
  const ask = managing(gateway.adminUrl)
  const { json } = await ask('GET', SESSION)
  assert.deepEqual([json['login'], json['authenticated']], ['none', true])
  const login = await ask('POST', LOGIN, { body: {} })
  assert.deepEqual([login.status, login.headers['set-cookie']], [200, undefined])
})

test('PRODUCTION mode without a password says so at log-in', async () => {
  await using gateway = await RunningGateway.start()
  const { status, json } = await managing(gateway.adminUrl)('POST', LOGIN, {
    body: { username: 'admin', password: '' },
  })
  assert.equal(status, 401)
  assert.match(String(json['message']), /no admin password is configured/)
})

test('with studio: false there is no session', async () => {
  await using gateway = await RunningGateway.start({
    admin: { studio: false },
    files: { 'secrets/gateway.admin.password': 'password' },
  })
  const headers = { Authorization: 'Bearer password' }
  const ask = managing(gateway.adminUrl, { headers })
  assert.equal((await ask('GET', SESSION)).status, 404)
  assert.equal((await ask('POST', LOGIN, { body: { username: 'admin', password: 'password' } })).status, 404)
})

test('the limits of sessions are configurable, and a bad one is named', async () => {
  await using gateway = await RunningGateway.start({
    admin: { studio: { idleTimeout: '1 hour', sessionTimeout: '5 minutes' } },
    files: { 'secrets/gateway.admin.password': 'p' },
  })
  const { json } = await managing(gateway.adminUrl)('POST', LOGIN, { body: { username: 'admin', password: 'p' } })
  assert.ok(Date.parse(String(json['expires'])) - Date.now() < 301_000)
  await assert.rejects(RunningGateway.start({ admin: { studio: { idleTimeout: 'soon' } } }), /idleTimeout/)
  await assert.rejects(RunningGateway.start({ admin: { studio: 'yes' } }), /studio/)
})

test('with adminProtection that filter logs in, and returns the browser to the Studio', async () => {
  const filter = {
    type: 'SwitchFilter',
    config: {
      onRequest: [
        {
          condition: "${request.headers['X-Token'][0] != 'good'}",
          handler: {
            type: 'StaticResponseHandler',
            config: { status: 302, headers: { Location: ['https://login.test/'] } },
          },
        },
      ],
    },
  }
  await using gateway = await RunningGateway.start({
    admin: { adminProtection: filter },
    files: { 'secrets/gateway.admin.password': 'p' },
  })
  const ask = managing(gateway.adminUrl)
  const { json } = await ask('GET', SESSION)
  assert.deepEqual([json['login'], json['authenticated']], ['adminProtection', null])
  assert.equal((await ask('POST', LOGIN, { body: { username: 'admin', password: 'p' } })).status, 409)
  const refused = await ask('GET', '/api/studio/login')
  assert.deepEqual([refused.status, refused.headers.location], [302, 'https://login.test/'])
  const good = { headers: { 'X-Token': 'good' } }
  for (const [path, location] of [
    ['/api/studio/login', '../../studio/'],
    ['/gateway/api/studio/login?page=routes/a%20b', null],
    ['/gateway/api/studio/login?page=routes/a?x=1', '../../studio/routes/a?x=1'],
    ['/api/studio/login?page=//evil.test', null],
    ['/api/studio/login?page=../api/info', null],
    ['/api/studio/login?page=a/%2e%2e/%2e%2e/b', null],
    ['/api/studio/login?page=%252e%252E/%252e%252e/b', null],
    ['/api/studio/login?page=a/.%252e/b', null],
    ['/api/studio/login?page=routes/a%252eb', '../../studio/routes/a%2eb'],
  ] as const) {
    const answer = await ask('GET', path, good)
    assert.deepEqual([path, answer.headers.location ?? null], [path, location])
    assert.equal(answer.status, location === null ? 400 : 303)
  }
})
