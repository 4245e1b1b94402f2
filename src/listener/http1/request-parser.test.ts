import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRequests } from '#test/parsed-requests'
import { RequestParser } from './request-parser.ts'

const parse = (text: string) => parseRequests([Buffer.from(text, 'latin1')])
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n'
const chunked = (body: string) => `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}`

const REJECTED: Record<string, [text: string, status: number]> = {
  'a bare LF after the request line': ['GET / HTTP/1.1\nHost: a\r\n\r\n', 400],
  'a bare LF after a field': ['GET / HTTP/1.1\r\nHost: a\n\r\n', 400],
  'a bare LF that ends the head': [`${GET}\n`, 400],
  'a bare CR': ['GET / HTTP/1.1\rHost: a\r\n\r\n', 400],
  'a bare LF before the request': [`\n${GET}\r\n`, 400],
  'a CR before the request': [`\r${GET}\r\n`, 400],
  'a space before the request': [` ${GET}\r\n`, 400],
  'two spaces before the target': ['GET  / HTTP/1.1\r\n', 400],
  'two spaces after the target': ['GET /  HTTP/1.1\r\n', 400],
  'a space after the version': ['GET / HTTP/1.1 \r\n', 400],
  'no target': ['GET  HTTP/1.1\r\n', 400],
  'a tab in the target': ['GET /a\tb HTTP/1.1\r\n', 400],
  'a target beyond ASCII': ['GET /\xfc HTTP/1.1\r\n', 400],
  'another version': ['GET / HTTP/1.2\r\n', 400],
  'a version of two digits': ['GET / HTTP/1.10\r\n', 400],
  'another protocol': ['GET / RTSP/1.0\r\n', 400],
  'a folded line': [`${GET}X: a\r\n b\r\n\r\n`, 400],
  'a space before a colon': [`${GET}X : a\r\n\r\n`, 400],
  'no colon': [`${GET}X\r\n\r\n`, 400],
  'NUL in a value': [`${GET}X: a\0b\r\n\r\n`, 400],
  'a tab after a coding': ['POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\t\r\n\r\n', 400],
  'a method of 33 letters': [`${'A'.repeat(33)} / HTTP/1.1\r\n`, 400],
  'a method that is not known': ['FOO / HTTP/1.1\r\n', 501],
  'a request line over the limit': [`GET /${'x'.repeat(5_000)}`, 431],
  'a field over the limit': [`${GET}X: ${'x'.repeat(5_000)}`, 431],
  'empty lines over the limit': ['\r\n'.repeat(3_000), 431],
  'a space after a chunk size': [chunked('3 \r\nabc\r\n'), 400],
  'LF after a chunk size': [chunked('3\nabc\r\n'), 400],
  'other bytes than CR LF after a chunk': [chunked('3\r\nabcd\r\n'), 400],
  'a chunk size beyond numbers': [chunked('ffffffffffffffff1\r\n'), 400],
  'an extension without a name': [chunked('3;\r\nabc\r\n'), 400],
  'extensions over the limit': [chunked(`1;${'x'.repeat(17_000)}`), 413],
  'extensions of several chunks over the limit': [chunked(`1;${'x'.repeat(1_000)}\r\na\r\n`.repeat(17)), 413],
  'a framing field in trailers': [chunked('0\r\nContent-Length: 3\r\n\r\n'), 400],
  'trailers over the limit': [chunked(`0\r\nX: ${'x'.repeat(5_000)}`), 431],
}

for (const [what, [text, status]] of Object.entries(REJECTED)) {
  test(`${what} is rejected with ${status}, in whatever chunks it is received`, () => {
    const bytes = Buffer.from(text, 'latin1')
    const { error } = parseRequests([bytes])
    assert.equal(error?.status, status, JSON.stringify(error))
    assert.deepEqual(parseRequests(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))).error, error)
  })
}

test('heads keep names and values as received, without the whitespace around values', () => {
  const { requests } = parse('M-SEARCH /a?b=%3F#c HTTP/1.0\r\nhOst:a\r\nX:  \t b c\xe9 \t\r\nEmpty:\r\n\r\n')
  assert.deepEqual(requests[0]!.head, {
    method: 'M-SEARCH',
    target: '/a?b=%3F#c',
    version: '1.0',
    fields: ['hOst', 'a', 'X', 'b c\xe9', 'Empty', ''],
  })
})

test('HTTP/2.0 and HTTP/0.9 are parsed, to be refused with 505', () => {
  for (const line of ['GET / HTTP/2.0', 'GET / HTTP/0.9', 'GET /'])
    assert.equal(parse(`${line}\r\nHost: a\r\n\r\n`).requests[0]?.refused, 505)
})

test('empty lines before requests are ignored', () => {
  assert.equal(parse(`\r\n\r\n${GET}\r\n\r\n${GET}\r\n`).requests.length, 2)
})

test('data of small chunks is delivered in one piece, that of large ones as it is', () => {
  const pieces: string[] = []
  const parser = new RequestParser(4_096, {
    onBodyData: (piece) => pieces.push(piece.toString('latin1')) > 0,
    onBodyEnd: () => {},
  })
  const large = 'x'.repeat(2_000)
  const chunk = (data: string) => `${data.length.toString(16)};e=1\r\n${data}\r\n`
  parser.beginBody(-1)
  parser.parseBody(Buffer.from([...['a', 'bc', large, 'd', large, 'e', 'f'].map(chunk), '0\r\n\r\n'].join('')), 0)
  assert.equal(parser.isComplete, true)
  assert.deepEqual(pieces, ['abc', `${large}d`, `${large}ef`])
})

test('a body is not parsed further once its reader is full', () => {
  const pieces: string[] = []
  const parser = new RequestParser(4_096, {
    onBodyData: (piece) => pieces.push(piece.toString('latin1')) > 1,
    onBodyEnd: () => {},
  })
  const large = 'x'.repeat(2_000)
  const bytes = Buffer.from(`7d0\r\n${large}\r\n7d0\r\n${large}\r\n0\r\n\r\n`)
  parser.beginBody(-1)
  const at = parser.parseBody(bytes, 0)
  assert.deepEqual([pieces.length, parser.isComplete], [1, false])
  parser.parseBody(bytes, at)
  assert.deepEqual([pieces.join('').length, parser.isComplete], [4_000, true])
})
