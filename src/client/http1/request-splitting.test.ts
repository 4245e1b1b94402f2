import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Body, Headers, Request, Uri } from '#http'
import { outboundRequest, validTrailers } from '../outbound-request.ts'
import { requestHead, trailerSection } from './request-head.ts'

const DESTINATION = { authority: 'app.test:81', isUsedOnce: false, proxy: null }

interface Parts {
  readonly method?: string
  readonly path?: string
  readonly query?: string | null
  readonly fields?: readonly (readonly [name: string, value: string])[]
  readonly body?: Body
}

/** The head as written, where a character beyond Latin-1 would become its low byte; null if a part is rejected. */
function headOf({ method = 'GET', path = '/', query = null, fields = [], body = Body.empty }: Parts): string | null {
  try {
    const uri = Uri.parse('http://app.test:81')
    uri.rawPath = path
    uri.rawQuery = query
    const request = new Request({ method, uri, headers: new Headers(fields), body })
    return Buffer.from(requestHead(outboundRequest(request, DESTINATION, null)), 'latin1').toString('latin1')
  } catch {
    return null
  }
}

// Each of them, or its low byte, would end a line or a part of it.
const HOSTILE = [
  ...['\r', '\n', '\r\n', '\0', ' ', '\t', ':', '\u010a', '\u010d', '\u0120', '\u2028', '\x7f', '\x0b', '\xe9', '\xa0'],
]

const TARGET = /^GET \/[\x21-\x7e]* HTTP\/1\.1\r\n/

for (const hostile of HOSTILE) {
  test(`a request is one request, or rejected: ${JSON.stringify(hostile)} in any part`, () => {
    const injected = `a${hostile}b`
    const isText = [' ', '\t', ':', '\xe9', '\xa0'].includes(hostile)
    for (const target of [{ path: `/${injected}` }, { query: injected }]) {
      const head = headOf(target)
      if (head !== null) assert.match(head, TARGET)
    }
    assert.equal(headOf({ fields: [[injected, 'v']] }), null)
    for (const name of ['X-A', 'Host']) {
      const head = headOf({ fields: [[name, injected]] })
      assert.equal(head?.includes(`: ${injected}\r\n`) ?? false, isText, name)
      assert.equal(head === null, !isText, name)
    }
    const trailers = trailerSection(validTrailers([injected, 'v', 'X-A', injected, 'X-B', 'c']))
    assert.equal(trailers, isText ? `X-A: ${injected}\r\nX-B: c\r\n\r\n` : 'X-B: c\r\n\r\n')
  })
}

const text = fc.string({
  unit: fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ minLength: 1, maxLength: 3 })),
  maxLength: 4,
})
const FRAMING = ['Host', 'X-A', 'Connection', 'Content-Length', 'Transfer-Encoding', 'TE', 'Expect']
const LINE = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ \/[\x21-\x7e]* HTTP\/1\.1$/
const FIELD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+: [\t\x20-\x7e\x80-\xff]*$/

test('B22, B29: whatever the parts of a request are, its head has one line for each of them', () => {
  const parts = fc.record({
    method: fc.constantFrom('GET', 'POST', 'get', 'OPTIONS'),
    path: text.map((rest) => `/${rest}`),
    query: fc.option(text),
    fields: fc.array(fc.tuple(fc.oneof(text, fc.constantFrom(...FRAMING)), text), { maxLength: 4 }),
    body: fc.constantFrom(Body.empty, Body.of('body')),
  })
  fc.assert(
    fc.property(parts, (request) => {
      const head = headOf(request)
      if (head === null) return
      assert.ok(head.endsWith('\r\n\r\n'))
      const [line, ...lines] = head.slice(0, -4).split('\r\n')
      assert.match(line!, LINE)
      assert.ok(lines.length <= request.fields.length + 3)
      for (const each of lines) assert.match(each, FIELD)
      const named = (pattern: RegExp) => lines.filter((each) => pattern.test(each)).length
      assert.equal(named(/^host:/i), 1)
      assert.equal(named(/^connection:/i), 1)
      assert.equal(named(/^transfer-encoding:/i), 0)
      assert.ok(named(/^content-length:/i) <= 1)
    }),
  )
})
