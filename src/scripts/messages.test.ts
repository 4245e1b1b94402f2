import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, type Response, respond } from '#http'
import { resultOf, scriptOf } from '#test/evaluate-script'
import { exchangeFor } from '#test/exchange'

const fault = (source: string): Promise<string> =>
  resultOf(source).then(
    () => assert.fail('it has not failed'),
    (error: Error) => error.message,
  )

test('headers are looked up case-insensitively, one value or all', async () => {
  const exchange = exchangeFor('GET', 'http://a.example.com/', { headers: { 'X-A': ['1', '2'], 'X-B': 'b' } })
  const source = `return [
    request.headers.get('x-a'), request.headers.getFirst('X-A'), request.headers['x-a'], request.headers['x-none'] ?? null,
    request.headers.get('x-none'), request.headers.getAll('X-B'), request.headers.getAll('x-none'),
    request.headers.has('x-b'), request.headers.containsKey('x-c'), 'X-B' in request.headers, 'X-C' in request.headers,
    request.headers.names(), Object.keys(request.headers), [...request.headers].length]`
  const names = ['X-A', 'X-B', 'Host']
  assert.deepEqual(await resultOf(source, { exchange }), [
    '1',
    '1',
    ['1', '2'],
    null,
    null,
    ['b'],
    [],
    true,
    false,
    true,
    false,
    names,
    names,
    4,
  ])
})

test('headers are changed by method and by index', async () => {
  const exchange = exchangeFor('GET', 'http://a.example.com/', {
    headers: { 'X-A': ['1', '2'], 'X-B': 'b', 'X-C': 'c' },
  })
  await resultOf(
    `const { headers } = request
    headers.set('x-a', 'one'); headers.put('X-D', [1, true]); headers.add('X-D', 'more')
    headers['X-E'] = 'e'; headers['X-F'] = ['f', 'g']
    headers.remove('X-B'); delete headers['X-C']; headers['Host'] = null`,
    { exchange },
  )
  assert.deepEqual(
    [...exchange.request.headers].map((pair) => pair.join(': ')),
    ['x-a: one', 'X-D: 1', 'X-D: true', 'X-D: more', 'X-E: e', 'X-F: f', 'X-F: g'],
  )
})

test('invalid values of a header, method, URI or status are rejected on assignment', async () => {
  assert.match(await fault("request.headers.set('a b', 'c')"), /header name: expected a token/)
  assert.match(await fault("request.headers.add('A', 'b\\r\\nc: d')"), /a line break/)
  assert.match(await fault("request.headers.add('A', {})"), /a header value has to be text, got object/)
  assert.match(await fault("request.method = 'GET /'"), /request\.method: expected a token/)
  assert.match(await fault('request.uri.port = 70000'), /uri port: expected/)
  assert.match(await fault("request.uri.host = 'a/b'"), /uri host: expected/)
  assert.match(await fault('new Response(99)'), /response status: expected an integer from 100 to 999/)
  assert.match(await fault('new Response({ state: 200 })'), /unknown member "state"; expected status, headers, entity/)
  assert.match(await fault("new Request({ url: '/' })"), /unknown member "url"; expected method, uri, headers, entity/)
})

test('the parts of a URI are read and set', async () => {
  const exchange = exchangeFor('GET', 'http://a.example.com:81/a%20b/c?x=%41#f')
  const read = `const { uri } = request; return [uri.scheme, uri.host, uri.port, uri.authority, uri.path, uri.rawPath,
    uri.query, uri.rawQuery, uri.fragment, uri.userInfo, uri.pathElements, uri + '', JSON.stringify({ uri })]`
  assert.deepEqual(await resultOf(read, { exchange }), [
    'http',
    'a.example.com',
    81,
    'a.example.com:81',
    '/a b/c',
    '/a%20b/c',
    'x=A',
    'x=%41',
    'f',
    null,
    ['a b', 'c'],
    'http://a.example.com:81/a%20b/c?x=%41#f',
    '{"uri":"http://a.example.com:81/a%20b/c?x=%41#f"}',
  ])
  await resultOf("request.uri = '/new?y'; request.uri.scheme = 'https'; request.uri.pathElements = ['p/q', 'r']", {
    exchange,
  })
  assert.equal(String(exchange.request.uri), 'https://a.example.com:81/p%2Fq/r?y')
})

test('cookies and query parameters are maps of names to lists', async () => {
  const exchange = exchangeFor('GET', 'http://a.example.com/?a=1&a=2&b', { headers: { Cookie: 'c=d; e=f' } })
  assert.deepEqual(await resultOf('return [request.queryParams, request.cookies.c[0].value]', { exchange }), [
    { a: ['1', '2'], b: [null] },
    'd',
  ])
})

test('the entity is read as text, JSON, a form or bytes, as often as wanted', async () => {
  const json = exchangeFor('POST', 'http://a.example.com/', { body: '{"a":"ü"}' })
  assert.deepEqual(
    await resultOf(
      'return [await request.entity.string(), await request.entity.json(), [...await request.entity.bytes()].length, request.entity.isEmpty]',
      { exchange: json },
    ),
    ['{"a":"ü"}', { a: 'ü' }, 10, false],
  )
  const form = exchangeFor('POST', 'http://a.example.com/', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'a=b+c&a=d',
  })
  assert.deepEqual(await resultOf('return request.entity.form()', { exchange: form }), { a: ['b c', 'd'] })
  assert.deepEqual(await resultOf('return [await request.entity.string(), await request.entity.json()]'), ['', null])
  const broken = exchangeFor('POST', 'http://a.example.com/', { body: '{' })
  await assert.rejects(resultOf('return request.entity.json()', { exchange: broken }), /SyntaxError/)
})

test('an entity is set to text, bytes, JSON, nothing, or that of another message', async () => {
  const entity = async (source: string) => {
    const response = (await scriptOf(source, { clientHandler: async () => respond(200, {}, 'of another') }).evaluate(
      'response',
    )) as Response
    await response.body.read(1_000)
    return [response.headers.get('content-type'), response.body.text()]
  }
  assert.deepEqual(await entity("return new Response({ entity: 'text' })"), [null, 'text'])
  assert.deepEqual(await entity('return new Response({ entity: new Uint8Array([65, 66]) })'), [null, 'AB'])
  assert.deepEqual(await entity('return new Response({ entity: [1, { a: null }] })'), [
    'application/json',
    '[1,{"a":null}]',
  ])
  assert.deepEqual(await entity("return new Response({ entity: { a: 1 }, headers: { 'Content-Type': 'text/x' } })"), [
    'text/x',
    '{"a":1}',
  ])
  assert.deepEqual(await entity("const r = new Response({ entity: 'x' }); r.entity = null; return r"), [null, ''])
  assert.deepEqual(
    await entity(
      "const other = await http.send(new Request({ uri: 'http://x/' })); return new Response({ entity: other.entity })",
    ),
    [null, 'of another'],
  )
})

test('a body that a script does not read is streamed', async () => {
  const body = Body.fromSource({ start: () => undefined, resume: () => undefined, cancel: () => undefined })
  const next = async () => {
    const response = respond(200)
    response.body = body
    return response
  }
  const response = (await scriptOf('return next.handle(context, request)', { next }).evaluate('response')) as Response
  assert.equal(response.body, body)
  assert.equal(body.isBuffered, false)
})

test('statuses are compared by identity, and have the members of expressions', async () => {
  assert.deepEqual(
    await resultOf(`const response = new Response(404)
      const same = response.status === Status.NOT_FOUND
      response.status = 503
      const { code, reasonPhrase, family, isServerError, isSuccessful } = response.status
      return [same, code, reasonPhrase, family, isServerError, isSuccessful, response.statusCode, response.status >= 500, String(response.status)]`),
    [true, 503, 'Service Unavailable', 'SERVER_ERROR', true, false, 503, true, '503 Service Unavailable'],
  )
})

test('forms are written and read', async () => {
  assert.deepEqual(
    await resultOf(`const form = new Form({ a: 'b c', n: [1, 2] }).add('a', '&')
      const request = new Request({ method: 'POST', uri: 'http://x.example.com/' })
      form.toRequestEntity(request)
      form.toRequestQuery(request)
      const again = new Form('x=1&x=2&y')
      return [String(form), form.get('a'), form.getAll('n'), form.has('z'), form.names(), request.headers.get('content-type'),
        await request.entity.string(), request.uri.rawQuery, again.getAll('x'), again.get('y')]`),
    [
      'a=b+c&a=%26&n=1&n=2',
      'b c',
      ['1', '2'],
      false,
      ['a', 'n'],
      'application/x-www-form-urlencoded',
      'a=b+c&a=%26&n=1&n=2',
      'a=b%20c&a=%26&n=1&n=2',
      ['1', '2'],
      null,
    ],
  )
})
