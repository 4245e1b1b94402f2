import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { TemporaryStorageKind } from '#contracts'
import { type Handler, TemporaryStorage } from '#http'
import type { JsonValue } from '#json'
import { defineType } from '#schema'
import { build } from '#test/build'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { httpUpstream, rawUpstream } from '#test/upstream'
import { within } from '#test/waiting'
import { ClientHandler } from './client-handler.ts'
import { ReverseProxyHandler } from './reverse-proxy-handler.ts'

/** Storage with 16 bytes in memory and 64 in a file. */
const TinyStorage = defineType({
  name: 'TinyStorage',
  kind: TemporaryStorageKind,
  summary: 'Keeps little.',
  config: {},
  create: (_config, env) =>
    new TemporaryStorage({ initialLength: 16, memoryLimit: 16, fileLimit: 64, directory: env.directories.temporary }),
})

const whole = (config: Record<string, JsonValue> = {}, definition = ReverseProxyHandler) =>
  build<Handler>(
    definition,
    { asyncBehavior: 'non_streaming', temporaryStorage: { type: 'TinyStorage' }, ...config },
    { types: [TinyStorage] },
  )

test('non_streaming responds when the whole response is buffered', async () => {
  const answering = Promise.withResolvers<ServerResponse>()
  await using upstream = await httpUpstream((_request, response) => {
    response.write('first ')
    answering.resolve(response)
  })
  await using built = await whole()
  const response = built.object(exchangeFor('GET', upstream.url))
  ;(await within('the upstream started its response', answering.promise)).end('last')
  const { body } = await response
  assert.equal(body.isBuffered, true)
  assert.equal(body.length, 10)
  assert.equal(body.text(), 'first last')
})

test('a response beyond the memory limit is in a file, which is deleted with the exchange', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('x'.repeat(40)))
  await using built = await whole()
  const exchange = exchangeFor('GET', upstream.url)
  const response = await built.object(exchange)
  assert.equal(await textOf(response), 'x'.repeat(40))
  exchange.complete()
  await assert.rejects(response.body.read(100))
  assert.deepEqual(readdirSync(built.directory), [])
})

test('a response over the limit of the storage gives 502, with or without Content-Length', async () => {
  for (const announced of [true, false]) {
    await using upstream = await httpUpstream((_request, response) => {
      if (announced) response.setHeader('Content-Length', 65)
      response.write('x')
      response.end('x'.repeat(64))
    })
    await using built = await whole()
    const response = await built.object(exchangeFor('GET', upstream.url))
    assert.equal(response.status, 502)
    assert.equal(response.body.text(), 'Bad Gateway')
    assert.equal((built.log.entries[0]!['error'] as { code: string }).code, 'GW_UPSTREAM_TOO_LARGE')
    assert.deepEqual(readdirSync(built.directory), [])
  }
})

test('a truncated response gives 502, one that stalls 504', async () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'
  await using cut = await rawUpstream((socket) => socket.end(head))
  await using silent = await rawUpstream((socket) => socket.write(head))
  await using built = await whole({ soTimeout: '100 ms' })
  assert.equal((await built.object(exchangeFor('GET', cut.url))).status, 502)
  assert.equal((await built.object(exchangeFor('GET', silent.url))).status, 504)
})

test('without temporaryStorage the handler uses the storage of the exchange', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('x'.repeat(100)))
  await using built = await build<Handler>(ReverseProxyHandler, { asyncBehavior: 'NON_STREAMING' })
  const response = await built.object(exchangeFor('GET', upstream.url))
  assert.equal(response.body.isBuffered, true)
})

test('a ClientHandler throws an upstream failure for a response that is too large', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('x'.repeat(100)))
  await using built = await whole({}, ClientHandler)
  await assert.rejects(built.object(exchangeFor('GET', upstream.url)), { code: 'GW_UPSTREAM_TOO_LARGE', status: 502 })
})

test('temporaryStorage with streaming gives a warning', async () => {
  await using built = await whole({ asyncBehavior: 'streaming' })
  assert.deepEqual(built.warnings, [
    '/heap/0: temporaryStorage has no effect: responses are streamed; set asyncBehavior to non_streaming to buffer them',
  ])
})

test('where streaming is disabled in admin.json, responses are buffered unless the handler enables streaming', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  const cases: readonly (readonly [JsonValue, boolean])[] = [
    [{}, true],
    [{ asyncBehavior: 'streaming' }, false],
  ]
  for (const [config, buffered] of cases) {
    await using built = await build<Handler>(ReverseProxyHandler, config, { settings: { streamingEnabled: false } })
    const response = await built.object(exchangeFor('GET', upstream.url))
    assert.equal(response.body.isBuffered, buffered)
    response.body.cancel()
  }
})
