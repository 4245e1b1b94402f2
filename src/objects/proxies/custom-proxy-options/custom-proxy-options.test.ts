import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProxyOptions } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
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
