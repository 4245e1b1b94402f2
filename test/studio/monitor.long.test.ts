// The monitor with real objects of every family, and real traffic.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Chromium } from '#test/chromium'
import { samplePassword, samplePkcs12 } from '#test/keystore-samples'
import { RedisServer, redisMissing } from '#test/redis'
import { accessibilityFindings, gatewayWithStudio, logInToStudio, STUDIO_TEST } from '#test/studio'
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
    await table('throttling')
      .getByRole('cell', { name: /Limited$/ })
      .waitFor()
    await waitUntil('throttling is counted', async () => /Limited .*\b2 2\b/.test(await rowOf('throttling')))
    assert.match(await rowOf('busiest routes'), /^all /)
    assert.match(await rowOf('secrets'), /signing\.key \S+, (in \d+ days|expired)/)
    assert.match(await rowOf('redis'), / 0 0$/)
    for (const name of ['pools', 'circuit breakers', 'audit', 'event loop', 'memory of threads'])
      await table(name).waitFor()
    await page.getByRole('combobox', { name: 'Route' }).selectOption('all')
    await page.getByRole('region', { name: 'Latency (ms)' }).getByText('p95').waitFor()
    assert.match(await page.getByRole('region', { name: 'Units' }).innerText(), /ready\s+1/)
    assert.match(await page.getByRole('region', { name: 'Process' }).innerText(), /openFiles\s+\d+/)
    assert.deepEqual(await accessibilityFindings(page), [])
    await redis.kill()
    await waitUntil('Redis is shown as unavailable', async () => / 1 1$/.test(await rowOf('redis')))
  })
})
