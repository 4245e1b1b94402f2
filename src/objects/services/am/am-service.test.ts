import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AmService as AccessManager, Notification } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import { Body, Headers, internalExchange, Request } from '#http'
import { buildAmService } from '#test/am-service'
import { type Built, manualClock } from '#test/build'
import { httpUpstream } from '#test/upstream'
import { within } from '#test/waiting'

const quiet = { notifications: { enabled: false } }

/** Requests session information of a user with the session of the agent. */
async function ask({ agentHandler, restUri }: AccessManager, token: string): Promise<number> {
  const headers = new Headers([
    ['Content-Type', 'application/json'],
    ['Accept-API-Version', 'protocol=1.0,resource=4.0'],
  ])
  const body = Body.of(JSON.stringify({ tokenId: token }))
  const uri = restUri('sessions?_action=getSessionInfo')
  const exchange = internalExchange(new Request({ method: 'POST', uri, headers, body }))
  const response = await agentHandler(exchange)
  await response.body.read(100_000)
  exchange.complete()
  return response.status
}

function logged(built: Built<AccessManager>, pattern: RegExp): number {
  return built.log.lines.filter((line) => pattern.test(line)).length
}

test('without notifications the access manager is not called before it is needed', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, quiet)
  assert.equal(built.object.notifications, null)
  assert.equal(manager.requests().length, 0)
})

test('the agent logs in by its journey, with the transaction id, and its session is used for every call', async () => {
  await using manager = await DevelopmentAccessManager.start({ cookieName: 'e3b0c442' })
  await using built = await buildAmService(`${manager.url}/`, quiet)
  const user = manager.login('demo')
  assert.equal(await ask(built.object, user), 200)
  assert.equal(await ask(built.object, user), 200)
  assert.equal(built.object.url, manager.url)
  assert.equal(await built.object.cookieName(), 'e3b0c442')
  const [login, ...more] = manager.requests('authenticate')
  assert.equal(more.length, 0)
  assert.match(login?.target ?? '', /\/json\/realms\/root\/authenticate\?authIndexType=service&authIndexValue=Agent$/)
  assert.equal(login?.headers['accept-api-version'], 'protocol=1.0,resource=2.1')
  assert.match(String(login?.headers['x-vendor-transactionid']), /^[\w-]+\/0$/)
  assert.equal(manager.requests('serverinfo').length, 1)
  assert.equal(built.metrics.values.get('gw_agent_logins_total'), 1)
})

test('concurrent requests share one login', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, quiet)
  const user = manager.login('demo')
  const statuses = await Promise.all(Array.from({ length: 20 }, () => ask(built.object, user)))
  assert.deepEqual([...new Set(statuses)], [200])
  assert.equal(manager.requests('authenticate').length, 1)
})

test('an ended agent session causes one login and one repeated call', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, quiet)
  const user = manager.login('demo')
  await ask(built.object, user)
  manager.expireAgentSessions()
  manager.forgetRequests()
  const statuses = await Promise.all(Array.from({ length: 10 }, () => ask(built.object, user)))
  assert.deepEqual([...new Set(statuses)], [200])
  assert.equal(manager.requests('authenticate').length, 1)
  assert.equal(built.metrics.values.get('gw_agent_logins_total'), 2)
  assert.ok((built.metrics.values.get('gw_agent_replayed_calls_total') ?? 0) >= 1)
})

test('a 403 does not cause a login', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, quiet)
  await ask(built.object, 'any')
  manager.fail('sessions', { status: 403 })
  manager.forgetRequests()
  assert.equal(await ask(built.object, 'any'), 403)
  assert.equal(manager.requests().length, 1)
})

test('a server that rejects its own new sessions does not cause a login for each request', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, quiet)
  manager.fail('sessions', { status: 401 })
  const statuses: number[] = []
  for (let i = 0; i < 20; i++) statuses.push(await ask(built.object, 'any'))
  assert.equal(manager.requests('authenticate').length, 6)
  assert.deepEqual(statuses.slice(0, 5), [401, 401, 401, 401, 401])
  assert.deepEqual([...new Set(statuses.slice(5))], [503])
})

test('a request with a streamed body gets the 401, and the next one the new session', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, quiet)
  const user = manager.login('demo')
  await ask(built.object, user)
  manager.expireAgentSessions()
  manager.forgetRequests()
  const { agentHandler, restUri } = built.object
  const headers = new Headers([['Content-Type', 'application/json']])
  const body = Body.fromStream((await import('node:stream')).Readable.from([Buffer.from('{}')]))
  const uri = restUri('sessions?_action=getSessionInfo')
  const exchange = internalExchange(new Request({ method: 'POST', uri, headers, body }))
  assert.equal((await agentHandler(exchange)).status, 401)
  exchange.complete()
  assert.equal(await ask(built.object, user), 200)
  assert.equal(manager.requests('authenticate').length, 1)
})

test('OpenAM: a module is used where the journey does not exist, and the cookie where the body has no token', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  await using built = await buildAmService(manager.url, quiet)
  assert.deepEqual(await built.object.dialect(), {
    family: 'openam',
    adviceEncoding: 'xml',
    version: '16.0.5',
    losesNotifications: true,
  })
  const ways = () => manager.requests('authenticate').map(({ target }) => target.split('?')[1])
  assert.deepEqual(ways(), [
    'authIndexType=service&authIndexValue=Agent',
    'authIndexType=module&authIndexValue=Application',
  ])
  assert.equal(logged(built, /"module":"Application".*agent logged in by this journey or module/), 1)
  manager.fail('sessions', { status: 401, times: 1 })
  manager.forgetRequests()
  assert.notEqual(await ask(built.object, manager.login('demo')), 503)
  assert.deepEqual(ways(), ['authIndexType=module&authIndexValue=Application'])
})

test('an account that only the default login of the realm accepts logs in there, at once from then on', async () => {
  for (const family of ['pingam', 'openam'] as const) {
    const users = ['gateway', 'demo'].map((name) => ({ name, password: 'password', admin: true }))
    await using manager = await DevelopmentAccessManager.start({ family, users })
    const agent = { username: 'gateway', passwordSecretId: 'agent.password' }
    await using built = await buildAmService(manager.url, { ...quiet, agent })
    const ways = () => manager.requests('authenticate').map(({ target }) => target.split('/authenticate')[1])
    assert.notEqual(await ask(built.object, manager.login('demo')), 503)
    assert.deepEqual(ways(), [
      '?authIndexType=service&authIndexValue=Agent',
      '?authIndexType=module&authIndexValue=Application',
      '',
    ])
    assert.equal(logged(built, /agent logged in by the default login of its realm/), 1)
    manager.fail('sessions', { status: 401, times: 1 })
    manager.forgetRequests()
    assert.notEqual(await ask(built.object, manager.login('demo')), 503)
    assert.deepEqual(ways(), [''])
  }
})

test('a default login that wants more than a name and a password is no reason to change the journey of the agent', async () => {
  await using server = await httpUpstream(({ url = '' }, response) => {
    const isDefault = url.endsWith('/authenticate')
    response.writeHead(isDefault || url.includes('serverinfo') ? 200 : 401, { 'Content-Type': 'application/json' })
    response.end(isDefault ? '{"authId":"x","callbacks":[]}' : '{"cookieName":"iPlanetDirectoryPro"}')
  })
  await using built = await buildAmService(server.url, quiet)
  assert.equal(await ask(built.object, 'any'), 503)
  assert.equal(logged(built, /does not let the agent log in \(401\); check its name, password, realm and journey/), 1)
})

test('with a configured journey no other login is tried', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  const agent = { username: 'ig_agent', passwordSecretId: 'agent.password', journey: 'Gateways' }
  await using built = await buildAmService(manager.url, { ...quiet, agent })
  assert.equal(await ask(built.object, 'any'), 503)
  assert.equal(manager.requests('authenticate').length, 1)
  assert.match(manager.requests('authenticate')[0]?.target ?? '', /authIndexValue=Gateways$/)
})

test('a wrong password is logged once, without the password, and not sent with each request', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const agent = { username: 'ig_agent', passwordSecretId: 'wrong.password' }
  await using built = await buildAmService(manager.url, { ...quiet, agent })
  for (let i = 0; i < 5; i++) assert.equal(await ask(built.object, 'any'), 503)
  assert.equal(manager.requests('authenticate').length, 3)
  assert.equal(logged(built, /agent login failed/), 1)
  assert.equal(logged(built, /does not let the agent log in \(401\); check its name, password, realm and journey/), 1)
  assert.equal(logged(built, /guess|ig_agent|127\.0\.0\.1/), 0)
})

test('a failed login of the agent shows in health until one succeeds, although notifications are connected', async () => {
  const clock = manualClock(Date.now())
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, {}, { clock })
  manager.expireAgentSessions()
  manager.fail('authenticate', { status: 401, times: 2 })
  assert.equal(await ask(built.object, 'any'), 503)
  assert.deepEqual(built.states.slice(-2), [
    'up: notifications: connected',
    'degraded: the last login of the agent failed',
  ])
  clock.advance(10_000)
  assert.notEqual(await ask(built.object, 'any'), 503)
  assert.equal(built.states.at(-1), 'up: notifications: connected')
})

test('without notifications the state is that of the agent', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const agent = { username: 'ig_agent', passwordSecretId: 'wrong.password' }
  await using built = await buildAmService(manager.url, { ...quiet, agent })
  assert.equal(await ask(built.object, 'any'), 503)
  assert.deepEqual(built.states, ['degraded: the last login of the agent failed'])
})

const NONSENSE: [string, Parameters<DevelopmentAccessManager['fail']>[1], RegExp][] = [
  ['callbacks', { status: 200, body: { authId: 'x', callbacks: [] } }, /wants more than a name and a password/],
  ['HTML', { status: 200, body: '<html>' }, /expected a tokenId or the session cookie, got neither/],
  ['nothing', { status: 200, body: '' }, /expected a tokenId or the session cookie, got neither/],
  ['an invalid token', { status: 200, body: { tokenId: 'a b\r\nc' } }, /got neither/],
  ['a redirect', { status: 302, headers: { Location: 'http://127.0.0.1:9/' }, body: '' }, /got 302/],
  ['a failure', { status: 500 }, /expected the status 200, got 500/],
  ['a cut', { cut: true }, /the access manager did not respond/],
]

for (const [what, fault, message] of NONSENSE) {
  test(`B62, B65: a login response with ${what} gives no access`, async () => {
    await using manager = await DevelopmentAccessManager.start()
    await using built = await buildAmService(manager.url, quiet)
    manager.fail('authenticate', fault)
    assert.equal(await ask(built.object, 'any'), 503)
    assert.equal(logged(built, message), 1)
    assert.equal(manager.requests('sessions').length, 0)
  })
}

test('the cookie name is requested again while the server does not return it; a configured one takes precedence', async () => {
  await using manager = await DevelopmentAccessManager.start()
  manager.fail('serverinfo', { status: 200, body: { cookieName: 'a b' } })
  await using built = await buildAmService(manager.url, quiet)
  await assert.rejects(built.object.cookieName(), { code: 'GW_ACCESS_MANAGER', reason: 'unavailable' })
  await using configured = await buildAmService(manager.url, { ...quiet, ssoTokenHeader: 'iPlanetDirectoryPro' })
  assert.equal(await configured.object.cookieName(), 'iPlanetDirectoryPro')
  assert.equal(manager.requests('serverinfo').length, 1)
})

test('the version of the server takes precedence over the configured one, with a warning; the default is 7.3', async () => {
  await using manager = await DevelopmentAccessManager.start({ version: '6.5.5' })
  await using built = await buildAmService(manager.url, { ...quiet, version: '7.5' })
  assert.deepEqual(await built.object.dialect(), {
    family: 'pingam',
    adviceEncoding: 'xml',
    version: '6.5.5',
    losesNotifications: false,
  })
  assert.equal(logged(built, /version of the access manager differs from the configuration/), 1)
  manager.fail('version', { status: 403 })
  await using assumed = await buildAmService(manager.url, quiet)
  assert.deepEqual(await assumed.object.dialect(), {
    family: 'pingam',
    adviceEncoding: 'base64url',
    version: '7.3',
    losesNotifications: true,
  })
  await using versioned = await buildAmService(manager.url, { ...quiet, version: '14.5' })
  assert.equal((await versioned.object.dialect()).family, 'openam')
})

test('paths of realms: each name in its own segment, encoded', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, { ...quiet, realm: 'alpha/b' })
  const { restUri, oauth2Uri, realm } = built.object
  assert.equal(realm, '/alpha/b')
  assert.equal(restUri('policies').toString(), `${manager.url}/json/realms/root/realms/alpha/realms/b/policies`)
  assert.equal(restUri('policies', '/').toString(), `${manager.url}/json/realms/root/policies`)
  assert.equal(
    oauth2Uri('introspect', '/../x y').toString(),
    `${manager.url}/oauth2/realms/root/realms/%2E%2E/realms/x%20y/introspect`,
  )
})

test('the agent logs out when the service is retired', async () => {
  await using manager = await DevelopmentAccessManager.start()
  {
    await using built = await buildAmService(manager.url)
    assert.equal(built.object.notifications?.connected, true)
    assert.equal(manager.sockets, 1)
  }
  await manager.socketsDwindled(0)
  const [logout] = manager.requests('sessions')
  assert.match(logout?.target ?? '', /_action=logout$/)
  assert.equal(manager.expireAgentSessions(), 0)
})

test('notifications are passed to listeners until they are removed', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url)
  const heard: Notification[] = []
  const next = Promise.withResolvers<void>()
  const stop = built.object.notifications?.listen({ notified: (news) => heard.push(news) })
  built.object.notifications?.listen({ notified: ({ topic }) => topic === '/agent/session' && next.resolve() })
  const token = await manager.issueToken()
  manager.publish('/agent/policy', { realm: '/', policySet: 'shop', eventType: 'UPDATE' })
  manager.revoke(token)
  manager.endSession(manager.login('demo'))
  await within('the notification of the session arrived', next.promise)
  const topics = heard.map(({ topic }) => topic)
  assert.ok(topics.includes('/agent/policy') && topics.includes('/oauth2/grant/revoked'))
  stop?.()
})

const at = '/heap/0/config'
const REFUSALS: [string, Record<string, string | object | null>, string][] = [
  [
    'an address with credentials',
    { url: 'https://a:b@am' },
    `${at}/url: expected no name and password in the URL; use agent`,
  ],
  ['an address with a query', { url: 'https://am/?a' }, `${at}/url: expected no query and no fragment in the URL`],
  [
    'no agent',
    { agent: null },
    `${at}/agent: expected an object; it is required unless notifications.enabled is false`,
  ],
  ['an invalid header', { ssoTokenHeader: 'a b' }, `${at}/ssoTokenHeader: expected a header name, got "a b"`],
  [
    'a password that no store has',
    { agent: { username: 'a', passwordSecretId: 'unknown.password' } },
    '/heap/0: AmService can not be built: no secret store knows the secret id "unknown.password"',
  ],
]

for (const [what, config, message] of REFUSALS) {
  test(`${what} is refused`, async () => {
    const problems = await buildAmService('https://am', config as never).then(
      () => [],
      (error: { problems: { pointer: string; message: string }[] }) =>
        error.problems.map(({ pointer, message: text }) => `${pointer}: ${text}`),
    )
    assert.deepEqual(problems, [message])
  })
}

test('http to another host and options of Java give warnings', async () => {
  await using built = await buildAmService('http://am.invalid', { notifications: { enabled: false } })
  assert.match(built.warnings.join('\n'), /are sent unencrypted over http; use https for url/)
  await using manager = await DevelopmentAccessManager.start()
  await using other = await buildAmService(manager.url, { notifications: { vertx: { maxFrames: 1 } } })
  assert.match(other.warnings.join('\n'), /notifications\.vertx: "maxFrames": no counterpart in this gateway/)
  assert.equal(other.warnings.length, 1)
  await using third = await buildAmService(manager.url, { notifications: { vertx: '${vertxConfig}' } })
  assert.match(third.warnings.join('\n'), /notifications\/vertx: .*nothing has the name "vertxConfig"/)
})

test('callTimeout limits each call to the access manager', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, { ...quiet, callTimeout: '1 second' })
  const token = manager.login('demo')
  assert.equal(built.object.callTimeout, 1_000)
  manager.hold('sessions')
  await assert.rejects(built.object.sessions.find(token), {
    code: 'GW_ACCESS_MANAGER',
    reason: 'unavailable',
    message: 'the access manager did not respond within 1000 ms; check it, or raise callTimeout',
  })
  await using usual = await buildAmService(manager.url, quiet)
  assert.equal(usual.object.callTimeout, 5_000)
})
