import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapVertxServerOptions } from './index.ts'

test('options with a counterpart are mapped, with their units', () => {
  const { options, warnings } = mapVertxServerOptions({
    acceptBacklog: 100,
    tcpNoDelay: false,
    tcpKeepAlive: true,
    maxHeaderSize: 4096,
    http2ClearTextEnabled: false,
    idleTimeout: 2,
    idleTimeoutUnit: 'MINUTES',
    keepAliveTimeout: 30,
  })

  assert.deepEqual(warnings, [])
  assert.deepEqual(options, {
    maxTotalHeadersSize: 4096,
    http2ClearText: false,
    idleTimeout: 120_000,
    keepAliveTimeout: 30_000,
    serverOptions: { backlog: 100, noDelay: false, keepAlive: true },
  })
})

test('an idle timeout of 0 disables it', () => {
  assert.equal(mapVertxServerOptions({ idleTimeout: 0 }).options.idleTimeout, Number.POSITIVE_INFINITY)
})

test('every other option is named in a warning', () => {
  const { options, warnings } = mapVertxServerOptions({
    compressionLevel: 6,
    port: 1,
    maxHeaderSize: 'big',
    host: '::1',
    constructor: 1,
  })

  assert.deepEqual(options, { host: '::1' })
  assert.deepEqual(warnings, [
    'vertx.compressionLevel: has no counterpart in this gateway and is ignored',
    "vertx.port: not allowed here and ignored; use the connector's own fields",
    'vertx.maxHeaderSize: expected a number of bytes, got "big"; ignored',
    'vertx.host: deprecated; use host of the connector',
    'vertx.constructor: has no counterpart in this gateway and is ignored',
  ])
})
