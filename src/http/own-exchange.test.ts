import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers, ownExchange, Request, Uri } from '#http'

const uri = () => Uri.parse('https://keys.example:8443/jwks')

test('a request of the gateway itself names its host and no client', () => {
  const exchange = ownExchange(new Request({ method: 'GET', uri: uri() }))
  assert.equal(exchange.request.headers.get('host'), 'keys.example:8443')
  assert.equal(exchange.client.external, false)
  assert.equal(exchange.client.remoteAddress, '')
})

test('a host that was given stays', () => {
  const headers = new Headers([['Host', 'other.example']])
  const exchange = ownExchange(new Request({ method: 'GET', uri: uri(), headers }))
  assert.deepEqual(exchange.request.headers.all('host'), ['other.example'])
})

test('whoever made it can give it up', () => {
  const exchange = ownExchange(new Request({ method: 'GET', uri: uri() }))
  const reasons: string[] = []
  exchange.onAbort(({ message }) => reasons.push(message))
  exchange.abort(new Error('late'))
  exchange.complete()
  assert.deepEqual(reasons, ['late'])
})

test('one that is made on behalf of another bears its transaction id', () => {
  const cause = ownExchange(new Request({ method: 'GET', uri: uri() }))
  const exchange = ownExchange(new Request({ method: 'GET', uri: uri() }), cause)
  assert.equal(exchange.transactionId, cause.transactionId)
})
