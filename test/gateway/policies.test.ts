// Single sign-on and policies through a whole gateway of two units: changes in the access manager take effect at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DevelopmentAccessManager } from '#dev'
import { RunningGateway } from '#test/gateway'

const options = { timeout: 60_000 }
const files = { 'secrets/agent.password': 'password' }
const HOUR = '1 hour'

/** Pages behind single sign-on and policies, with both caches on. */
function pages(url: string, am: object = {}) {
  return {
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
          sessionCache: { enabled: true, maximumTimeToCache: HOUR },
          ...am,
        },
      },
    ],
    handler: {
      type: 'Chain',
      config: {
        filters: [
          { type: 'SingleSignOnFilter', config: { amService: 'am' } },
          {
            type: 'PolicyEnforcementFilter',
            config: {
              amService: 'am',
              ssoTokenSubject: '${contexts.ssoToken.value}',
              cache: { enabled: true, defaultTimeout: HOUR, maximumTimeToCache: HOUR },
            },
          },
        ],
        handler: {
          type: 'StaticResponseHandler',
          config: { status: 200, entity: '${contexts.ssoToken.info.username}' },
        },
      },
    },
  }
}

const READERS = {
  name: 'readers',
  resources: ['http://*:*/*'],
  actionValues: { GET: true },
  subject: { type: 'AuthenticatedUsers' as const },
}

async function started() {
  const manager = await DevelopmentAccessManager.start()
  manager.putPolicy(READERS)
  const gateway = await RunningGateway.reuse({ files, units: 2, routes: { pages: pages(manager.url) } })
  await manager.subscribed('/agent/session', 2)
  const session = manager.login('demo')
  /** Sends requests on new connections, so that each unit gets some of them. */
  const statuses = async (token = session) => {
    const headers = { Cookie: `iPlanetDirectoryPro=${token}`, Connection: 'close' }
    const answers = await Promise.all(Array.from({ length: 12 }, () => gateway.ask('/page', { headers })))
    return [...new Set(answers.map(({ status }) => status))]
  }
  return {
    manager,
    gateway,
    session,
    statuses,
    /** How long it takes until all requests get that status, in milliseconds. */
    async until(status: number): Promise<number> {
      const begun = performance.now()
      for (;;) {
        const seen = await statuses()
        if (seen.length === 1 && seen[0] === status) return performance.now() - begun
        assert.ok(performance.now() - begun < 15_000, `still ${seen} instead of ${status}`)
      }
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await manager.close()
    },
  }
}

test('B56: a policy change takes effect in every unit within a second', options, async () => {
  await using at = await started()
  assert.deepEqual(await at.statuses(), [200])
  const before = at.manager.requests('policies').length
  assert.deepEqual(await at.statuses(), [200])
  assert.ok(at.manager.requests('policies').length - before <= 2, 'decisions are kept')
  at.manager.putPolicy({ ...READERS, actionValues: { GET: false } })
  assert.ok((await at.until(403)) < 1_000)
  at.manager.putPolicy(READERS)
  assert.ok((await at.until(200)) < 1_000)
  at.manager.removePolicy(READERS.name)
  assert.ok((await at.until(403)) < 1_000)
})

test('B56: the end of a session takes effect in every unit within a second', options, async () => {
  await using at = await started()
  assert.deepEqual(await at.statuses(), [200])
  at.manager.endSession(at.session)
  assert.ok((await at.until(302)) < 1_000)
})

test(
  'B58: while notifications are down nothing passes, and requests pass again after a reconnect',
  options,
  async () => {
    await using at = await started()
    assert.deepEqual(await at.statuses(), [200])
    at.manager.refuseUpgrades(503)
    at.manager.dropSockets()
    await at.until(503)
    // No notification is sent about changes meanwhile.
    at.manager.putPolicy({ ...READERS, actionValues: { GET: false } })
    assert.deepEqual(await at.statuses(), [503])
    at.manager.refuseUpgrades(null)
    await at.until(403)
  },
)

test('F11: an access manager that is down: denied at once, and served soon after it is back', options, async () => {
  await using at = await started()
  assert.deepEqual(await at.statuses(), [200])
  for (const endpoint of ['policies', 'sessions']) at.manager.fail(endpoint, { status: 500 })
  const other = at.manager.login('demo')
  assert.deepEqual(await at.statuses(other), [503])
  assert.deepEqual(await at.statuses(), [200], 'cached decisions stay while notifications arrive')
  at.manager.heal()
  assert.deepEqual(await at.statuses(other), [200])
})

test('B63: no response of the filters can be stored by caches', options, async () => {
  await using at = await started()
  const login = await at.gateway.ask('/page')
  assert.deepEqual([login.status, login.headers['cache-control']], [302, 'no-store'])
  at.manager.removePolicy(READERS.name)
  await at.until(403)
  const headers = { Cookie: `iPlanetDirectoryPro=${at.session}` }
  assert.equal((await at.gateway.ask('/page', { headers })).headers['cache-control'], 'no-store')
  at.manager.putPolicy({ ...READERS, condition: { type: 'AuthLevel', authLevel: 5 } })
  await at.until(307)
  assert.equal((await at.gateway.ask('/page', { headers })).headers['cache-control'], 'no-store')
  const wanted = { ...headers, 'X-Authenticate-Response': 'header' }
  const header = await at.gateway.ask('/page', { headers: wanted })
  assert.deepEqual([header.status, header.headers['cache-control']], [401, 'no-store'])
})

test('no session token, password or agent token is in the log', options, async () => {
  await using at = await started()
  await at.statuses()
  at.manager.fail('policies', { status: 500 })
  await at.gateway.ask('/other', { headers: { Cookie: `iPlanetDirectoryPro=${at.session}` } })
  const agent = at.manager.requests('policies').map(({ headers }) => headers['iplanetdirectorypro'])
  for (const secret of [at.session, ...agent])
    if (typeof secret === 'string') assert.deepEqual(at.gateway.log.with(new RegExp(RegExp.escape(secret))), [])
})
