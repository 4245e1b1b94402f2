import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Exchange, type Filter, type Handler, respond, TransactionId } from '#http'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { TransactionIdOutboundFilter } from './transaction-id-outbound-filter.ts'

const HEADER = 'X-Vendor-TransactionId'

/** A request with a given transaction id, as from a trusted peer. */
function requestWith(id: string, headers: Record<string, string> = {}): Exchange {
  const { request, client, storage } = exchangeFor('GET', 'http://app.example.com/', { headers })
  return new Exchange({ request, client, storage, transactionId: new TransactionId(id) })
}

/** Collects the values of a header that the upstream receives. */
function upstream(header = HEADER): { readonly received: string[][]; readonly handler: Handler } {
  const received: string[][] = []
  const handler: Handler = async ({ request }) => {
    received.push(request.headers.all(header))
    return respond(200)
  }
  return { received, handler }
}

test('each request has the id and its own number, from 0', async () => {
  await using built = await build<Filter>(TransactionIdOutboundFilter, {})
  const { received, handler } = upstream()
  const exchange = requestWith('abc-1')

  await built.object(exchange, handler)
  await built.object(exchange, handler)

  assert.deepEqual(received, [['abc-1/0'], ['abc-1/1']])
})

test('a header of the client is replaced', async () => {
  await using built = await build<Filter>(TransactionIdOutboundFilter, {})
  const { received, handler } = upstream()
  await built.object(requestWith('abc', { 'x-vendor-transactionid': 'forged' }), handler)
  assert.deepEqual(received, [['abc/0']])
})

test('the original request is not changed', async () => {
  await using built = await build<Filter>(TransactionIdOutboundFilter, {})
  const exchange = requestWith('abc')
  await built.object(exchange, upstream().handler)
  assert.equal(exchange.request.headers.has(HEADER), false)
})

test('an exchange without a given id sends a new one', async () => {
  await using built = await build<Filter>(TransactionIdOutboundFilter, {})
  const { received, handler } = upstream()
  await built.object(exchangeFor('GET', 'http://app.example.com/'), handler)
  assert.match(received[0]?.[0] ?? '', /^[0-9a-f-]{36}\/0$/)
})

test('a long id with line breaks of a trusted peer is truncated and sanitized', async () => {
  await using built = await build<Filter>(TransactionIdOutboundFilter, {})
  const { received, handler } = upstream()
  await built.object(requestWith(`a\r\nX-Injected: 1${'z'.repeat(10_000)}`), handler)
  assert.match(received[0]?.[0] ?? '', /^a__X-Injected:_1z{150,200}\/0$/)
})

test('the name of the header is that of admin.json', async () => {
  await using built = await build<Filter>(
    TransactionIdOutboundFilter,
    {},
    { settings: { transactionIdHeader: 'X-Trace' } },
  )
  const { received, handler } = upstream('X-Trace')
  await built.object(requestWith('abc'), handler)
  assert.deepEqual(received, [['abc/0']])
})

test('refuses a configuration: there is nothing to configure', async () => {
  await assert.rejects(build(TransactionIdOutboundFilter, { header: 'X-Trace' }), {
    code: 'GW_CONFIG_INVALID',
    message: '/heap/0/config/header: unknown field',
  })
})
