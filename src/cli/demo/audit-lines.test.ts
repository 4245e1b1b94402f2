import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditLine } from './audit-lines.ts'

const EVENT = {
  _id: 'a-1',
  timestamp: '2026-01-02T03:04:05.006Z',
  eventName: 'GATEWAY-HTTP-ACCESS',
  userId: 'demo',
  http: { request: { method: 'POST', path: 'http://app.test/pay' } },
  response: { status: 'FAILED', statusCode: '403' },
  gateway: {
    routeId: 'pay',
    decision: { result: 'DENIED', by: 'gateway+pay+gate', reason: 'the condition is not true' },
  },
}
const line = (event: object) => auditLine(`${JSON.stringify(event)}\n`, 'plain')

test('an audit event is one readable line: request, status, user, route and decision', () => {
  assert.equal(
    line(EVENT),
    '03:04:05.006 AUDIT POST http://app.test/pay 403 user=demo route=pay decision=DENIED by=gateway+pay+gate reason="the condition is not true"\n',
  )
})

test('requests that were refused unparsed, that the client left, and that are in flight are shown as such', () => {
  const { userId: _, http: __, gateway: ___, ...bare } = EVENT
  assert.equal(line({ ...bare, response: { statusCode: '400' } }), '03:04:05.006 AUDIT refused request 400\n')
  const detail = { reason: 'the client closed the connection' }
  assert.match(String(line({ ...EVENT, response: { detail } })), /\/pay the client closed the connection user=demo/)
  assert.match(String(line({ ...EVENT, response: undefined })), /\/pay in flight user=demo/)
})

test('control characters of a client stay escaped, and other lines unchanged', () => {
  const request = { method: 'GET', path: 'http://app.test/\u001b[2J\nfaked' }
  const shown = String(line({ ...EVENT, http: { request } }))
  assert.ok(!shown.includes('\u001b') && shown.indexOf('\n') === shown.length - 1, JSON.stringify(shown))
  assert.equal(auditLine('03:04:05.006 INFO gateway ready\n', 'plain'), null)
})
