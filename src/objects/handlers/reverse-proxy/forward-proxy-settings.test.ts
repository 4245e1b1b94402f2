import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProxyOptions } from '#contracts'
import type { Handler } from '#http'
import type { JsonObject } from '#json'
import { type BuildOptions, build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { rawUpstream } from '#test/upstream'
import { CustomProxyOptions } from '../../proxies/custom-proxy-options/custom-proxy-options.ts'
import { NoProxyOptions } from '../../proxies/no-proxy-options/no-proxy-options.ts'
import { SystemProxyOptions } from '../../proxies/system-proxy-options/system-proxy-options.ts'
import { ClientTlsOptions } from '../../tls/client-tls-options/client-tls-options.ts'
import { ReverseProxyHandler } from './reverse-proxy-handler.ts'

const types = [CustomProxyOptions, NoProxyOptions, SystemProxyOptions]
const basic = (words: string) => `Basic ${Buffer.from(words).toString('base64')}`

const handler = (config: JsonObject, surroundings: BuildOptions = {}) =>
  build<Handler>(ReverseProxyHandler, config, { types, ...surroundings })

/** A proxy that responds with its request and credentials. */
const askedProxy = (status = 200) =>
  rawUpstream((socket, head) => {
    const target = head.split(' ')[1]
    const who = /^proxy-authorization: (.*)$/im.exec(head)?.[1] ?? 'anonymous'
    const text = `${target} ${who}`
    socket.write(`HTTP/1.1 ${status} Said\r\nContent-Length: ${text.length}\r\n\r\n${text}`)
  })

async function answerOf(handle: Handler): Promise<string> {
  const response = await handle(exchangeFor('GET', 'http://app.invalid/a'))
  return `${response.status} ${Buffer.from(await response.body.read(10_000)).toString()}`
}

const DIRECT = '502 Bad Gateway'
const THROUGH = '200 http://app.invalid/a'

test('proxyOptions in the handler, and the ProxyOptions of the heap', async () => {
  await using proxy = await askedProxy()
  const custom = { type: 'CustomProxyOptions', config: { uri: proxy.url } }
  await using own = await handler({ proxyOptions: custom })
  assert.equal(await answerOf(own.object), `${THROUGH} anonymous`)
  const heap = [{ name: 'ProxyOptions', ...custom }]
  await using byHeap = await handler({}, { heap })
  assert.equal(await answerOf(byHeap.object), `${THROUGH} anonymous`)
  await using exception = await handler({ proxyOptions: { type: 'NoProxyOptions' } }, { heap })
  assert.equal(await answerOf(exception.object), DIRECT)
})

test('proxy with a password in the file works, and both are deprecated', async () => {
  await using proxy = await askedProxy()
  await using built = await handler({ proxy: { uri: proxy.url, username: 'me', password: 'hunter2' } })
  assert.equal(await answerOf(built.object), `${THROUGH} ${basic('me:hunter2')}`)
  assert.match(built.warnings.join('\n'), /\/proxy: .*use proxyOptions with CustomProxyOptions/)
  assert.match(built.warnings.join('\n'), /\/proxy\/password: .*use passwordSecretId/)
})

test('systemProxy; proxy takes precedence', async () => {
  await using proxy = await askedProxy()
  const surroundings = { env: { HTTP_PROXY: proxy.url } }
  await using system = await handler({ systemProxy: true }, surroundings)
  assert.equal(await answerOf(system.object), `${THROUGH} anonymous`)
  await using off = await handler({ systemProxy: false }, surroundings)
  assert.equal(await answerOf(off.object), DIRECT)
  await using both = await handler(
    { systemProxy: true, proxy: { uri: proxy.url, username: 'me', password: '' } },
    { env: { HTTP_PROXY: 'http://127.0.0.1:1' } },
  )
  assert.equal(await answerOf(both.object), `${THROUGH} ${basic('me:')}`)
})

test('a 407 of the proxy gives 502, and its challenge is logged', async () => {
  await using proxy = await askedProxy(407)
  await using built = await handler({ proxy: { uri: proxy.url } })
  assert.equal(await answerOf(built.object), '502 Bad Gateway')
  assert.match(built.log.lines.join(''), /proxy: expected a 2xx response to CONNECT or to the request, got 407/)
})

test('an invalid proxy is reported with its pointer', async () => {
  await assert.rejects(handler({ proxy: {} }), /\/config\/proxy\/uri: .*required/)
  await assert.rejects(handler({ proxy: { uri: 'http://a:b@proxy' } }), /\/config\/proxy\/uri: expected no name and/)
  await assert.rejects(
    handler({ proxy: { uri: 'http://proxy', username: 'a', password: 'b', passwordSecretId: 'c' } }),
    /\/config\/proxy: give at most one of password, passwordSecretId/,
  )
  await assert.rejects(
    handler({ proxy: { uri: 'http://proxy', username: 'a' } }),
    /\/config\/proxy: username needs passwordSecretId or password/,
  )
  await assert.rejects(
    handler({ proxy: { uri: 'http://proxy', password: 'b' } }),
    /\/config\/proxy: password needs username/,
  )
})

test('a proxy with an https URI is called over TLS, with tls of its options', async () => {
  const config = { uri: 'https://proxy.example', tls: { type: 'ClientTlsOptions', config: {} } }
  await using custom = await build<ProxyOptions>(CustomProxyOptions, config, { types: [ClientTlsOptions] })
  const { secure, port } = custom.object.proxyFor('http', 'app.invalid', 80)!
  assert.equal(port, 443)
  assert.equal(secure?.tls?.hostnames, 'STRICT')
  const env = { HTTP_PROXY: 'https://proxy.example:8443' }
  await using system = await build<ProxyOptions>(SystemProxyOptions, {}, { env })
  assert.deepEqual(system.object.proxyFor('http', 'app.invalid', 80)?.secure, { tls: null })
  assert.equal(system.object.proxyFor('http', 'app.invalid', 80)?.port, 8443)
})

test('tls with an http URI of the proxy is refused', async () => {
  const config = { uri: 'http://proxy.example', tls: { type: 'ClientTlsOptions', config: {} } }
  await assert.rejects(build(CustomProxyOptions, config, { types: [ClientTlsOptions] }), /tls/)
})
