import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  formatSetCookie,
  Headers,
  InvalidCookieError,
  parseCookieHeader,
  parseSetCookie,
  Request,
  Uri,
} from './index.ts'

test('reads the pairs of a Cookie header', () => {
  assert.deepEqual(parseCookieHeader('a=1; b="x y";c = d=e ; ;broken; =x'), [
    { name: 'a', value: '1' },
    { name: 'b', value: 'x y' },
    { name: 'c', value: 'd=e' },
  ])
})

test('reads the attributes of old cookies', () => {
  assert.deepEqual(parseCookieHeader('$Version=1; a=1; $Path=/x; $Domain=h; b=2'), [
    { name: 'a', value: '1', version: 1, path: '/x', domain: 'h' },
    { name: 'b', value: '2', version: 1 },
  ])
})

test('reads a Set-Cookie header with its attributes', () => {
  const text =
    'id=a=b; Path=/; Domain=h.example; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Max-Age=60; secure; HttpOnly; SameSite=Lax; x=y'
  assert.deepEqual(parseSetCookie(text), {
    name: 'id',
    value: 'a=b',
    path: '/',
    domain: 'h.example',
    expires: 'Wed, 21 Oct 2026 07:28:00 GMT',
    maxAge: 60,
    secure: true,
    httpOnly: true,
    sameSite: 'Lax',
  })
  assert.deepEqual(parseSetCookie('lonely; Max-Age=soon'), { name: '', value: 'lonely' })
})

test('a formatted cookie is parsed to the same cookie', () => {
  const cookie = { name: 'id', value: 'v', path: '/', maxAge: 5, sameSite: 'Strict', secure: true, httpOnly: true }
  assert.equal(formatSetCookie(cookie), 'id=v; Path=/; Max-Age=5; SameSite=Strict; Secure; HttpOnly')
  assert.deepEqual(parseSetCookie(formatSetCookie(cookie)), cookie)
})

test('B29: a cookie cannot smuggle an attribute or a header', () => {
  const bad = [
    { name: 'a b', value: '' },
    { name: '', value: 'x' },
    { name: 'a', value: 'x; Domain=evil' },
    { name: 'a', value: 'x\r\nSet-Cookie: y' },
    { name: 'a', value: '"' },
    { name: 'a', value: 'x', path: '/; Domain=evil' },
    { name: 'a', value: 'x', domain: 'a\nb' },
  ]
  for (const cookie of bad) assert.throws(() => formatSetCookie(cookie), InvalidCookieError, JSON.stringify(cookie))
})

test('a request groups its cookies by name, and parses them again after a change of the header', () => {
  const headers = Headers.fromRaw(['Cookie', 'a=1; a=2', 'cookie', '__proto__=3'])
  const request = new Request({ method: 'GET', uri: Uri.parse('http://h/'), headers })

  assert.deepEqual(request.cookies['a'], [
    { name: 'a', value: '1' },
    { name: 'a', value: '2' },
  ])
  assert.deepEqual(Object.entries(request.cookies)[1], ['__proto__', [{ name: '__proto__', value: '3' }]])
  assert.equal(Object.getPrototypeOf(request.cookies), null)
  assert.equal(request.cookies, request.cookies)

  headers.set('Cookie', 'b=4')
  assert.deepEqual({ ...request.cookies }, { b: [{ name: 'b', value: '4' }] })
  headers.delete('Cookie')
  assert.deepEqual({ ...request.cookies }, {})
})
