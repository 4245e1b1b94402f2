import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProxyOptions } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { SystemProxyOptions } from './system-proxy-options.ts'

const system = (env: Record<string, string>, properties: JsonValue = null) =>
  build<ProxyOptions>(SystemProxyOptions, {}, { env, properties })

/** `proxy:port` for a URL, null for a direct connection. */
function proxyOf(options: ProxyOptions, url: string): string | null {
  const { protocol, hostname, port } = new URL(url)
  const scheme = protocol.slice(0, -1)
  const proxy = options.proxyFor(scheme, hostname.replace(/[[\]]/g, ''), Number(port) || (scheme === 'http' ? 80 : 443))
  return proxy === null ? null : `${proxy.hostname}:${proxy.port}`
}

test('HTTP_PROXY and HTTPS_PROXY, each for its scheme', async () => {
  await using built = await system({ HTTP_PROXY: 'http://one:3128', https_proxy: 'two' })
  assert.equal(proxyOf(built.object, 'http://app.example/'), 'one:3128')
  assert.equal(proxyOf(built.object, 'https://app.example/'), 'two:80')
  assert.deepEqual(built.warnings, [])
})

test('NO_PROXY: names, addresses, networks, ports', async () => {
  const list = 'intra.example, .corp.example,10.0.0.0/8 192.0.2.1,fd00::/8,port.example:8080'
  await using built = await system({ HTTP_PROXY: 'http://p:1', NO_PROXY: list })
  const direct = ['intra.example', 'a.INTRA.example', 'corp.example', 'a.b.corp.example', '10.1.2.3', '192.0.2.1']
  for (const host of [...direct, '[fd00::1]', 'port.example:8080', 'intra.example.']) {
    assert.equal(proxyOf(built.object, `http://${host}/`), null, host)
  }
  for (const host of ['notintra.example', '11.0.0.1', '192.0.2.10', 'port.example', '[fe80::1]']) {
    assert.equal(proxyOf(built.object, `http://${host}/`), 'p:1', host)
  }
  await using none = await system({ HTTP_PROXY: 'http://p:1', no_proxy: '*' })
  assert.equal(proxyOf(none.object, 'http://app.example/'), null)
})

for (const [where, env, properties] of [
  ['properties', {}, { 'http.proxyHost': 'p', 'https.proxyHost': 'q', 'https.proxyPort': 8443 }],
  ['nested properties', {}, { http: { proxyHost: 'p' }, https: { proxyHost: 'q', proxyPort: '8443' } }],
  ['the environment', { HTTP_PROXYHOST: 'p', 'https.proxyHost': 'q', HTTPS_PROXYPORT: '8443' }, null],
] as const) {
  test(`http.proxyHost and related settings in ${where}; port 80, and the exempt hosts of a JVM`, async () => {
    await using built = await system({ ...env, HTTP_PROXY: 'http://not-this' }, properties)
    assert.equal(proxyOf(built.object, 'http://app.example/'), 'p:80')
    assert.equal(proxyOf(built.object, 'https://app.example/'), 'q:8443')
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]']) {
      assert.equal(proxyOf(built.object, `http://${host}/`), null, host)
    }
  })
}

test('http.nonProxyHosts: wildcards at start and end, for both schemes', async () => {
  const properties = {
    'http.proxyHost': 'p',
    'https.proxyHost': 'p',
    'http.nonProxyHosts': '*.a.example|10.*|b.example',
  }
  await using built = await system({}, properties)
  for (const host of ['x.a.example', '10.0.0.1', 'B.example']) {
    assert.equal(proxyOf(built.object, `http://${host}/`), null, host)
    assert.equal(proxyOf(built.object, `https://${host}/`), null, host)
  }
  for (const host of ['a.example', 'x.b.example', 'localhost']) {
    assert.equal(proxyOf(built.object, `http://${host}/`), 'p:80', host)
  }
})

test('without a proxy: direct connections, with a warning', async () => {
  await using built = await system({})
  assert.equal(proxyOf(built.object, 'http://app.example/'), null)
  assert.deepEqual(built.warnings, [
    '/heap/0: no system proxy is configured; set HTTP_PROXY or HTTPS_PROXY, or use NoProxyOptions',
  ])
})

test('credentials in a variable are neither used nor in the message', async () => {
  await using built = await system({ HTTP_PROXY: 'http://me:hunter2@p:1' })
  assert.equal(built.object.proxyFor('http', 'app.example', 80)?.authorization(), null)
  assert.match(built.warnings.join(), /HTTP_PROXY has a user name and a password, which are ignored/)
  assert.doesNotMatch(built.warnings.join(), /hunter2/)
})

for (const [env, message] of [
  [{ HTTP_PROXY: 'socks5://p:1' }, /HTTP_PROXY: expected a proxy such as http:\/\/proxy.example.com:3128/],
  [{ HTTP_PROXY: 'http://p:99999' }, /HTTP_PROXY: expected a proxy/],
  [{ 'http.proxyHost': 'p', 'http.proxyPort': 'x' }, /http.proxyPort: expected a port, got "x"/],
] as const) {
  test(`refuses ${JSON.stringify(env)}`, async () => {
    await assert.rejects(system(env as Record<string, string>), message)
  })
}
