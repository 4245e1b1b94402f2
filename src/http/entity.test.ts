import assert from 'node:assert/strict'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { compile, compileLeftValue, scopeOf } from '#expression'
import { Body, Entity, type EntityLimits, EntityTooLargeError, Headers, Request, setEntity, Uri } from './index.ts'

function post(
  body: Body | string | Uint8Array,
  fields: Readonly<Record<string, string>> = {},
  limits?: EntityLimits,
): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(fields)) headers.set(name, value)
  const content = body instanceof Body ? body : Body.of(body)
  const request = new Request({ method: 'POST', uri: Uri.parse('http://a/'), headers, body: content })
  if (limits !== undefined) request.entityLimits = limits
  return request
}

const evaluate = (request: Request, expression: string): unknown =>
  compile(`\${${expression}}`).evaluate(scopeOf({ request }))

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

test('content over the limit of bytes is not parsed', () => {
  const limits = { bytes: 10, values: 100, digits: 100 }
  for (const read of ['entity.string', 'entity.json', 'entity.bytes', 'entity.toString()']) {
    const fits = post('[123456 ]\n', {}, limits)
    assert.doesNotThrow(() => evaluate(fits, `request.${read}`), read)
    const more = post('[123456  ]\n', {}, limits)
    assert.throws(
      () => evaluate(more, `request.${read}`),
      /more than 10 bytes: .* see entityLimits of admin\.json/,
      read,
    )
  }
  assert.throws(() => evaluate(post('a=1&b=23456', FORM, limits), 'request.form'), /more than 10 bytes/)
  assert.throws(() => evaluate(post('a=1&b=23456', FORM, limits), 'request.entity.form'), /more than 10 bytes/)
  assert.equal(evaluate(post('[123456  ]\n', {}, limits), 'request.entity.length'), 11)
})

test('the limit of bytes applies to decoded content', () => {
  const limits = { bytes: 1_000, values: 100, digits: 100 }
  const coded = (length: number) =>
    post(zlib.gzipSync(Buffer.alloc(length, 'a')), { 'Content-Encoding': 'gzip' }, limits)
  assert.equal(evaluate(coded(1_000), 'length(request.entity.string)'), 1_000)
  assert.throws(() => evaluate(coded(1_001), 'request.entity.string'), /more than 1000 bytes/)
})

test('JSON over the limit of values is not parsed', () => {
  const limits = { bytes: 1_000, values: 4, digits: 100 }
  assert.equal(evaluate(post('[1,"a,b",{}]', {}, limits), 'length(request.entity.json)'), 3)
  assert.throws(() => evaluate(post('[1,2,3,4]', {}, limits), 'request.entity.json'), /JSON of more than 4 values/)
  assert.throws(
    () => evaluate(post('{"a":{"b":{"c":{}}},"d":1}', {}, limits), 'request.entity.json'),
    /more than 4 values/,
  )
})

test('JSON with a number over the limit of digits is not parsed', () => {
  const limits = { bytes: 1_000, values: 100, digits: 5 }
  for (const fits of ['[12345]', '[-12.345]', '[-1.2345e12345]', '["123456"]', '{"123456":1}']) {
    assert.doesNotThrow(() => evaluate(post(fits, {}, limits), 'request.entity.json'), fits)
  }
  for (const long of ['[123456]', '[-12.3456]', '[1,2,0.00001]', '{"a":123456e1}']) {
    assert.throws(
      () => evaluate(post(long, {}, limits), 'request.entity.json'),
      /JSON with a number of more than 5 digits: .* see entityLimits of admin\.json/,
      long,
    )
  }
})

test('a form over the limit of fields is not parsed', () => {
  const limits = { bytes: 1_000, values: 3, digits: 100 }
  assert.equal(evaluate(post('a=1&b=2&c=3', FORM, limits), 'length(request.form)'), 3)
  assert.throws(() => evaluate(post('a=1&b=2&c=3&d=4', FORM, limits), 'request.form'), /more than 3 fields/)
})

test('the limits are those of admin.json, by default 1 MiB, 10,000 values and 1,000 digits', () => {
  assert.equal(evaluate(post('x'.repeat(1_048_576)), 'length(request.entity.string)'), 1_048_576)
  assert.throws(
    () => evaluate(post('x'.repeat(1_048_577)), 'request.entity.string'),
    (error: Error) => error.cause instanceof EntityTooLargeError,
  )
  const list = (values: number) => `[${Array.from({ length: values - 1 }, () => 1).join()}]`
  assert.equal(evaluate(post(list(10_000)), 'length(request.entity.json)'), 9_999)
  assert.throws(() => evaluate(post(list(10_001)), 'request.entity.json'), /more than 10000 values/)
  assert.doesNotThrow(() => evaluate(post('9'.repeat(1_000)), 'request.entity.json'))
  assert.throws(() => evaluate(post('9'.repeat(1_001)), 'request.entity.json'), /more than 1000 digits/)
})

test('a body is decoded and parsed once, failures included', () => {
  let reads = 0
  const content = Buffer.from('{"a":{"b":[1]}}')
  const body = Body.of(content)
  const bytes = body.bytes.bind(body)
  body.bytes = () => {
    reads++
    return bytes()
  }
  const request = post(body)
  const first = evaluate(request, 'request.entity.json')
  assert.equal(evaluate(request, 'request.entity.json'), first, 'the same value')
  assert.equal(evaluate(request.clone(), 'request.entity.json.a.b[0]'), 1)
  assert.equal(evaluate(request, 'request.entity.string'), String(content))
  assert.equal(reads, 1)

  const bad = post('{"a":')
  const thrown = (): unknown => {
    try {
      return evaluate(bad, 'request.entity.json')
    } catch (error) {
      return (error as Error).cause
    }
  }
  assert.ok(thrown() instanceof Error)
  assert.equal(thrown(), thrown(), 'the same failure')
})

test('cached content is invalidated by changes of the body or of the headers that describe it', () => {
  const request = post(Buffer.from('"\u00e4"', 'latin1'), { 'Content-Type': 'application/json; charset=ISO-8859-1' })
  assert.equal(evaluate(request, 'request.entity.json'), 'ä')
  request.headers.set('Content-Type', 'application/json')
  assert.equal(evaluate(request, 'request.entity.json'), '\ufffd')
  setEntity(request, { a: 2 })
  assert.equal(evaluate(request, 'request.entity.json.a'), 2)
  request.body = Body.of('{"a":3}')
  assert.equal(evaluate(request, 'request.entity.json.a'), 3)
})

test('an expression can change its own copy of the content, but not the cached one', () => {
  const request = post('{"user":{"name":"a","roles":["x"]}}')
  const attributes: Record<string, unknown> = {}
  const warnings: string[] = []
  const scope = { ...scopeOf({ request, attributes }), warn: (message: string) => void warnings.push(message) }
  compileLeftValue('${request.entity.json.user.name}').assign(scope, 'b')
  compileLeftValue('${request.entity.json.user.roles[0]}').assign(scope, 'y')
  assert.equal(warnings.length, 2)
  assert.deepEqual(JSON.parse(JSON.stringify(evaluate(request, 'request.entity.json'))), {
    user: { name: 'a', roles: ['x'] },
  })
  compileLeftValue('${attributes.user}').assign(scope, evaluate(request, 'request.entity.json.user'))
  compileLeftValue('${attributes.user.name}').assign(scope, 'b')
  compileLeftValue('${attributes.user.roles[1]}').assign(scope, 'z')
  assert.equal(JSON.stringify(attributes), '{"user":{"name":"b","roles":["x","z"]}}')
  assert.equal(evaluate(request, 'request.entity.json.user.name'), 'a')
  assert.equal(warnings.length, 2)
})

const encoded = (charset: string) => ({ 'Content-Type': `application/x-www-form-urlencoded; charset=${charset}` })

test('B115: a charset that hides ASCII is rejected for forms and JSON of requests', () => {
  const hidden: readonly [string, string][] = [
    ['utf-16le', 'role=admin'],
    ['UTF-16BE', 'role=admin'],
    ['"iso-2022-jp"', 'x=\x1b$B&role=admin&yy\x1b(B'],
    ['Shift_JIS', 'role=admin'],
  ]
  for (const [charset, body] of hidden) {
    for (const read of ['form', 'entity.form', 'entity.string']) {
      assert.throws(() => evaluate(post(body, encoded(charset)), `request.${read}`), /the charset/, charset)
    }
  }
  for (const type of ['application/json', 'application/problem+json', 'text/plain']) {
    const request = post('{"a":"\x81\\","role":"user","b":"x"}', { 'Content-Type': `${type}; charset=shift_jis` })
    assert.throws(() => evaluate(request, 'request.entity.json'), /the charset shift_jis/, type)
  }
  const plain = post(new Uint8Array([0x61, 0, 0x62, 0]), { 'Content-Type': 'text/plain; charset=utf-16le' })
  assert.equal(evaluate(plain, 'request.entity.string'), 'ab')
  const latin = post(new Uint8Array([0x61, 0x3d, 0xe9]), encoded('iso-8859-1'))
  assert.equal(evaluate(latin, "request.form['a'][0]"), 'é')
})

test('B115: a second Content-Type, or one that only some servers take for a form, is rejected', () => {
  const twice = post('role=admin', { 'Content-Type': 'text/plain' })
  twice.headers.add('content-type', 'application/x-www-form-urlencoded')
  for (const read of ['form', 'entity.form', 'entity.string', 'entity.json']) {
    assert.throws(() => evaluate(twice, `request.${read}`), /more than one Content-Type/, read)
  }
  for (const type of ['application/x-www-form-urlencoded, x', 'text/plain, Application/X-WWW-Form-Urlencoded']) {
    assert.throws(
      () => evaluate(post('role=admin', { 'Content-Type': type }), 'request.form'),
      /malformed Content-Type/,
    )
  }
  assert.deepEqual(Object.keys(evaluate(post('a=1', { 'Content-Type': 'json' }), 'request.form') as object), [])
})

test('B115: a byte order mark is part of the first name of a form', () => {
  const request = post('\ufeffrole=user&role=admin', FORM)
  assert.equal(evaluate(request, "request.entity.form['role'][0]"), 'admin')
})

test('B115: JSON of a request with a member twice is rejected, of a response the last one counts', () => {
  const text = '{"role":"admin","role":"user"}'
  const request = post(text, { 'Content-Type': 'application/json' })
  assert.throws(() => evaluate(request, 'request.entity.json'), /a member is given twice/)
  assert.throws(() => new Entity(request, 'request').jsonText, /a member is given twice/)
  assert.equal(evaluate(request, 'request.entity.string'), text)
  // The same body, as where a handler returns the content of the request.
  const response = new Entity(request, 'response')
  assert.deepEqual(response.json, { role: 'user' })
  assert.equal(response.jsonText, text)
})
