import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ClientTls,
  ClientTlsKind,
  type ProxyOptions,
  Secret,
  type SecretStore,
  SecretStoreKind,
  type TrustManager,
} from '#contracts'
import type { JsonValue } from '#json'
import { defineType } from '#schema'
import { build } from '#test/build'
import { clientWith, send } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { waitUntil } from '#test/waiting'
import { PlainPropertyFormat } from '../../formats/plain/plain-property-format.ts'
import { SystemAndEnvSecretStore } from '../../stores/system-and-env/system-and-env-secret-store.ts'
import { CustomProxyOptions } from './custom-proxy-options.ts'

const custom = (config: JsonValue, env: Record<string, string> = {}) =>
  build<ProxyOptions>(CustomProxyOptions, config, {
    env,
    types: [SystemAndEnvSecretStore, PlainPropertyFormat],
    heap: [
      { name: 'PLAIN', type: 'PlainPropertyFormat' },
      { name: 'BASE64', type: 'PlainPropertyFormat' },
      { name: 'secrets', type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
    ],
  })

for (const [uri, hostname, port] of [
  ['http://proxy.example.com:3128', 'proxy.example.com', 3128],
  ['http://proxy.example.com/', 'proxy.example.com', 80],
  ['http://[::1]:8888', '::1', 8888],
] as const) {
  test(`every request is sent through ${uri}`, async () => {
    await using built = await custom({ uri })
    for (const scheme of ['http', 'https']) {
      const proxy = built.object.proxyFor(scheme, 'app.example.com', 1)
      assert.deepEqual([proxy?.hostname, proxy?.port, proxy?.authorization()], [hostname, port, null])
    }
  })
}

test('user name and password are sent to the proxy (RFC 7617)', async () => {
  await using built = await custom(
    { uri: 'http://proxy', username: 'jos\u00e9', passwordSecretId: 'proxy.password', secretsProvider: 'secrets' },
    { PROXY_PASSWORD: 'p:w' },
  )
  const words =
    built.object
      .proxyFor('http', 'a', 80)
      ?.authorization()
      ?.replace(/^Basic /, '') ?? ''
  assert.equal(Buffer.from(words, 'base64').toString(), 'jos\u00e9:p:w')
})

test('handlers with equal options can share connections, those with credentials can not', async () => {
  const named = { uri: 'http://proxy', username: 'me', passwordSecretId: 'word', secretsProvider: 'secrets' }
  await using a = await custom({ uri: 'http://proxy' })
  await using b = await custom({ uri: 'http://proxy' })
  await using c = await custom(named, { WORD: 'x' })
  await using d = await custom(named, { WORD: 'x' })
  assert.equal(a.object.key, b.object.key)
  assert.notEqual(c.object.key, d.object.key)
})

test('a password that is read late does not replace a newer one', async () => {
  const reads: ((password: string) => void)[] = []
  let changed = (): void => {}
  const SlowStore = defineType({
    name: 'SlowStore',
    kind: SecretStoreKind,
    summary: 'Secrets of a test, which are read when it says so.',
    config: {},
    create: (): SecretStore => ({
      find: ({ secretId }) =>
        new Promise((resolve) => {
          reads.push((password) => resolve([new Secret({ secretId, bytes: Buffer.from(password) })]))
        }),
      onChange: (listener) => {
        changed = listener
        return () => {}
      },
    }),
  })
  const next = async (): Promise<(password: string) => void> => {
    await waitUntil('the password was read', () => reads.length > 0)
    return reads.shift() as (password: string) => void
  }
  const building = build<ProxyOptions>(
    CustomProxyOptions,
    { uri: 'http://proxy', username: 'me', passwordSecretId: 'proxy.password', secretsProvider: 'slow' },
    { types: [SlowStore], heap: [{ name: 'slow', type: 'SlowStore' }] },
  )
  ;(await next())('first')
  await using built = await building
  const authorization = () => built.object.proxyFor('http', 'app.example.com', 1)?.authorization()
  const basic = (password: string) => `Basic ${Buffer.from(`me:${password}`).toString('base64')}`
  assert.equal(authorization(), basic('first'))
  changed()
  const slow = await next()
  changed()
  // Where the second read does not wait for the first, it ends before it.
  await new Promise(setImmediate)
  const early = reads.shift()
  early?.('third')
  await new Promise(setImmediate)
  slow('second')
  if (early === undefined) (await next())('third')
  await new Promise(setImmediate)
  assert.equal(authorization(), basic('third'))
})

test('options that were disposed no longer listen to changes of the trust, which may be that of another file', async () => {
  let listeners = 0
  const trust: TrustManager = {
    authorities: async () => 'platform',
    onChange: () => {
      listeners++
      return () => listeners--
    },
  }
  const tls: ClientTls = {
    ...{ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3', ciphers: null, alpn: true, keys: null, hostnames: 'STRICT' },
    trust,
  }
  const SharedTls = defineType({
    name: 'SharedTls',
    kind: ClientTlsKind,
    summary: 'TLS options of another file.',
    config: {},
    create: () => tls,
  })
  const used = async () => {
    await using built = await build<ProxyOptions>(
      CustomProxyOptions,
      { uri: 'https://127.0.0.1:1', tls: 'shared' },
      {
        types: [SharedTls],
        heap: [{ name: 'shared', type: 'SharedTls' }],
      },
    )
    await using client = clientWith({ proxy: built.object })
    await assert.rejects(send(client, exchangeFor('GET', 'http://app.example.com/')), { code: 'GW_UPSTREAM_CONNECT' })
    assert.equal(listeners, 1)
  }
  await used()
  assert.equal(listeners, 0)
})

const at = '/heap/0/config'
const refused: readonly [JsonValue, string | RegExp][] = [
  [{}, `${at}/uri: expected a URL (http://, https://); this field is required`],
  [{ uri: 'proxy:3128' }, `${at}/uri: expected a URL (http://, https://), got "proxy:3128"`],
  [{ uri: 'socks5://proxy' }, `${at}/uri: expected a URL (http://, https://), got "socks5://proxy"`],
  [
    { uri: 'http://me:x@proxy' },
    `${at}/uri: expected no name and password in the URI; use username and passwordSecretId`,
  ],
  [{ uri: 'http://proxy/pac' }, `${at}/uri: expected scheme, host and port only, got more`],
  [{ uri: 'http://proxy', username: 'me' }, `${at}: username needs passwordSecretId`],
  [{ uri: 'http://proxy', passwordSecretId: 'a' }, `${at}: passwordSecretId needs username`],
  [
    { uri: 'http://proxy', username: 'a:b', passwordSecretId: 'word', secretsProvider: 'secrets' },
    `${at}/username: expected no colon: it ends the name (RFC 7617 section 2)`,
  ],
  [
    { uri: 'http://proxy', username: 'me', passwordSecretId: 'unknown', secretsProvider: 'secrets' },
    /no secret store knows the secret id "unknown"/,
  ],
]

for (const [config, message] of refused) {
  test(`refuses ${JSON.stringify(config)}`, async () => {
    await assert.rejects(custom(config), { message })
  })
}
