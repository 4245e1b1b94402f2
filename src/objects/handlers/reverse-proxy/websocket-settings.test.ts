import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { ReverseProxyHandler } from './reverse-proxy-handler.ts'

const proxy = (websocket: JsonObject, properties: JsonObject = {}) =>
  build(ReverseProxyHandler, { websocket }, { properties })

const refused = (websocket: JsonObject, message: RegExp) => assert.rejects(proxy(websocket), message)

test('every value accepts a configuration expression', async () => {
  await using built = await proxy(
    {
      enabled: '${yes}',
      connectionTimeout: '${wait}',
      soTimeout: '${wait}',
      vertx: { tryUsePerMessageWebSocketCompression: '${yes}', maxWebSockets: '${most}' },
    },
    { yes: true, wait: '2 seconds', most: '100' },
  )
  assert.deepEqual(built.warnings, [])
})

test('all options of vertx may be one expression', async () => {
  await using built = await proxy({ vertx: '${vertxConfig}' }, { vertxConfig: { maxWebSockets: 7, maxFrameSize: 1 } })
  assert.deepEqual(built.warnings.length, 1)
  assert.match(built.warnings[0]!, /websocket\.vertx\.maxFrameSize: has no counterpart/)
})

test('invalid values are reported with their pointer', async () => {
  await refused({ enabled: 'maybe' }, /\/heap\/0\/config\/websocket\/enabled: expected true or false/)
  await refused({ soTimeout: '0 s' }, /\/config\/websocket\/soTimeout: expected a duration of more than zero/)
  await refused({ connectionTimeout: 'soon' }, /\/websocket\/connectionTimeout: expected a duration such as/)
  await refused({ numberOfSelectors: 0 }, /\/websocket\/numberOfSelectors: expected an integer of at least 1, got 0/)
  await refused({ tls: 'missing' }, /\/websocket\/tls: .*missing/)
  await refused({ hostnameVerifier: 'STRICT' }, /\/websocket\/hostnameVerifier: unknown field/)
  await refused(
    { vertx: { tryUsePerFrameWebSocketCompression: 'yes' } },
    /\/websocket\/vertx\/tryUsePerFrameWebSocketCompression: expected true or false, got "yes"/,
  )
  for (const maxWebSockets of [0, -2, 1.5, 'many']) {
    await refused({ vertx: { maxWebSockets } }, /\/websocket\/vertx\/maxWebSockets: expected -1 or an integer of at/)
  }
})

test('vertx: the option names of the handler are disallowed here too', async () => {
  for (const name of ['port', 'ssl', 'idleTimeout', 'verifyHost', 'alpnVersions']) {
    await refused(
      { vertx: { [name]: 1 } },
      new RegExp(`/config/websocket/vertx/${name}: "${name}" is not allowed here`),
    )
  }
})

test('fields without effect and deprecated fields give a warning', async () => {
  await using built = await proxy({
    enabled: true,
    numberOfSelectors: 4,
    sslEnabledProtocols: ['TLSv1.3'],
    vertx: { maxFrameSize: 1 },
  })
  assert.equal(built.warnings.length, 3)
  assert.match(built.warnings.join('\n'), /numberOfSelectors.*number of units/)
  assert.match(built.warnings.join('\n'), /sslEnabledProtocols.*ClientTlsOptions/)
  assert.match(built.warnings.join('\n'), /websocket\.vertx\.maxFrameSize: has no counterpart/)
})
