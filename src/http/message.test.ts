import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { compile, compileLeftValue, scopeOf } from '#expression'
import { Body, Headers, Request, Response, reasonPhrase, respond, statusFamily, Uri } from './index.ts'

function post(contentType: string, content: string | Body, target = 'http://gw/p?a=1&b'): Request {
  return new Request({
    method: 'POST',
    uri: Uri.parse(target),
    headers: new Headers([['Content-Type', contentType]]),
    body: typeof content === 'string' ? Body.of(content) : content,
  })
}

const evaluate = (text: string, bindings: Record<string, unknown>) => compile(text).evaluate(scopeOf(bindings))
const assign = (text: string, value: unknown, bindings: Record<string, unknown>) =>
  compileLeftValue(text).assign(scopeOf(bindings), value)

test('a clone has its own request line and headers, and the same body', () => {
  const request = post('text/plain', 'x')
  const copy = request.clone()
  copy.method = 'PUT'
  copy.uri.host = 'other'
  copy.headers.set('A', '1')
  assert.equal(request.method, 'POST')
  assert.equal(request.uri.host, 'gw')
  assert.equal(request.headers.has('A'), false)
  assert.equal(copy.body, request.body)
})

test('expressions read the parts of a request', () => {
  const request = post('application/x-www-form-urlencoded', 'a=2&c=x+y&d')
  request.headers.set('Cookie', 'id=7')
  const read = (path: string) => evaluate(`\${request.${path}}`, { request })

  assert.equal(read('method'), 'POST')
  assert.equal(read('version'), 'HTTP/1.1')
  assert.equal(read('uri.path'), '/p')
  assert.equal(read("headers['content-type'][0]"), 'application/x-www-form-urlencoded')
  assert.equal(read("cookies['id'][0].value"), '7')
  assert.equal(read("cookies['none'][0].value"), null)
  assert.deepEqual({ ...(read('queryParams') as object) }, { a: ['1'], b: [null] })
  assert.deepEqual({ ...(read('form') as object) }, { a: ['1', '2'], b: [null], c: ['x y'] })
  assert.deepEqual({ ...(read('entity.form') as object) }, { a: ['2'], c: ['x y'] })
  assert.equal(read("form.getFirst('a')"), '1')
  assert.equal(read("form.getFirst('b')"), null)
  assert.equal(read("form.getFirst('none')"), null)
  assert.equal(read("queryParams.getFirst('a')"), '1')
  assert.equal(read("entity.form.getFirst('c')"), 'x y')
  assert.equal(read('constructor'), null)
  assert.equal(read('body'), null)
})

test('a body is parsed as a form only with its media type', () => {
  const read = (request: Request) => ({ ...(evaluate('${request.form}', { request }) as object) })
  assert.deepEqual(read(post('text/plain', 'a=2')), { a: ['1'], b: [null] })
  assert.deepEqual(read(post('Application/X-WWW-Form-Urlencoded; charset=utf-8', 'c=2')), {
    a: ['1'],
    b: [null],
    c: ['2'],
  })
})

test('expressions read an entity as text, JSON and bytes', () => {
  const read = (request: Request, part: string) => evaluate(`\${request.entity.${part}}`, { request })
  const json = post('application/json', '{"a":{"b":[1,2]},"__proto__":{"x":1}}')
  assert.equal(read(json, 'json.a.b[1]'), 2)
  assert.equal(read(json, 'length'), 37)
  assert.deepEqual(read(json, 'bytes'), Buffer.from('{"a":{"b":[1,2]},"__proto__":{"x":1}}'))
  assert.equal(({} as Record<string, unknown>)['x'], undefined)

  const latin = post('text/plain; charset="iso-8859-1"', Body.of(Buffer.from([0xe9])))
  assert.equal(read(latin, 'string'), 'é')
  const none = post('application/json', '')
  assert.equal(read(none, 'string'), '')
  assert.equal(read(none, 'json'), null)
  assert.throws(() => read(post('application/json', '{'), 'json'))
  assert.throws(() => read(post('application/json', '['.repeat(100_000)), 'json'))
})

test('reading an entity that is not buffered is an error, never an empty text', () => {
  const request = post('text/plain', Body.fromStream(Readable.from(['x'])))
  assert.throws(() => evaluate('${request.entity.string}', { request }), /not buffered/)
  assert.throws(() =>
    evaluate('${request.form}', {
      request: post('application/x-www-form-urlencoded', Body.fromStream(Readable.from(['x']))),
    }),
  )
})

test('assigning an entity replaces the content and removes the headers of the old one', () => {
  const request = post('text/plain', 'old')
  request.headers.set('Content-Length', '3')
  request.headers.set('Content-Encoding', 'gzip')
  assign('${request.entity}', 'new text', { request })
  assert.equal(request.body.text(), 'new text')
  assert.equal(request.headers.has('content-length'), false)
  assert.equal(request.headers.has('content-encoding'), false)

  const response = new Response(200)
  assign('${response.entity}', { a: [1, null] }, { response })
  assert.equal(response.body.text(), '{"a":[1,null]}')
  assert.equal(response.headers.get('content-type'), 'application/json')
  assign('${response.entity}', null, { response })
  assert.equal(response.body.isEmpty, true)
  assert.throws(() => assign('${response.entity}', new Map([['a', 1]]), { response }))
})

test('assigning an entity cancels the old body', () => {
  const stream = new Readable({ read: () => undefined })
  const response = new Response(200, { body: Body.fromStream(stream) })
  assign('${response.entity.string}', 'x', { response })
  assert.equal(stream.destroyed, true)
})

test('assigning an entity to itself is a no-op', () => {
  const response = new Response(200, { body: 'same' })
  assign('${response.entity}', evaluate('${response.entity}', { response }), { response })
  assert.equal(response.body.text(), 'same')
})

test('expressions assign method and URI, the latter as text or as a URI', () => {
  const request = post('text/plain', '')
  assign('${request.uri}', 'https://other:8443/x?y', { request })
  assert.equal(request.uri.toString(), 'https://other:8443/x?y')
  assign('${request.uri}', '/only/path', { request })
  assert.equal(request.uri.toString(), 'https://other:8443/only/path')
  assign('${request.uri}', Uri.parse('http://third/'), { request })
  assert.equal(request.uri.host, 'third')
  assign('${request.uri.path}', '/p', { request })
  assert.equal(request.uri.toString(), 'http://third/p')
  assign('${request.method}', 'PATCH', { request })
  assert.equal(request.method, 'PATCH')
  assert.throws(() => assign('${request.method}', 'A B\r\n', { request }))
  assert.throws(() => assign('${request.uri}', 'http://a\r\nb/', { request }))
})

test('a status is an object and a number in expressions', () => {
  const response = new Response(404, { reason: 'Nowhere' })
  const read = (text: string) => evaluate(text, { response })
  assert.equal(read('${response.status == 404}'), true)
  assert.equal(read('${404 == response.status}'), true)
  assert.equal(read("${response.status == '404'}"), true)
  assert.equal(read('${response.status != 200}'), true)
  assert.equal(read('${response.status >= 400 and response.status < 500}'), true)
  assert.equal(read('${response.status + 1}'), 405)
  assert.equal(read('status ${response.status}'), 'status 404')
  assert.equal(read('${response.status.code}'), 404)
  assert.equal(read('${response.status.reasonPhrase}'), 'Nowhere')
  assert.equal(read('${response.status.family}'), 'CLIENT_ERROR')
  assert.equal(read('${response.status.isClientError()}'), true)
  assert.equal(read('${response.status.clientError}'), true)
  assert.equal(read('${response.status.isServerError}'), false)
})

test('a status is assigned as a number', () => {
  const response = new Response(404, { reason: 'Nowhere' })
  assign('${response.status}', 201, { response })
  assert.equal(response.status, 201)
  assert.equal(response.reason, 'Created')
  for (const value of [99, 1000, 200.5, 'x', null])
    assert.throws(() => assign('${response.status}', value, { response }))
  assert.equal(response.status, 201)
})

test('B86: expressions read only the message of the cause of a response', () => {
  const response = new Response(502, { cause: new Error('refused') })
  assert.equal(evaluate('${response.cause.message}', { response }), 'refused')
  assert.equal(evaluate('${response.cause.stack}', { response }), null)
  assert.equal(evaluate('${response.cause}', { response: new Response(200) }), null)
})

test('B28: a response has a status of three digits', () => {
  for (const status of [0, 99, 1000, 1234, Number.NaN, 200.5]) assert.throws(() => new Response(status), RangeError)
  assert.equal(new Response(999).reason, '')
})

test('the family of a status is that of its first digit', () => {
  assert.deepEqual([100, 204, 302, 404, 599, 600, 999].map(statusFamily), [
    'INFORMATIONAL',
    'SUCCESSFUL',
    'REDIRECTION',
    'CLIENT_ERROR',
    'SERVER_ERROR',
    'UNKNOWN',
    'UNKNOWN',
  ])
  assert.equal(reasonPhrase(429), 'Too Many Requests')
  assert.equal(reasonPhrase(799), '')
})

test('B86: responses of the gateway are plain text with nosniff, and refusals are not cached', () => {
  const refused = respond(401, { 'WWW-Authenticate': 'Bearer' }, 'no')
  assert.equal(refused.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal(refused.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(refused.headers.get('cache-control'), 'no-store')
  assert.equal(refused.headers.get('www-authenticate'), 'Bearer')
  assert.equal(refused.body.text(), 'no')

  const bare = respond(204)
  assert.deepEqual(bare.headers.raw(), [])
  assert.equal(respond(200, { 'content-type': 'application/json' }, '{}').headers.all('content-type').length, 1)
  assert.equal(respond(403, { 'cache-control': 'private' }).headers.get('cache-control'), 'private')
})

test('B29: headers of a response are checked when it is created', () => {
  assert.throws(() => new Response(302, { headers: { Location: '/a\r\nSet-Cookie: x=y' } }))
  assert.throws(() => respond(302, { Location: '/\n' }))
  assert.deepEqual(new Response(200, { headers: { A: ['1', '2'] } }).headers.all('a'), ['1', '2'])
})

test('a received status is that of the server until it is changed', () => {
  const received = new Response(403, { isReceived: true })
  assert.equal(received.isReceived, true)
  received.status = 403
  assert.equal(received.isReceived, true)
  received.status = 503
  assert.equal(received.isReceived, false)
  assert.deepEqual([new Response(403).isReceived, respond(403).isReceived], [false, false])
})
