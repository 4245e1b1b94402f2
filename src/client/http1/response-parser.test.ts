import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ParsedResponse, type ParseOptions, parseResponse } from '#test/parsed-response'
import { type ResponseHead, ResponseParser } from './response-parser.ts'

/** The result for these bytes, which must not depend on the chunks in which they are received. */
function parse(text: string, options: ParseOptions = {}): ParsedResponse {
  const bytes = Buffer.from(text, 'latin1')
  const result = parseResponse([bytes], options)
  const expected = JSON.stringify(result)
  for (let at = 1; at < bytes.length; at++) {
    const split = parseResponse([bytes.subarray(0, at), bytes.subarray(at)], options)
    assert.equal(JSON.stringify(split), expected, `split at ${at}`)
  }
  const octets = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
  assert.equal(JSON.stringify(parseResponse(octets, options)), expected, 'byte by byte')
  return result
}

function headOf(text: string, options?: ParseOptions): ResponseHead {
  const { head, error } = parse(text, options)
  assert.equal(error, null)
  return head!
}

test('fields are passed on as received, without the whitespace around values', () => {
  const { head, body, trailers } = parse(
    'HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nX-Text:\t caf\xe9 \xa0 \t\r\nset-cookie:b=2\r\nX-Empty:\r\nX-Blank: \t \r\n' +
      '__proto__: x\r\nContent-Length: 2\r\n\r\nhi',
  )
  assert.deepEqual(head, {
    status: 200,
    reason: 'OK',
    fields: [
      ...['Set-Cookie', 'a=1', 'X-Text', 'caf\xe9 \xa0', 'set-cookie', 'b=2', 'X-Empty', '', 'X-Blank', ''],
      ...['__proto__', 'x', 'Content-Length', '2'],
    ],
    minor: 1,
    keepAlive: true,
    keepAliveHint: -1,
    length: 2,
    upgrade: false,
  })
  assert.deepEqual([body, trailers], ['hi', []])
})

test('status and reason phrase are passed on as received, the phrase in Latin-1', () => {
  for (const [line, status, reason] of [
    ['HTTP/1.1 200 OK', 200, 'OK'],
    ['HTTP/1.0 404 nicht gef\xfcnd', 404, 'nicht gef\xfcnd'],
    ['HTTP/1.1 999  two  spaces\t', 999, ' two  spaces\t'],
    ['HTTP/1.1 299 ', 299, ''],
    ['HTTP/1.1 600', 600, ''],
    ['HTTP/1.1 404 Not Fount', 404, 'Not Fount'],
  ] as const) {
    const head = headOf(`${line}\r\nContent-Length: 0\r\n\r\n`)
    assert.deepEqual([head.status, head.reason], [status, reason], line)
  }
})

test('a body with a length ends after that many bytes', () => {
  const { head, body, trailers } = parse('HTTP/1.1 200 OK\r\ncontent-LENGTH: 0012\r\n\r\nHTTP/1.1 200')
  assert.deepEqual([head!.length, body, trailers], [12, 'HTTP/1.1 200', []])
})

test('a chunked body is decoded; its extensions are ignored, its trailers passed on', () => {
  const { head, body, trailers } = parse(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n' +
      '5;a;b=c;d="x; \\" \xe9"\r\nhello\r\n00A\r\n0123456789\r\n1\r\n!\r\n000;last\r\nX-Sum: 1 \r\nGrpc-Status:0\r\n\r\n',
  )
  assert.equal(head!.length, -1)
  assert.equal(body, 'hello0123456789!')
  assert.deepEqual(trailers, ['X-Sum', '1', 'Grpc-Status', '0'])
})

test('a body without length ends with the connection', () => {
  for (const version of ['HTTP/1.0', 'HTTP/1.1']) {
    const { head, body, trailers } = parse(`${version} 200 OK\r\nConnection: keep-alive\r\n\r\nall of it`)
    assert.deepEqual([head!.length, head!.keepAlive, body, trailers], [-2, false, 'all of it', []])
  }
  assert.equal(parse('HTTP/1.1 200 OK\r\n\r\nall', { closes: false }).trailers, null)
  assert.deepEqual(parse('HTTP/1.1 200 OK\r\n\r\n').trailers, [])
})

test('responses to HEAD, 204 and 304 have no body, whatever their fields announce', () => {
  for (const fields of ['', 'Content-Length: 1234\r\n', 'Transfer-Encoding: chunked\r\n']) {
    for (const [line, method] of [
      ['HTTP/1.1 200 OK', 'HEAD'],
      ['HTTP/1.1 204 No Content', 'GET'],
      ['HTTP/1.1 304 Not Modified', 'GET'],
    ] as const) {
      const { head, trailers, excess } = parse(`${line}\r\n${fields}\r\n`, { method, closes: false })
      assert.deepEqual([head!.length, head!.keepAlive, trailers, excess], [0, true, [], 0], line)
    }
  }
})

test('205 has a body by its framing', () => {
  assert.equal(headOf('HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n').length, 0)
  assert.equal(headOf('HTTP/1.1 205 Reset Content\r\n\r\n').length, -2)
})

test('informational responses come before the final one', () => {
  const { interims, head, body } = parse(
    'HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\nHTTP/1.0 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102\r\n\r\n' +
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi',
  )
  assert.deepEqual(interims, [
    [100, 'Continue', ['Content-Length', '5']],
    [103, 'Early Hints', ['Link', '</a>']],
    [102, '', []],
  ])
  assert.deepEqual([head!.fields, body], [['Content-Length', '2'], 'hi'])
})

test('after an upgrade the rest belongs to the caller', () => {
  const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'
  const upgraded = parse(`${switching}\x81\x02hi`, { allowUpgrade: true })
  assert.deepEqual([upgraded.head!.upgrade, upgraded.excess, upgraded.trailers], [true, 4, null])
  // RFC 9110 section 9.3.6: framing fields of a 2xx response to CONNECT are ignored.
  const tunnel = parse('HTTP/1.0 200 Connection established\r\nContent-Length: 2, 3\r\n\r\nbytes', {
    method: 'CONNECT',
  })
  assert.deepEqual([tunnel.head!.upgrade, tunnel.excess], [true, 5])
  const refused = parse('HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno', { method: 'CONNECT' })
  assert.deepEqual([refused.head!.upgrade, refused.head!.keepAlive, refused.body], [false, true, 'no'])
  const redirect = parse('HTTP/1.1 300 No\r\nContent-Length: 2\r\n\r\nno', { method: 'CONNECT' })
  assert.deepEqual([redirect.head!.upgrade, redirect.body], [false, 'no'])
  assert.equal(headOf('HTTP/1.1 426 Upgrade\r\nContent-Length: 0\r\n\r\n', { allowUpgrade: true }).upgrade, false)
})

test('persistence follows version and Connection', () => {
  for (const [version, fields, keepAlive] of [
    ['1.1', '', true],
    ['1.1', 'Connection: close\r\n', false],
    ['1.1', 'connection: x-hop , CLOSE\r\n', false],
    ['1.1', 'Connection: x-hop\r\nConnection: close\r\n', false],
    ['1.1', 'Connection: close\r\nConnection: keep-alive\r\n', false],
    ['1.1', 'Connection: closed\r\n', true],
    ['1.1', 'Proxy-Connection: close\r\n', false],
    ['1.0', '', false],
    ['1.0', 'Connection: Keep-Alive\r\n', true],
    ['1.0', 'Connection: keep-alive, close\r\n', false],
  ] as const) {
    const head = headOf(`HTTP/${version} 200 OK\r\n${fields}Content-Length: 0\r\n\r\n`)
    assert.equal(head.keepAlive, keepAlive, `${version} ${fields}`)
  }
})

test('the hint of Keep-Alive is its timeout', () => {
  for (const [value, hint] of [
    ['timeout=5', 5],
    ['max=100, Timeout=60', 60],
    ['timeout=0;max=1', 0],
    ['timeout=5s', -1],
    ['timeout=99999999999', -1],
    ['xtimeout=5', -1],
    ['', -1],
  ] as const) {
    assert.equal(headOf(`HTTP/1.1 204 No\r\nKeep-Alive: ${value}\r\n\r\n`).keepAliveHint, hint, value)
  }
})

test('bytes after a complete response are counted, never interpreted', () => {
  const one = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
  for (const response of [one, chunked, 'HTTP/1.1 204 No Content\r\n\r\n']) {
    for (const rest of [one, '\r\n', '\0', 'x'.repeat(100)]) {
      const { trailers, excess, error } = parse(response + rest)
      assert.deepEqual([trailers, excess, error], [[], rest.length, null])
    }
  }
})

test('a receiver that expects the next response at the end of one gets nothing of the excess', () => {
  const events: unknown[] = []
  const parser = new ResponseParser(
    { maxHeadBytes: 1024 },
    {
      onInterim: (status) => events.push(status),
      onHead: ({ status }) => events.push(status),
      onData: (piece) => events.push(piece.toString()),
      onComplete: (_trailers, excess) => {
        events.push(excess)
        if (events.length < 4) parser.expect('GET', false)
      },
    },
  )
  parser.expect('HEAD', false)
  const first = Buffer.from('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 500 Poison\r\n\r\n')
  assert.equal(parser.execute(first), 19)
  assert.deepEqual([events, parser.started], [[200, 23], false])
  const second = Buffer.from('HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n')
  assert.equal(parser.execute(second), second.length)
  assert.deepEqual([events, parser.started], [[200, 23, 201, 0], false])
  assert.equal(parser.execute(second), 0, 'no response is expected')
})

test('no event follows a stop', () => {
  const text =
    'HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n'
  for (const last of ['onInterim', 'onHead', 'onData', 'onComplete']) {
    const events: string[] = []
    const record = (event: string) => () => {
      events.push(event)
      if (event === last) parser.stop()
    }
    const parser: ResponseParser = new ResponseParser(
      { maxHeadBytes: 1024 },
      {
        onInterim: record('onInterim'),
        onHead: record('onHead'),
        onData: record('onData'),
        onComplete: record('onComplete'),
      },
    )
    parser.expect('GET', false)
    parser.execute(Buffer.from(text))
    assert.equal(parser.execute(Buffer.from('b\r\n0\r\n\r\n')), 0)
    parser.finish()
    assert.equal(events.at(-1), last)
    assert.equal(new Set(events).size, events.length + (last === 'onComplete' ? -1 : 0))
    assert.throws(() => parser.expect('GET', false), /in progress/)
  }
})

test('a response is started by its first byte, until its last', () => {
  const seen: boolean[] = []
  const note = () => seen.push(parser.started)
  const parser: ResponseParser = new ResponseParser(
    { maxHeadBytes: 1024 },
    { onInterim: note, onHead: note, onData: note, onComplete: note },
  )
  parser.finish()
  parser.expect('GET', false)
  assert.equal(parser.started, false)
  parser.execute(Buffer.alloc(0))
  assert.equal(parser.started, false)
  parser.execute(Buffer.from('H'))
  assert.equal(parser.started, true)
  parser.execute(Buffer.from('TTP/1.1 100 \r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1'))
  assert.deepEqual(seen, [true, true, true, false])
  assert.throws(() => {
    parser.expect('GET', false)
    parser.expect('GET', false)
  }, /in progress/)
})

test('a piece that is the whole chunk is the chunk itself', () => {
  const pieces: Buffer[] = []
  const parser = new ResponseParser(
    { maxHeadBytes: 1024 },
    { onInterim() {}, onHead() {}, onData: (piece) => pieces.push(piece), onComplete() {} },
  )
  parser.expect('GET', false)
  parser.execute(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n'))
  const chunk = Buffer.from('01234')
  parser.execute(chunk)
  parser.execute(chunk)
  assert.ok(pieces.length === 2 && pieces.every((piece) => piece === chunk))
})

test('a long field is joined from single bytes', () => {
  const value = 'v'.repeat(60_000)
  const octets = Array.from(`HTTP/1.1 200 OK\r\nX-Long: ${value} \r\nContent-Length: 0\r\n\r\n`, (octet) =>
    Buffer.from(octet),
  )
  const result = parseResponse(octets)
  assert.deepEqual([result.error, result.head!.fields], [null, ['X-Long', value, 'Content-Length', '0']])
})
