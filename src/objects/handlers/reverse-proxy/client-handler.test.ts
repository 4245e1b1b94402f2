import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UpstreamError } from '#client'
import type { Handler } from '#http'
import { build } from '#test/build'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { httpUpstream, silentUpstream } from '#test/upstream'
import { ClientHandler } from './client-handler.ts'

test('sends the request and returns the response, with any status', async () => {
  await using upstream = await httpUpstream((request, response) => {
    response.statusCode = 503
    response.end(`${request.method} ${request.url}`)
  })
  await using built = await build<Handler>(ClientHandler, {})
  const response = await built.object(exchangeFor('POST', `${upstream.url}/token`, { body: 'a=b' }))
  assert.equal(response.status, 503)
  assert.equal(await textOf(response), 'POST /token')
})

test('throws where no response arrived, and logs nothing', async () => {
  const gone = await silentUpstream()
  await gone[Symbol.asyncDispose]()
  await using silent = await silentUpstream()
  await using built = await build<Handler>(ClientHandler, { soTimeout: '50 ms' })
  await assert.rejects(built.object(exchangeFor('GET', gone.url)), (error) => {
    assert.ok(error instanceof UpstreamError)
    assert.equal(error.code, 'GW_UPSTREAM_CONNECT')
    assert.equal(error.message.includes(new URL(gone.url).port), false)
    return true
  })
  await assert.rejects(built.object(exchangeFor('GET', silent.url)), { code: 'GW_UPSTREAM_TIMEOUT', status: 504 })
  await assert.rejects(built.object(exchangeFor('GET', 'gopher://a.example/')), { code: 'GW_UPSTREAM_REQUEST' })
  assert.deepEqual(built.log.entries, [])
})

test('has the fields of a ReverseProxyHandler and the same checks', async () => {
  await assert.rejects(
    build(ClientHandler, { vertx: { maxWaitQueueSize: 'many' } }),
    /\/heap\/0\/config\/vertx\/maxWaitQueueSize: expected an integer of at least -1, got "many"/,
  )
  await assert.rejects(build(ClientHandler, { webSocket: {} }), /\/heap\/0\/config\/webSocket: unknown field/)
})
