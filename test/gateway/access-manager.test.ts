import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { DevelopmentAccessManager } from '#dev'
import { gateway as commandLine } from '#test/command-line'
import { RunningGateway, textRoute } from '#test/gateway'
import { TestInstance } from '#test/instance'
import { freePort } from '#test/nginx'
import { once, waitUntil } from '#test/waiting'

interface Check {
  readonly name: string
  readonly ok: boolean
  readonly state?: string
  readonly detail?: string
}

/** A route with an access manager that its handler does not need. */
function guarded(url: string, notifications: object = {}, more: object = {}) {
  return textRoute('served', {
    heap: [
      {
        name: 'secrets',
        type: 'FileSystemSecretStore',
        config: { directory: '&{gateway.instance.dir}/secrets', format: 'PLAIN' },
      },
      {
        name: 'AmService-1',
        type: 'AmService',
        config: {
          url,
          agent: { username: 'ig_agent', passwordSecretId: 'agent.password' },
          secretsProvider: 'secrets',
          notifications: { reconnectDelay: '100 milliseconds', initialConnectionAttempts: 2, ...notifications },
          ...more,
        },
      },
    ],
  })
}

const files = { 'secrets/agent.password': 'password' }

/** The check of the access manager of a route at the health endpoint. */
async function health(gateway: RunningGateway, route = 'shop'): Promise<Check | undefined> {
  const { text } = await gateway.askAdmin('/health/ready?verbose')
  const { checks } = JSON.parse(text) as { checks: Check[] }
  return checks.find(({ name }) => name === `gateway+_router+${route}+AmService-1`)
}

const inState = (gateway: RunningGateway, state: string) =>
  waitUntil(`the state was ${state}`, async () => (await health(gateway))?.state === state)

test('F11: started while the access manager is down, the gateway serves, reports degraded, and recovers', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/am`
  await using gateway = await RunningGateway.reuse({ files, units: 2, routes: { shop: guarded(url) } })
  assert.equal((await gateway.ask('/')).text, 'served')
  await inState(gateway, 'degraded')
  const degraded = await health(gateway)
  assert.equal(degraded?.ok, true)
  assert.match(degraded?.detail ?? '', /^notifications: no connection after \d+ attempts: GW_ACCESS_MANAGER/)
  assert.equal((await gateway.askAdmin('/health/ready')).status, 200)
  const [store] = gateway.gateway.stores.all
  assert.equal(gateway.gateway.states.degradedIn(store!.directory, 'shop')[0]?.object, degraded?.name)
  assert.equal(await gateway.metric('gw_notification_connected'), 0)

  await using manager = await DevelopmentAccessManager.start({ port })
  assert.equal(manager.url, url)
  await inState(gateway, 'up')
  assert.equal(await gateway.metric('gw_notification_connected'), 2)
  assert.deepEqual(gateway.gateway.states.degradedIn(store!.directory, 'shop'), [])
})

test('an access manager that drops packets does not delay the deploy of many routes', async () => {
  const silent = createServer((socket) => void socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/am`
  const routes = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`shop-${at}`, guarded(url)]))
  const begun = performance.now()
  {
    await using gateway = await RunningGateway.reuse({ files, routes })
    assert.equal((await gateway.ask('/')).text, 'served')
    assert.ok(performance.now() - begun < 13_000, 'more than one wait')
  }
  silent.close()
})

test('a wrong password: degraded, logged once, and recovered when the secret is corrected', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const wrong = { 'secrets/agent.password': 'not-this-one' }
  await using gateway = await RunningGateway.reuse({ files: wrong, routes: { shop: guarded(manager.url) } })
  await inState(gateway, 'degraded')
  assert.equal(gateway.log.with(/agent login failed/).length, 1)
  assert.equal(gateway.log.with(/not-this-one/).length, 0)
  // The three login methods were tried, and then none for a while.
  assert.equal(manager.requests('authenticate').length, 3)
  gateway.instance.write('secrets/agent.password', 'password')
  await inState(gateway, 'up')
})

test('the agent logs in again before the next connection when its session has ended', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using gateway = await RunningGateway.reuse({ files, routes: { shop: guarded(manager.url) } })
  await inState(gateway, 'up')
  manager.expireAgentSessions()
  manager.dropSockets()
  await gateway.log.until(/notifications disconnected/)
  await manager.subscribed('/agent/policy', 1)
  await waitUntil(
    'notifications were connected again',
    async () => (await gateway.metric('gw_notification_connected')) === 1,
  )
  assert.equal(manager.requests('authenticate').length, 2)
  assert.equal(await gateway.metric('gw_agent_logins_total'), 2)
})

test('B58, F12: a notification socket that flaps leaves one socket for each unit, and requests are served', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using gateway = await RunningGateway.reuse({ files, units: 2, routes: { shop: guarded(manager.url) } })
  await inState(gateway, 'up')
  const end = performance.now() + 3_000
  let most = 0
  while (performance.now() < end) {
    manager.dropSockets()
    assert.equal((await gateway.ask('/')).text, 'served')
    most = Math.max(most, manager.sockets)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await waitUntil('both units were connected', async () => (await gateway.metric('gw_notification_connected')) === 2)
  assert.ok(most <= 2, `${most} sockets at one time`)
  assert.equal(manager.sockets, 2)
  // Pauses grow while connections last for a moment only: not more than some ten attempts of each unit.
  assert.ok((await gateway.metric('gw_notification_reconnects_total')) <= 40)
  assert.equal(manager.requests('authenticate').length, 2)
})

test('connections that are renewed all the time miss no notification, and report no loss', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const route = guarded(manager.url, { renewalDelay: '100 milliseconds' })
  await using gateway = await RunningGateway.start({ files, routes: { shop: route } })
  await inState(gateway, 'up')
  let published = 0
  await waitUntil('12 connections were opened', async () => {
    manager.publish('/agent/policy', { realm: '/', policy: `p${published++}`, policySet: 's', eventType: 'UPDATE' })
    await new Promise((resolve) => setTimeout(resolve, 1))
    return manager.requests('notifications').length >= 12
  })
  // While two connections are open a notification arrives twice; none is lost.
  await waitUntil(
    'all messages arrived',
    async () => (await gateway.metric('gw_notification_messages_total')) >= published,
  )
  assert.equal(gateway.log.with(/disconnected/).length, 0)
  assert.equal(await gateway.metric('gw_notification_reconnects_total'), 0)
  await waitUntil('old connections were closed', async () => manager.sockets <= 2)
})

test('OpenAM: no journey, the token in a cookie, and notifications', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam', tokenInBody: false })
  await using gateway = await RunningGateway.reuse({ files, routes: { shop: guarded(manager.url) } })
  await inState(gateway, 'up')
  assert.equal(gateway.log.with(/"module":"Application"/).length, 1)
  manager.publish('/agent/policy', { realm: '/', policy: 'p', policySet: 's', eventType: 'UPDATE' })
  await waitUntil('one message arrived', async () => (await gateway.metric('gw_notification_messages_total')) === 1)
})

test('a replaced or removed route leaves no socket, session or state', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using gateway = await RunningGateway.reuse({ files, routes: { shop: guarded(manager.url) } })
  await inState(gateway, 'up')
  await gateway.deploy('shop', guarded(manager.url, { heartbeatInterval: '10 seconds' }))
  await manager.socketsDwindled(1)
  await inState(gateway, 'up')
  await gateway.undeploy('shop')
  await manager.socketsDwindled(0)
  await waitUntil('the removed service had no state', async () => (await health(gateway)) === undefined)
  await waitUntil('both units logged out', async () => manager.requests('sessions').length === 2)
  assert.equal(manager.expireAgentSessions(), 0)
})

test('a gateway that drains logs its agents out', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using gateway = await RunningGateway.start({ files, units: 2, routes: { shop: guarded(manager.url) } })
  await inState(gateway, 'up')
  await gateway.gateway.drain()
  assert.equal(manager.requests('sessions').filter(({ target }) => target.endsWith('_action=logout')).length, 2)
  await manager.socketsDwindled(0)
  assert.equal(manager.expireAgentSessions(), 0)
})

test('a validation sends no request to the access manager', async () => {
  await using manager = await DevelopmentAccessManager.start()
  using instance = new TestInstance({ files, routes: { shop: guarded(manager.url) } })
  const { code } = await commandLine(['validate', '--instance', instance.directory])
  assert.equal(code, 0)
  assert.equal(manager.requests().length, 0)
})
