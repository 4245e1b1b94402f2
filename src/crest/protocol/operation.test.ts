import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UnauditedRequest } from '#http'
import { exchangeFor } from '#test/exchange'
import { memoryCollection } from '#test/memory-collection'
import { commonRest } from './endpoint-handler.ts'

const description = { id: 'test:things', title: 'Things', description: 'Of a test.', version: '1.0', schema: {} }

const REQUESTS: readonly (readonly [method: string, target: string, string | null, Record<string, string>?])[] = [
  ['PUT', '/a', 'CREATE'],
  ['PUT', '/a', 'UPDATE'],
  ['PUT', '/a', 'CREATE', { 'If-None-Match': '*' }],
  ['GET', '/a', 'READ'],
  ['HEAD', '/none', 'READ'],
  ['GET', '?_queryFilter=true', 'QUERY'],
  ['GET', '', 'QUERY'],
  ['GET', '?_api', null],
  ['POST', '?_action=create', 'CREATE'],
  ['POST', '', 'CREATE'],
  ['POST', '?_action=rollback', 'ACTION rollback'],
  ['POST', `?_action=${'x'.repeat(1_000)}`, `ACTION ${'x'.repeat(64)}`],
  ['PATCH', '/a', 'PATCH'],
  ['DELETE', '/a', 'DELETE'],
  ['OPTIONS', '/a', null],
]

test('the audit of a request has its operation', async () => {
  const handler = commonRest(memoryCollection(description), { base: '/things' })
  for (const [method, target, expected, headers = {}] of REQUESTS) {
    const sent = { 'Content-Type': 'application/json', ...headers }
    const exchange = exchangeFor(method, `http://localhost/things${target}`, { headers: sent, body: '{"n":1}' })
    const audit = new UnauditedRequest(exchange)
    exchange.audit = audit
    const { body } = await handler(exchange)
    body.cancel()
    const { operation, action } = audit.operation ?? {}
    const found = operation === undefined ? null : [operation, action].filter((each) => each !== undefined).join(' ')
    assert.equal(found, expected, `${method} ${target}`)
  }
})
