import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compile, scopeOf } from '#expression'
import { effectiveUri, Uri } from './index.ts'

function effective(target: string, host = 'gw.example.com', method = 'GET'): Uri {
  const result = effectiveUri(target, [host], 'http', method)
  if ('problem' in result) assert.fail(`${target} with Host ${host}: ${result.problem}`)
  return result.uri
}

function refuses(target: string, host: string | readonly string[] = 'gw', method = 'GET'): void {
  const result = effectiveUri(target, typeof host === 'string' ? [host] : host, 'http', method)
  assert.ok('problem' in result, `${JSON.stringify(target)} with Host ${JSON.stringify(host)} was taken`)
}

const paths = (rows: Record<string, string>) => {
  for (const [target, path] of Object.entries(rows)) assert.equal(effective(target).requestTarget, path, target)
}

test('the target of a plain request is unchanged', () => {
  const uri = effective('/a/b;v=1/c.d?x=1&y=%20')
  assert.equal(uri.toString(), 'http://gw.example.com/a/b;v=1/c.d?x=1&y=%20')
  assert.equal(uri.port, -1)
  assert.equal(effective('/a?').toString(), 'http://gw.example.com/a?')
  assert.equal(effective('/', 'GW:8080').toString(), 'http://gw:8080/')
})

test('B1: dot segments are resolved before the path is used', () => {
  paths({
    '/public/../admin': '/admin',
    '/public/%2e%2e/admin': '/admin',
    '/public/.%2E/admin': '/admin',
    '/a/./b': '/a/b',
    '/a/b/..': '/a/',
    '/a/b/.': '/a/b/',
    '/%2e': '/',
    '/a/.../b': '/a/.../b',
    '/a/..b/c..': '/a/..b/c..',
    '/.well-known/x': '/.well-known/x',
    '/a/%20/b': '/a/%20/b',
    '/a/..%20b/c': '/a/..%20b/c',
    '/a/v1.%202/c': '/a/v1.%202/c',
  })
})

test('B1: runs of slashes are one slash', () => {
  paths({ '//admin': '/admin', '/a///b//': '/a/b/', '//': '/', '/a//../b': '/b' })
})

test('path parameters stay at the end of a path and of segments with a name', () => {
  paths({ '/;jsessionid=1': '/;jsessionid=1', '/a/;x': '/a/;x', '/a;x/b;y=1': '/a;x/b;y=1', '/a%3bx/b': '/a%3Bx/b' })
})

test('B1: ambiguous paths are refused', () => {
  const targets = [
    '/public/..%2fadmin',
    '/public/..%2Fadmin',
    '/public/..;/admin',
    '/public/..;x=1/admin',
    '/public/..%3b/admin',
    '/public/%2e%2e%3B/admin',
    '/public/..%253b/admin',
    '/.;/admin',
    '/;/admin',
    '/;x=1/admin',
    '/public/;/../admin',
    '/%3b/admin',
    '/a/%253Bx/admin',
    '/public/..%20/admin',
    '/public/%20../admin',
    '/public/.%20./admin',
    '/public/..%20%20/admin',
    '/public/.%20/admin',
    '/public/..%2520/admin',
    '/public/..%09/admin',
    '/public/..%C2%A0/admin',
    '/public/%e3%80%80..%e2%80%8b/admin',
    '/public/..%20',
    '/public\\..\\admin',
    '/public/..%5cadmin',
    '/..',
    '/a/../../b',
    '/%2e%2e/b',
    '/%c0%ae%c0%ae/admin',
    '/a%c0%afb',
    '/a%e0%80%afb',
    '/%ff',
  ]
  for (const target of targets) refuses(target)
})

test('B1: double encoding of delimiters and dots is refused, in any spelling', () => {
  for (const target of [
    '/%252e%252e/a',
    '/%252fa',
    '/%255ca',
    '/%2500',
    '/%2525',
    '/%25%32%65',
    '/%25%32e',
    '/%250d',
  ]) {
    refuses(target)
  }
  paths({ '/100%25': '/100%25', '/%2541': '/%2541' })
})

test('B2: an escaped question mark stays escaped in the path and in the query', () => {
  paths({ '/a?x=%3f': '/a?x=%3f', '/a%3fb': '/a%3Fb', '/a%3fb?c': '/a%3Fb?c' })
  assert.equal(effective('/a%3fb').path, '/a?b')
  assert.equal(effective('/a%3fb').rawQuery, null)
})

test('B3: a condition on the path does not see the query', () => {
  const request = { uri: effective('/admin?x=/public') }
  const matches = (pattern: string) =>
    compile(`\${find(request.uri.path, '${pattern}')}`).evaluate(scopeOf({ request }))
  assert.equal(matches('/public'), false)
  assert.equal(matches('^/admin$'), true)
})

test('B4: a request target with a fragment is refused', () => {
  for (const target of ['/admin#/public', '/#', '/a?b#c', 'http://gw#/a', 'http://gw/a#b']) refuses(target)
})

test('B5: escaped NUL, control characters, slash and backslash are refused, other escapes are preserved', () => {
  for (const target of ['/%00', '/a%0d%0aX', '/%1f', '/%7f', '/a%2fb', '/a%5Cb']) refuses(target)
  paths({ '/a%3bb': '/a%3Bb', '/a%25b': '/a%25b', '/a%23b': '/a%23b', '/a%3Fb': '/a%3Fb', '/a%20b': '/a%20b' })
})

test('B5: a malformed escape in the path is refused', () => {
  for (const target of ['/%', '/%2', '/%zz', '/a%2', '/%%32%65', '/%u002e']) refuses(target)
})

test('escapes are normalized: needless ones are decoded, the others are in upper case', () => {
  paths({ '/%61%7e%2D': '/a~-', '/%c3%a9': '/%C3%A9', '/a"b|c[d]': '/a%22b%7Cc%5Bd%5D', '/a%21!': '/a%21!' })
})

test('B6: a stripped prefix is also removed from the forwarded path', () => {
  const uri = effective('/%61pp/%2e%2e/app/x%3fy')
  assert.equal(uri.rawPath, '/app/x%3Fy')
  uri.rawPath = uri.rawPath.slice('/app'.length)
  uri.rebase(Uri.parse('https://up.example.com:8443/ignored'))
  assert.equal(uri.toString(), 'https://up.example.com:8443/x%3Fy')
})

test('B7: the host is used in full, in lower case; malformed hosts are refused', () => {
  assert.equal(effective('/', 'Example.COM').host, 'example.com')
  assert.equal(effective('/', 'example.com.evil').host, 'example.com.evil')
  assert.equal(effective('/', 'example.com.').host, 'example.com')
  assert.equal(effective('/', 'my_service:80').authority, 'my_service:80')
  const hosts = ['example.com:99999', 'example.com:0', 'example.com:', 'example.com:8a', 'example.com:-1', 'a:1:2']
  for (const host of [
    ...hosts,
    'a@example.com',
    'a b',
    'a/b',
    'a?b',
    'a#b',
    'a,b',
    'a\\b',
    '.a',
    'a..b',
    '..',
    '.',
    '-a',
    'a-',
  ]) {
    refuses('/', host)
  }
})

test('IP addresses are accepted in canonical notation only', () => {
  assert.equal(effective('/', '127.0.0.1:8080').authority, '127.0.0.1:8080')
  assert.equal(effective('/', '[::1]:8080').authority, '[::1]:8080')
  assert.equal(effective('/', '[2001:DB8::1]').host, '[2001:db8::1]')
  for (const host of [
    '127.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '2130706433',
    '1.2.3.256',
    '[::1',
    '::1',
    '[::1%25lo]',
    '[x]',
    '[]',
    '[::1]a',
  ]) {
    refuses('/', host)
  }
})

test('B8: absolute-form with another authority than Host is refused', () => {
  assert.equal(effective('http://gw/admin?x', 'gw').toString(), 'http://gw/admin?x')
  assert.equal(effective('HTTP://GW:80/a/../b', 'gw').toString(), 'http://gw/b')
  assert.equal(effective('http://gw', 'gw').toString(), 'http://gw/')
  assert.equal(effective('http://gw?x', 'gw').toString(), 'http://gw/?x')
  for (const target of [
    'http://other/admin',
    'http://gw:8080/',
    'http://u@gw/',
    'http:///x',
    'http:/x',
    'ftp://gw/',
    'gw/x',
    '',
  ]) {
    refuses(target)
  }
})

test('B14: a client cannot claim TLS by absolute-form', () => {
  refuses('https://gw/admin')
})

test('B9: none or several Host fields are refused', () => {
  refuses('/', [])
  refuses('/', ['gw', 'gw'])
  refuses('/', '')
})

test('B10: asterisk-form is accepted for OPTIONS only', () => {
  const uri = effective('*', 'gw', 'OPTIONS')
  assert.equal(uri.rawPath, '*')
  assert.equal(uri.requestTarget, '*')
  assert.equal(uri.toString(), 'http://gw')
  assert.equal(effective('http://gw', 'gw', 'OPTIONS').requestTarget, '*')
  refuses('*')
  refuses('*', 'gw', 'options')
  refuses('gw:443', 'gw', 'CONNECT')
})

test('B11: a query is not reordered, merged or decoded', () => {
  for (const query of ['b=1&a=2', 'a=2&b=1', 'a=%61&a=a', 'a;b', '', 'q=100%', 'a[]=1', '%2e%2e/%2f', 'x=../y//z']) {
    assert.equal(effective(`/?${query}`).rawQuery, query)
  }
  assert.equal(effective('/?a=|"{}<>\\^`').rawQuery, 'a=%7C%22%7B%7D%3C%3E%5C%5E%60')
  for (const query of ['a b', 'a\tb', 'é', 'a\x7f', '\u2028']) refuses(`/?${query}`)
})

test('B12: reserved paths are detected in any spelling', () => {
  for (const target of [
    '/openig/../admin',
    '//admin',
    '/./admin',
    '/%61dmin',
    '/x/%2E%2E//admin',
    'http://gw.example.com//admin',
  ]) {
    assert.equal(effective(target).path, '/admin', target)
  }
})

test('spaces, control characters and bytes beyond ASCII in the path are refused', () => {
  for (const target of ['/a b', '/a\tb', '/é', '/a\x00', '/a\x7f', '/\u0130']) refuses(target)
})

test('B34: malformed internationalized host names are refused', () => {
  assert.equal(effective('/', 'xn--bcher-kva.example').host, 'xn--bcher-kva.example')
  assert.equal(effective('/', 'XN--MNCHEN-3YA').host, 'xn--mnchen-3ya')
  const bad = [
    'xn--',
    'xn--.com',
    'xn--a',
    'xn--99999999',
    'xn--\u00fc',
    'a%20b',
    '%',
    'a%00',
    `${'a'.repeat(10_240)}.com`,
  ]
  for (const host of [...bad, `${'a'.repeat(64)}.com`, 'é.com', 'xn--a-', 'xn--zzzzzzzzzzzz']) refuses('/', host)
})

const fragment = fc.constantFrom(
  '/',
  '//',
  '.',
  '..',
  '%2e',
  '%2E',
  '%2f',
  '%5c',
  '\\',
  ';',
  '%3b',
  '%25',
  '%252e',
  '%32',
  '%65',
  '2e',
  'a',
  'B',
  '%41',
  '%c3%a9',
  '%ff',
  '%',
  '#',
  '?',
  '%3f',
  '|',
  ' ',
  '"',
  '[',
  '%00',
  '~',
  ':',
  '@',
  'é',
  '*',
)
const target = fc.array(fragment, { maxLength: 12 }).map((parts) => `/${parts.join('')}`)

test('normalizing is idempotent, and the result is unambiguous', () => {
  fc.assert(
    fc.property(target, (text) => {
      const first = effectiveUri(text, ['gw'], 'http', 'GET')
      if ('problem' in first) return
      const { rawPath, requestTarget } = first.uri
      assert.equal(effective(requestTarget, 'gw').requestTarget, requestTarget)
      assert.equal(effective(first.uri.toString(), 'gw').toString(), first.uri.toString())
      assert.equal(Uri.parse(first.uri.toString()).toString(), first.uri.toString())
      assert.doesNotMatch(rawPath, /\/\/|\\|#|[^\x21-\x7e]|%2e|%2f|%5c|%00|%25(?:2e|2f|5c|25|00)/i)
      for (const segment of rawPath.split('/')) assert.ok(segment !== '.' && segment !== '..', rawPath)
      for (const segment of first.uri.path.split('/')) assert.doesNotMatch(segment, /^\.\.?(?:;|$)/)
    }),
    { numRuns: 3000 },
  )
})

test('paths that decode to the same text have one normal form, except for escaped delimiters', () => {
  const segment = fc.stringMatching(/^[A-Za-z0-9_~-]{1,8}$/)
  fc.assert(
    fc.property(
      fc.array(segment, { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.boolean()),
      (segments, coin) => {
        const escaped = [...`/${segments.join('/')}`].map((each) =>
          each !== '/' && coin.next().value ? `%${each.charCodeAt(0).toString(16)}` : each,
        )
        assert.equal(effective(escaped.join('')).rawPath, `/${segments.join('/')}`)
      },
    ),
  )
})

test('never throws, for any target and host', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, host) => {
      effectiveUri(text, [host], 'https', 'GET')
      effectiveUri(`/${text}`, ['gw'], 'https', 'GET')
      effectiveUri('/', [`xn--${text}`], 'https', 'GET')
    }),
  )
})
