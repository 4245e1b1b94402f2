// The monitor with real objects of every family, and real traffic.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DevelopmentAccessManager } from '#dev'
import { Chromium } from '#test/chromium'
import { samplePassword, samplePkcs12 } from '#test/keystore-samples'
import { RedisServer, redisMissing } from '#test/redis'
import { accessibilityFindings, gatewayWithStudio, logInToStudio, STUDIO_TEST } from '#test/studio'
import { testIdentity } from '#test/test-identity'
import { waitUntil } from '#test/waiting'

function parts(redis: string) {
  const store = {
    type: 'KeyStoreSecretStore',
    config: {
      file: 'keys.p12',
      storePasswordSecretId: 'store.password',
      secretsProvider: { type: 'FileSystemSecretStore', config: { directory: '&{ig.instance.dir}/secrets' } },
      mappings: [{ secretId: 'signing.key', aliases: ['mine'] }],
    },
  }
  const audit = {
    type: 'AuditService',
    config: {
      config: {},
      eventHandlers: [
        {
          class: 'org.forgerock.audit.handlers.json.JsonAuditEventHandler',
          config: { name: 'json', logDirectory: '&{ig.instance.dir}/audit', topics: ['access'] },
        },
      ],
    },
  }
  return {
    files: { 'keys.p12': samplePkcs12(), 'secrets/store.password': Buffer.from(samplePassword).toString('base64') },
    routes: {
      all: {
        condition: "${find(request.uri.path, '^/all')}",
        heap: [{ name: 'AuditService', ...audit }],
        session: { type: 'RedisSessionManager', config: { url: redis, timeout: '2 s' } },
        secrets: { stores: [store] },
        handler: {
          type: 'Chain',
          config: {
            filters: [
              {
                name: 'Limited',
                type: 'ThrottlingFilter',
                config: { rate: { numberOfRequests: 2, duration: '1 hour' } },
              },
            ],
            handler: {
              name: 'Proxy',
              type: 'ReverseProxyHandler',
              config: { circuitBreaker: { maxFailures: 5, openDuration: '10 seconds' } },
            },
          },
        },
        baseURI: 'http://127.0.0.1:1',
      },
    },
  }
}

test('the monitor has rates, latencies and statuses in all and by route, units, pools, throttling, circuit breakers, Redis, secrets and audit', {
  ...STUDIO_TEST,
  skip: STUDIO_TEST.skip || redisMissing,
}, async () => {
  await using redis = await RedisServer.start()
  await using gateway = await gatewayWithStudio(parts(redis.url))
  await using chromium = await Chromium.start()
  await chromium.withPage(async (page) => {
    await logInToStudio(page, gateway.adminUrl)
    await page.getByRole('link', { name: 'Monitor', exact: true }).click()
    await page.getByRole('status').getByText('The last hour.').waitFor()
    await gateway.scan()
    assert.deepEqual(gateway.problems('all.json'), [])
    for (let n = 0; n < 4; n++) await gateway.ask('/all')
    const table = (name: string) => page.getByRole('table', { name, exact: true })
    const rowOf = async (name: string) =>
      (await table(name).getByRole('row').nth(1).innerText()).replaceAll(/\s+/g, ' ')
    await table('Throttling')
      .getByRole('cell', { name: /Limited$/ })
      .waitFor()
    await waitUntil('throttling is counted', async () => /Limited .*\b2 2\b/.test(await rowOf('Throttling')))
    assert.match(await rowOf('Busiest routes'), /^all /)
    assert.match(await rowOf('Secrets'), /signing\.key \S+, (in \d+ days|expired)/)
    assert.match(await rowOf('Redis'), / no 0$/)
    for (const name of ['Pools', 'Circuit breakers', 'Audit', 'Event loop', 'Memory of threads'])
      await table(name).waitFor()
    await page.getByRole('combobox', { name: 'Route' }).selectOption('all')
    await page.getByRole('region', { name: 'Latency (ms)' }).getByText('p95').waitFor()
    assert.match(await page.getByRole('region', { name: 'Units' }).innerText(), /ready\s+1/)
    assert.match(await page.getByRole('region', { name: 'Process' }).innerText(), /open files\s+\d+/)
    await page.getByRole('region', { name: 'Responses per second' }).getByText('5xx').waitFor()
    assert.deepEqual(await accessibilityFindings(page), [])
    await redis.kill()
    await waitUntil('Redis is shown as unavailable', async () => / yes 1$/.test(await rowOf('Redis')))
  })
})

/** A connector with the certificate of a PEM file, and a route behind single sign-on and policies with both caches. */
function protectedParts(manager: string, ends: Date) {
  const { key, certificate } = testIdentity('shop.test', { to: ends })
  const secrets = (name: string, format: unknown) => ({
    name,
    type: 'FileSystemSecretStore',
    config: { directory: '&{ig.instance.dir}/secrets', format },
  })
  const sni = { serverNames: { 'shop.test': 'shop.key' }, defaultSecretId: 'shop.key', secretsProvider: 'files' }
  return {
    admin: {
      connectors: [
        { port: 0, host: '127.0.0.1' },
        { port: 0, host: '127.0.0.1', tls: 'https' },
      ],
      heap: [
        secrets('files', { type: 'PemPropertyFormat' }),
        { name: 'https', type: 'ServerTlsOptions', config: { sni } },
      ],
    },
    files: {
      'secrets/agent.password': 'password',
      'secrets/shop.key': `${key.export({ type: 'pkcs8', format: 'pem' })}${certificate}`,
    },
    routes: {
      pages: {
        heap: [
          secrets('passwords', 'PLAIN'),
          {
            name: 'am',
            type: 'AmService',
            config: {
              url: manager,
              agent: { username: 'ig_agent', passwordSecretId: 'agent.password' },
              secretsProvider: 'passwords',
              notifications: { reconnectDelay: '50 milliseconds' },
              sessionCache: { enabled: true },
            },
          },
        ],
        handler: {
          type: 'Chain',
          config: {
            filters: [
              { type: 'SingleSignOnFilter', config: { amService: 'am' } },
              {
                name: 'Policies',
                type: 'PolicyEnforcementFilter',
                config: {
                  amService: 'am',
                  ssoTokenSubject: '${contexts.ssoToken.value}',
                  cache: { enabled: true, defaultTimeout: '1 hour' },
                },
              },
            ],
            handler: { type: 'StaticResponseHandler', config: { status: 200 } },
          },
        },
      },
    },
  }
}

test(
  'the monitor has caches, the access manager, its notifications, and the ends of certificates and PEM secrets',
  STUDIO_TEST,
  async () => {
    const ends = new Date(Date.now() + 9.5 * 86_400_000)
    await using manager = await DevelopmentAccessManager.start()
    const readers = { name: 'readers', resources: ['http://*:*/*'], actionValues: { GET: true } }
    manager.putPolicy({ ...readers, subject: { type: 'AuthenticatedUsers' } })
    await using gateway = await gatewayWithStudio(protectedParts(manager.url, ends))
    await manager.subscribed('/agent/session', 1)
    const session = manager.login('demo')
    const headers = { Cookie: `iPlanetDirectoryPro=${session}` }
    await using chromium = await Chromium.start()
    await chromium.withPage(async (page) => {
      for (let n = 0; n < 3; n++) assert.equal((await gateway.ask('/page', { headers })).status, 200)
      await logInToStudio(page, gateway.adminUrl)
      await page.getByRole('link', { name: 'Monitor', exact: true }).click()
      const rows = (table: string, name: RegExp) =>
        page.getByRole('table', { name: table, exact: true }).getByRole('row', { name })
      const has = async (table: string, name: RegExp, values: RegExp) => {
        const row = rows(table, name)
        let found = ''
        const isShown = async () => {
          found = (await row.count()) === 0 ? 'no row' : (await row.innerText()).replaceAll(/\s+/g, ' ')
          return values.test(found)
        }
        await waitUntil(`${table} ${values}`, isShown, 15_000).catch(() => assert.match(found, values))
      }
      const [in9days, policies, am] = [`${ends.toISOString().slice(0, 10)}, in 9 days`, /pages\+Policies/, /pages\+am/]
      await has('Caches', /^session/, /am 2 1 1 0$/)
      await has('Caches', policies, / 2 1 1 0$/)
      await has('Access manager agents', am, / 1 0 0$/)
      await has('Access manager notifications', am, / 1 0 0 0$/)
      await has('Certificates', /admin\+https/, new RegExp(`shop.key ${in9days} no$`))
      await has('Secrets', /admin\+files/, new RegExp(`shop.key ${in9days}$`))
      assert.deepEqual(await accessibilityFindings(page), [])
      manager.endSession(session)
      await has('Access manager notifications', am, / 1 0 [1-9]\d* 0$/)
      await has('Caches', /^session/, / 0 1$/)
      await manager.close()
      await has('Access manager notifications', am, /am 0 /)
    })
  },
)
