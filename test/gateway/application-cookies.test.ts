// Applications behind the gateway that set cookies of the gateway itself, by mistake or to log users in as another user.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrowserLike } from '#test/browser-like'
import { RunningGateway } from '#test/gateway'
import { logIn, openIdGateway } from '#test/openid-gateway'
import { httpUpstream } from '#test/upstream'

const SESSION = 'B'.repeat(43)
const OWN = [
  `gateway-session=${SESSION}; Path=/app`,
  `=gateway-session=${SESSION}; Path=/app`,
  ` gateway-session = "${SESSION}"`,
  'gateway-studio-8085=x',
  'gateway-admin-session=x; Domain=example.com',
]
const OTHERS = [
  'theme=dark; Path=/',
  'gateway-session=; Path=/; Max-Age=0',
  'gateway-sessions=1',
  'Gateway-Session=1',
  'iPlanetDirectoryPro=AQIC5w; Domain=example.com',
]
const LOGIN = [
  'gateway-login-abc=x',
  '__Host-gateway-posted-login-abc=x',
  'gateway-answer-abc=x',
  'gateway-rounds-abc=x',
]

const settingCookies = (cookies: readonly string[]) =>
  httpUpstream((_request, response) => response.writeHead(200, { 'Set-Cookie': [...cookies] }).end('page'))

for (const type of ['ReverseProxyHandler', 'ClientHandler']) {
  test(`an application behind a ${type} sets its own cookies, and none of the gateway`, async () => {
    await using upstream = await settingCookies([...OWN, ...OTHERS, ...LOGIN])
    await using gateway = await RunningGateway.start({
      routes: { app: { baseURI: upstream.url, handler: { type, name: 'to the application' } } },
    })
    for (let request = 0; request < 3; request += 1) {
      const { headers } = await gateway.ask('/app')
      // Without a login at the gateway, cookies of logins may be those of another gateway behind it.
      assert.deepEqual(headers['set-cookie'], [...OTHERS, ...LOGIN])
    }
    const logged = gateway.log.lines.filter((line) => line.includes('GW_CLIENT_COOKIE_REMOVED'))
    assert.ok(logged.length > 0 && logged.length < OWN.length * 3, `${logged.length} lines`)
    assert.match(logged[0] as string, /"name":"gateway-session"/)
    assert.ok(!logged.join('').includes(SESSION))
  })
}

test('an application sets no cookie of a login where the gateway logs users in, nor of its session', async () => {
  await using upstream = await settingCookies([...LOGIN, ...OWN, 'theme=dark'])
  await using at = await openIdGateway({ handler: { type: 'ReverseProxyHandler', baseURI: upstream.url } })
  const browser = new BrowserLike()
  const url = `${at.gateway.url}/app/page`
  assert.deepEqual((await logIn(browser, url)).headers.getSetCookie(), ['theme=dark'])
  assert.equal((await browser.ask(url)).text, 'page', 'the session of the user is used')
})

test('a route session in cookies is not set by its application', async () => {
  const cookies = ['gateway-jwt-session=a', 'gateway-jwt-session-1=b', 'gateway-jwt-session-9=c']
  await using upstream = await settingCookies(cookies)
  const count = { target: '${session.count}', value: '1' }
  await using gateway = await RunningGateway.start({
    routes: {
      app: {
        session: { type: 'AuthenticatedEncryptedJwtSessionManager' },
        baseURI: upstream.url,
        handler: {
          type: 'Chain',
          config: {
            filters: [{ type: 'AssignmentFilter', config: { onRequest: [count] } }],
            handler: 'ReverseProxyHandler',
          },
        },
      },
    },
  })
  const set = (await gateway.ask('/app')).headers['set-cookie'] ?? []
  assert.equal(set[0], 'gateway-jwt-session-9=c')
  assert.match(set[1] as string, /^gateway-jwt-session=[\w-]{20,}/)
  assert.equal(set.length, 2)
})
