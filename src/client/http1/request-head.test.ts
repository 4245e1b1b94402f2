import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body } from '#http'
import type { OutboundRequest } from '../dispatcher.ts'
import { requestHead, trailerSection } from './request-head.ts'

function headOf(request: Partial<OutboundRequest>): string {
  return requestHead({
    method: 'GET',
    target: '/a?b',
    host: 'h',
    fields: [],
    acceptsTrailers: false,
    bytes: null,
    stream: null,
    length: null,
    isLast: false,
    ...request,
  })
}

test('the head has the request line, Host, Connection, the fields in order, and the framing', () => {
  assert.equal(
    headOf({ method: 'POST', fields: ['X-b', '1', 'x-A', 'caf\xe9'], length: 3 }),
    'POST /a?b HTTP/1.1\r\nhost: h\r\nconnection: keep-alive\r\nX-b: 1\r\nx-A: caf\xe9\r\ncontent-length: 3\r\n\r\n',
  )
})

test('a stream of unknown length is chunked, and an empty POST says so', () => {
  assert.match(headOf({ stream: Body.of('x') }), /\r\ntransfer-encoding: chunked\r\n\r\n$/)
  assert.match(headOf({ method: 'POST' }), /\r\ncontent-length: 0\r\n\r\n$/)
  assert.doesNotMatch(headOf({}), /content-length|transfer-encoding/)
})

test('the last request of a connection, and one that accepts trailers, have connection options', () => {
  assert.match(headOf({ isLast: true }), /\r\nconnection: close\r\n/)
  assert.match(headOf({ acceptsTrailers: true, fields: ['TE', 'trailers'] }), /\r\nconnection: keep-alive, TE\r\n/)
})

test('a trailer section ends with an empty line', () => {
  assert.equal(trailerSection([]), '\r\n')
  assert.equal(trailerSection(['X-Sum', '1', 'Y', '']), 'X-Sum: 1\r\nY: \r\n\r\n')
})
