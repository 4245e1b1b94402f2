import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers, internalExchange, Request, Uri } from '#http'

const uri = () => Uri.parse('https://keys.example:8443/jwks')

test('an internal request has a Host header and no client', () => {
  const exchange = internalExchange(new Request({ method: 'GET', uri: uri() }))
  assert.equal(exchange.request.headers.get('host'), 'keys.example:8443')
  assert.equal(exchange.client.external, false)
  assert.equal(exchange.client.remoteAddress, '')
})

test('an explicit Host header is preserved', () => {
  const headers = new Headers([['Host', 'other.example']])
  const exchange = internalExchange(new Request({ method: 'GET', uri: uri(), headers }))
  assert.deepEqual(exchange.request.headers.all('host'), ['other.example'])
})

test('can be aborted', () => {
  const exchange = internalExchange(new Request({ method: 'GET', uri: uri() }))
  const reasons: string[] = []
  exchange.onAbort(({ message }) => reasons.push(message))
  exchange.abort(new Error('late'))
  exchange.complete()
  assert.deepEqual(reasons, ['late'])
})

test('has the transaction id of the exchange on whose behalf it is made', () => {
  const cause = internalExchange(new Request({ method: 'GET', uri: uri() }))
  const exchange = internalExchange(new Request({ method: 'GET', uri: uri() }), cause)
  assert.equal(exchange.transactionId, cause.transactionId)
})
