import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body } from '#http'
import { temporaryStorage } from '#test/exchange'
import { type SimulatedRequest, simulateRequest } from './simulated-request.ts'

const settings = {
  port: 8080,
  host: '127.0.0.1',
  reusePort: false,
  maxTotalHeadersSize: 16_384,
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 5_000,
  idleTimeout: 120_000,
  trustedProxies: ['10.0.0.0/8'],
  transactionIdHeader: 'X-Vendor-TransactionId',
  trustTransactionHeader: false,
  streaming: true,
  storage: temporaryStorage(),
  reservedPrefix: 'gateway',
}

function simulate(parts: Partial<SimulatedRequest>) {
  const plain: SimulatedRequest = {
    method: 'GET',
    target: '/',
    rawHeaders: ['Host', 'app.example.com'],
    scheme: 'http',
    clientAddress: '127.0.0.1',
    body: Body.empty,
  }
  return simulateRequest({ ...plain, ...parts }, settings)
}

test('the exchange has the normalized request', () => {
  const arrived = simulate({ target: '/a/../%62/?q=1', method: 'POST' })
  assert.ok('exchange' in arrived)
  assert.equal(arrived.exchange.request.uri.toString(), 'http://app.example.com/b/?q=1')
  assert.equal(arrived.exchange.request.headers.get('x-forwarded-for'), '127.0.0.1')
})

test('requests that the listener refuses are refused with the same status', () => {
  assert.deepEqual(simulate({ target: '/a%2fb' }), { status: 400, problem: 'the path holds an escaped slash' })
  assert.deepEqual(simulate({ target: '/Gateway/x' }), { status: 404, problem: 'a path under /gateway' })
  assert.deepEqual(simulate({ rawHeaders: [] }), { status: 400, problem: 'no Host' })
})

test('forwarding headers of a trusted proxy determine the client', () => {
  const rawHeaders = ['Host', 'app.example.com', 'X-Forwarded-Proto', 'https', 'X-Forwarded-For', '192.0.2.1']
  const arrived = simulate({ clientAddress: '10.1.1.1', rawHeaders })
  assert.ok('exchange' in arrived)
  assert.equal(arrived.exchange.originalUri.scheme, 'https')
  assert.equal(arrived.exchange.client.remoteAddress, '192.0.2.1')
})
