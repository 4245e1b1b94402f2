import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_FIELDS } from '#http1'
import { type ParseOptions, parseResponse } from '#test/parsed-response'

/** Fails unless the bytes are rejected with this message, at the same byte in whatever chunks they are received. */
function assertRejected(text: string, message: RegExp, options: ParseOptions = {}, step = 1): void {
  const bytes = Buffer.from(text, 'latin1')
  const { error, trailers } = parseResponse([bytes], options)
  assert.match(error?.message ?? 'accepted', message, JSON.stringify(text.slice(0, 200)))
  assert.equal(trailers, null)
  for (let at = 1; at < bytes.length; at += step) {
    const split = parseResponse([bytes.subarray(0, at), bytes.subarray(at)], options)
    assert.deepEqual(split.error, error, `split at ${at}`)
  }
  const octets = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
  assert.deepEqual(parseResponse(octets, options).error, error, 'byte by byte')
}

const response = (fields: string, body = '') => `HTTP/1.1 200 OK\r\n${fields}\r\n${body}`
const chunked = (body: string) => response('Transfer-Encoding: chunked\r\n', body)
const rest = '\r\nContent-Length: 2\r\n\r\nhi'

const STATUS_LINES: Record<string, [text: string, message: RegExp]> = {
  'another protocol': ['SSH-2.0-OpenSSH\r\n', /^status line: expected HTTP\/1\.0 or HTTP\/1\.1, got 0x53 at byte 0$/],
  'an alert of TLS': ['\x15\x03\x01\0\x02', /got an alert of TLS at byte 0$/],
  'frames of HTTP/2': ['\0\0\x12\x04\0\0\0\0\0', /HTTP\/1\.1, got 0x00 at byte 0$/],
  RTSP: [`RTSP/1.0 200 OK${rest}`, /got 0x52 at byte 0$/],
  'lower case': [`http/1.1 200 OK${rest}`, /got 0x68 at byte 0$/],
  'HTTP/0.9': [`HTTP/0.9 200 OK${rest}`, /got 0x30 at byte 5$/],
  'HTTP/2.0': [`HTTP/2.0 200 OK${rest}`, /got 0x32 at byte 5$/],
  'HTTP/1.2': [`HTTP/1.2 200 OK${rest}`, /got 0x32 at byte 7$/],
  'HTTP/1.01': [`HTTP/1.01 200 OK${rest}`, /got 0x31 at byte 8$|one space/],
  'HTTP/11.1': [`HTTP/11.1 200 OK${rest}`, /got 0x31 at byte 6$/],
  'an empty line before it': [`\r\nHTTP/1.1 200 OK${rest}`, /got 0x0d at byte 0$/],
  'a space before it': [` HTTP/1.1 200 OK${rest}`, /got 0x20 at byte 0$/],
  'two spaces before the status': [`HTTP/1.1  200 OK${rest}`, /a status from 100 to 999, got 0x20 at byte 9$/],
  'a tab before the status': [`HTTP/1.1\t200 OK${rest}`, /one space after the version, got 0x09 at byte 8$/],
  'a tab after the status': [`HTTP/1.1 200\tOK${rest}`, /a space or CR, got 0x09 at byte 12$/],
  'status 000': [`HTTP/1.1 000 Zero${rest}`, /a status from 100 to 999, got 0x30 at byte 9$/],
  'status 099': [`HTTP/1.1 099 Low${rest}`, /a status from 100 to 999, got 0x30 at byte 9$/],
  'a status of four digits': [`HTTP/1.1 1234 High${rest}`, /a space or CR, got 0x34 at byte 12$/],
  'a status of two digits': [`HTTP/1.1 20 OK${rest}`, /a status from 100 to 999, got 0x20 at byte 11$/],
  'no status': [`HTTP/1.1 OK${rest}`, /a status from 100 to 999, got 0x4f at byte 9$/],
  'a hexadecimal status': [`HTTP/1.1 2a0 OK${rest}`, /got 0x61 at byte 10$/],
  'no space after the status': [`HTTP/1.1 100Continue${rest}`, /a space or CR, got 0x43 at byte 12$/],
  'a bare LF': ['HTTP/1.1 200 OK\nContent-Length: 2\r\n\r\nhi', /a reason phrase and CR LF, got 0x0a at byte 15$/],
  'a bare LF without a reason': ['HTTP/1.1 200\nX: y\r\n\r\n', /a space or CR, got 0x0a at byte 12$/],
  'a bare CR': ['HTTP/1.1 200 OK\rX-A: b\r\n\r\n', /LF after CR, got 0x58 at byte 16$/],
  'two CRs': ['HTTP/1.1 200 OK\r\r\n\r\n', /LF after CR, got 0x0d at byte 16$/],
  'NUL in the reason': [`HTTP/1.1 200 O\0K${rest}`, /a reason phrase and CR LF, got 0x00 at byte 14$/],
  'DEL in the reason': [`HTTP/1.1 200 \x7f${rest}`, /got 0x7f at byte 13$/],
}

for (const [what, [text, message]] of Object.entries(STATUS_LINES)) {
  test(`B28: a status line is rejected: ${what}`, () => {
    assertRejected(text, message)
    assert.match(
      parseResponse([Buffer.from(`HTTP/1.1 103 Hints\r\n\r\n${text}`, 'latin1')]).error!.message,
      /status line/,
    )
  })
}

test('a status line has at most 8 KiB', () => {
  const fits = `HTTP/1.1 200 ${'x'.repeat(8_192 - 15)}\r\n\r\n`
  assert.equal(parseResponse([Buffer.from(fits)]).error, null)
  assertRejected(`HTTP/1.1 200 ${'x'.repeat(8_192 - 14)}\r\n\r\n`, /at most 8192 bytes, got more at byte 8190$/, {}, 97)
})

const FIELDS: Record<string, [field: string, message: RegExp]> = {
  'whitespace before the colon': ['X-A : b\r\n', /a colon after the field name, got 0x20/],
  'a tab before the colon': ['X-A\t: b\r\n', /a colon after the field name, got 0x09/],
  'a space in the name': ['X A: b\r\n', /a colon after the field name, got 0x20/],
  'no colon': ['X-A\r\n', /a colon after the field name, got 0x0d/],
  'an empty name': [': b\r\n', /a field name or an empty line, got 0x3a at byte 17$/],
  'a name beyond ASCII': ['X-\xe9: b\r\n', /a colon after the field name, got 0xe9/],
  'NUL in the name': ['X\0A: b\r\n', /a colon after the field name, got 0x00/],
  'a folded value': ['X-A: a\r\n b\r\n', /lines are not folded\), got 0x20/],
  'a value folded by a tab': ['X-A: a\r\n\tb\r\n', /lines are not folded\), got 0x09/],
  'a space before the first field': [' X-A: a\r\n', /lines are not folded\), got 0x20 at byte 17$/],
  'a bare CR in the value (B29)': ['X-A: a\rSet-Cookie: b\r\n', /LF after CR, got 0x53/],
  'a CR before CR LF': ['X-A: a\r\r\n', /LF after CR, got 0x0d/],
  'a bare LF after the value': ['X-A: a\nX-B: c\r\n', /a field value and CR LF, got 0x0a/],
  'a bare LF after an empty value': ['X-A:\n', /a field value and CR LF, got 0x0a/],
  'a bare LF as an empty line': ['X-A: a\r\n\n', /a field name or an empty line, got 0x0a/],
  'a bare CR as an empty line': ['X-A: a\r\n\rx', /LF after CR, got 0x78/],
  'NUL in the value (B29)': ['X-A: a\0b\r\n', /a field value and CR LF, got 0x00/],
  'a control character in the value': ['X-A: a\x0bb\r\n', /a field value and CR LF, got 0x0b/],
  'DEL in the value': ['X-A: a\x7f\r\n', /a field value and CR LF, got 0x7f/],
}

for (const [what, [field, message]] of Object.entries(FIELDS)) {
  test(`a field line is rejected in head, informational head and trailers: ${what}`, () => {
    assertRejected(response(`${field}Content-Length: 0\r\n`), message)
    assertRejected(
      `HTTP/1.1 103 Hints\r\n${field}\r\n${response('')}`,
      new RegExp(message.source.replace(/17\$$/, '20$')),
    )
    assertRejected(chunked(`0\r\nX-B: c\r\n${field}\r\n`), new RegExp(message.source.replace(/ at byte 17\$$/, '')))
  })
}

const FRAMING: Record<string, [fields: string, message: RegExp, version?: string]> = {
  'two lengths': ['Content-Length: 2\r\nContent-Length: 3\r\n', /one Content-Length, got another one/],
  'the same length twice': ['Content-Length: 2\r\ncontent-length: 2\r\n', /one Content-Length, got another one/],
  'a list of lengths': ['Content-Length: 5, 5\r\n', /a number as Content-Length/],
  'a negative length': ['Content-Length: -2\r\n', /a number as Content-Length/],
  'a signed length': ['Content-Length: +2\r\n', /a number as Content-Length/],
  'a hexadecimal length': ['Content-Length: 0x2\r\n', /a number as Content-Length/],
  'an empty length': ['Content-Length: \r\n', /a number as Content-Length/],
  'a length with a space': ['Content-Length: 1 2\r\n', /a number as Content-Length/],
  'a fraction': ['Content-Length: 2.0\r\n', /a number as Content-Length/],
  'superscript digits': ['Content-Length: \xb2\r\n', /a number as Content-Length/],
  'a length of 2^53': ['Content-Length: 9007199254740992\r\n', /a number as Content-Length/],
  'a length of 2^64 + 2': ['Content-Length: 18446744073709551618\r\n', /a number as Content-Length/],
  'a length and chunks': ['Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', /got both/],
  'chunks and a length': ['Transfer-Encoding: chunked\r\nContent-Length: 2\r\n', /got both/],
  'chunks and no length': ['Content-Length: 0\r\nTransfer-Encoding: chunked\r\n', /got both/],
  'another coding': ['Transfer-Encoding: gzip\r\n', /chunked as the only Transfer-Encoding/],
  identity: ['Transfer-Encoding: identity\r\n', /chunked as the only/],
  'a coding within chunks': ['Transfer-Encoding: gzip, chunked\r\n', /chunked as the only/],
  'a coding around chunks': ['Transfer-Encoding: chunked, deflate\r\n', /chunked as the only/],
  'an empty element (B23)': ['Transfer-Encoding: ,chunked\r\n', /chunked as the only/],
  'a parameter': ['Transfer-Encoding: chunked;q=1\r\n', /chunked as the only/],
  'a no-break space': ['Transfer-Encoding: \xa0chunked\r\n', /chunked as the only/],
  'a vertical tab': ['Transfer-Encoding: \x0bchunked\r\n', /a field value and CR LF/],
  chunkedchunked: ['Transfer-Encoding: chunkedchunked\r\n', /chunked as the only/],
  'chunked twice': ['Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', /chunked as the only/],
  'codings in two fields': ['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', /chunked as the only/],
  'an empty coding': ['Transfer-Encoding:\r\n', /chunked as the only/],
  'chunks in HTTP/1.0': ['Transfer-Encoding: chunked\r\n', /no Transfer-Encoding in HTTP\/1\.0/, '1.0'],
}

for (const [what, [fields, message, version = '1.1']] of Object.entries(FRAMING)) {
  test(`framing is rejected, also where there is no body: ${what}`, () => {
    assertRejected(`HTTP/${version} 200 OK\r\n${fields}\r\nhi`, message)
    assertRejected(`HTTP/${version} 200 OK\r\n${fields}\r\n`, message, { method: 'HEAD' })
    assertRejected(`HTTP/${version} 304 Not Modified\r\n${fields}\r\n`, message)
  })
}

const CHUNKS: Record<string, [body: string, message: RegExp]> = {
  'no size': ['\r\n', /a hexadecimal digit, got 0x0d/],
  'an extension without a size': [';a\r\n', /a hexadecimal digit, got 0x3b/],
  'a sign': ['-1\r\na\r\n', /a hexadecimal digit, got 0x2d/],
  'a prefix': ['0x1\r\na\r\n', /a semicolon or CR LF, got 0x78/],
  'a space before the size': [' 1\r\na\r\n', /a hexadecimal digit, got 0x20/],
  'a space after the size': ['1 \r\na\r\n', /a semicolon or CR LF, got 0x20/],
  'a space before an extension': ['1 ;a\r\na\r\n', /a semicolon or CR LF, got 0x20/],
  'a space in an extension': ['1; a\r\na\r\n', /the name of an extension, got 0x20/],
  'a bare LF after the size': ['1\na\r\n', /a semicolon or CR LF, got 0x0a/],
  'a bare CR after the size': ['1\rXa\r\n', /LF after CR, got 0x58/],
  'a bare LF in an extension': ['1;a\na\r\n', /the name of an extension, got 0x0a/],
  'an empty extension': ['1;\r\na\r\n', /the name of an extension, got 0x0d/],
  'two semicolons': ['1;;a\r\na\r\n', /the name of an extension, got 0x3b/],
  'an extension without a value': ['1;a=\r\na\r\n', /the value of an extension, got 0x0d/],
  'an open quote': ['1;a="b\r\na\r\n', /the end of a quoted value, got 0x0d/],
  'text after a quote': ['1;a="b"c\r\na\r\n', /a semicolon or CR LF, got 0x63/],
  'NUL in a quote': ['1;a="\0"\r\na\r\n', /the end of a quoted value, got 0x00/],
  'an escaped CR': ['1;a="\\\r\n"\r\na\r\n', /the end of a quoted value, got 0x0d/],
  'more data than its size': ['1\r\nab\r\n0\r\n\r\n', /^chunk: expected CR LF after its data, got 0x62/],
  'a bare LF after the data': ['1\r\na\n0\r\n\r\n', /^chunk: expected CR LF after its data, got 0x0a/],
  'a bare CR after the data': ['1\r\na\r0\r\n\r\n', /^chunk: expected CR LF after its data, got 0x30/],
  'a size of 2^53': ['20000000000000\r\na', /at most 9007199254740991, got more/],
  'a size of 2^64 + 1': ['10000000000000001\r\na', /at most 9007199254740991, got more/],
  'too many digits': ['00000000000000001\r\na', /at most 9007199254740991, got more/],
}

for (const [what, [body, message]] of Object.entries(CHUNKS)) {
  test(`a chunk is rejected: ${what}`, () => assertRejected(chunked(`3\r\nabc\r\n${body}`), message))
}

test('B24: extensions of a chunk have at most 16 KiB, however short the chunk', () => {
  const fits = chunked(`1;${'a'.repeat(16_383)}\r\n!\r\n1;${'a'.repeat(16_383)}\r\n!\r\n0\r\n\r\n`)
  assert.equal(parseResponse([Buffer.from(fits)]).body, '!!')
  assertRejected(chunked(`1;${'a'.repeat(16_384)}\r\n`), /at most 16384 bytes of extensions, got more/, {}, 997)
})

test('heads, informational heads and trailers have at most the configured number of bytes', () => {
  const options = { maxHeadBytes: 256 }
  const padded = (prefix: string, suffix: string, length: number) =>
    prefix + 'x'.repeat(length - prefix.length - suffix.length) + suffix
  const head = (length: number) => padded('HTTP/1.1 204 No\r\nX: ', '\r\n\r\n', length)
  const interim = (length: number) => padded('HTTP/1.1 103 Hi\r\nX: ', '\r\n\r\n', length)
  const trailers = (length: number) => chunked(`0\r\n${padded('X: ', '\r\n\r\n', length)}`)
  for (const text of [head(256), interim(256) + interim(256) + head(256), trailers(256)]) {
    assert.equal(parseResponse([Buffer.from(text)], options).error, null)
  }
  for (const text of [head(257), interim(257) + head(200), interim(256) + head(257), trailers(257)]) {
    assertRejected(text, /at most its limit of bytes, got more/, options)
  }
  assertRejected(`${head(300).slice(0, 290)}`, /response head: .* got more at byte 256$/, options)
  assertRejected(
    `HTTP/1.1 200 ${'x'.repeat(300)}\r\n\r\n`,
    /at most its limit of bytes, got more at byte 315$/,
    options,
  )
})

test('heads and trailers have a limited number of fields', () => {
  const fields = (count: number) => 'A:\r\n'.repeat(count)
  for (const text of [response(fields(MAX_FIELDS)), chunked(`0\r\n${fields(MAX_FIELDS)}\r\n`)]) {
    const { head, error, trailers } = parseResponse([Buffer.from(text)])
    assert.equal(error, null)
    assert.equal(Math.max(head!.fields.length, trailers!.length), 2 * MAX_FIELDS)
  }
  for (const text of [response(fields(MAX_FIELDS + 1)), chunked(`0\r\n${fields(MAX_FIELDS + 1)}\r\n`)]) {
    assertRejected(text, /at most 1000 fields, got more/, {}, 97)
  }
})

test('more than 32 informational responses fail the response', () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\n'
  assert.equal(parseResponse([Buffer.from(interim.repeat(32) + response('Content-Length: 0\r\n'))]).error, null)
  assertRejected(interim.repeat(33), /at most 32 informational ones, got more/, {}, 13)
})

test('B28: an unsolicited 101 is rejected', () => {
  const text = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhello'
  assertRejected(text, /a status that the request allows, got 101/)
  assertRejected(text, /a status that the request allows, got 101/, { method: 'CONNECT' })
})

test('B27: a response that ends before its end is truncated', () => {
  for (const [text, expected] of [
    ['', 'a head'],
    ['HTTP/1.1 2', 'a head'],
    ['HTTP/1.1 200 OK\r\nContent-Le', 'a head'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r', 'a head'],
    ['HTTP/1.1 100 Continue\r\n\r\n', 'a head'],
    [response('Content-Length: 3\r\n'), 'the rest of a body'],
    [response('Content-Length: 3\r\n', 'ab'), 'the rest of a body'],
    [chunked(''), 'the rest of a body'],
    [chunked('2\r\nhi\r\n5\r\nab'), 'the rest of a body'],
    [chunked('2\r\nhi\r\n'), 'the rest of a body'],
    [chunked('2\r\nhi\r\n0\r\n'), 'the rest of a body'],
    [chunked('2\r\nhi\r\n0\r\nX: y\r\n\r'), 'the rest of a body'],
  ] as const) {
    const { error, trailers } = parseResponse([Buffer.from(text)])
    assert.equal(trailers, null)
    assert.deepEqual(error, {
      name: 'ResponseTruncatedError',
      message: `response: expected ${expected}, got the end of the connection after ${text.length} bytes`,
      offset: text.length,
    })
  }
})
