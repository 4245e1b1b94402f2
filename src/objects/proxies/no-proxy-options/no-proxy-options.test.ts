import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProxyOptions } from '#contracts'
import { build } from '#test/build'
import { NoProxyOptions } from './no-proxy-options.ts'

test('no proxy is used, also with proxies in the environment', async () => {
  await using built = await build<ProxyOptions>(NoProxyOptions, {}, { env: { HTTP_PROXY: 'http://proxy.example' } })
  assert.equal(built.object.proxyFor('http', 'app.example.com', 80), null)
  assert.equal(built.object.proxyFor('https', 'app.example.com', 443), null)
})

test('has no fields', async () => {
  await assert.rejects(build(NoProxyOptions, { uri: 'http://proxy.example' }), {
    message: '/heap/0/config/uri: unknown field',
  })
})
