import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compile, compileLeftValue, scopeOf } from '#expression'
import { InvalidUriError, Uri } from './index.ts'

test('parses a URI into its parts and formats them again', () => {
  const uri = Uri.parse('HTTPS://us%20er@Example.COM:8443/a%20b/c?x=%26&y#f%21')

  assert.equal(uri.scheme, 'https')
  assert.equal(uri.userInfo, 'us%20er')
  assert.equal(uri.host, 'example.com')
  assert.equal(uri.port, 8443)
  assert.equal(uri.authority, 'us%20er@example.com:8443')
  assert.equal(uri.rawPath, '/a%20b/c')
  assert.equal(uri.path, '/a b/c')
  assert.deepEqual(uri.pathElements, ['a b', 'c'])
  assert.equal(uri.rawQuery, 'x=%26&y')
  assert.equal(uri.query, 'x=&&y')
  assert.equal(uri.rawFragment, 'f%21')
  assert.equal(uri.fragment, 'f!')
  assert.equal(uri.origin, 'https://example.com:8443')
  assert.equal(uri.toString(), 'https://us%20er@example.com:8443/a%20b/c?x=%26&y#f%21')
})

test('missing parts are absent', () => {
  const uri = Uri.parse('http://host')
  assert.equal(uri.port, -1)
  assert.equal(uri.effectivePort, 80)
  assert.equal(uri.rawQuery, null)
  assert.equal(uri.rawFragment, null)
  assert.equal(uri.userInfo, null)
  assert.equal(uri.rawPath, '')
  assert.equal(uri.requestTarget, '/')
  assert.deepEqual(uri.pathElements, [])
  assert.equal(Uri.parse('https://host').effectivePort, 443)
  assert.equal(Uri.parse('wss://host:1').effectivePort, 1)
  assert.equal(Uri.parse('ldap://host').effectivePort, -1)
})

test('the origin omits the default port of the scheme', () => {
  assert.equal(Uri.parse('http://h:80/x').origin, 'http://h')
  assert.equal(Uri.parse('https://h:443').origin, 'https://h')
  assert.equal(Uri.parse('http://h:443').origin, 'http://h:443')
})

test('reads addresses, relative references and empty ports', () => {
  assert.equal(Uri.parse('http://[::1]:80/').host, '[::1]')
  assert.equal(Uri.parse('http://h:/x').port, -1)
  const relative = Uri.parse('/a?b')
  assert.equal(relative.host, '')
  assert.equal(relative.toString(), '/a?b')
  assert.equal(Uri.parse('urn:a:b').rawPath, 'a:b')
})

test('escapes printable characters that are illegal in a URI', () => {
  assert.equal(Uri.parse('http://h/a b"é|?x={y} z').toString(), 'http://h/a%20b%22%C3%A9%7C?x=%7By%7D%20z')
})

test('B29: control characters are refused in every part', () => {
  for (const text of ['http://h/a\r\nb', 'http://h\0', 'http://h/?a\nb', 'ht\ttp://h', 'http://h/#\x7f']) {
    assert.throws(() => Uri.parse(text), InvalidUriError, JSON.stringify(text))
  }
  const uri = Uri.parse('http://h/')
  assert.throws(() => {
    uri.path = '/a\nb'
  }, InvalidUriError)
  assert.throws(() => {
    uri.query = 'a\rb'
  }, InvalidUriError)
  assert.throws(() => {
    uri.rawQuery = 'a\0'
  }, InvalidUriError)
  assert.throws(() => {
    uri.host = 'a\r\nb'
  }, InvalidUriError)
  assert.equal(uri.toString(), 'http://h/')
})

test('rejects text that is not a URI', () => {
  for (const text of [
    'http://h:99999/',
    'http://h:x/',
    'http://a b/',
    'http://[::1/',
    'http://u@/',
    'http://:80/',
    '1a://h',
    'http://h/%',
    'http://h/%2',
    'http://[::1%25lo]/',
  ]) {
    assert.throws(() => Uri.parse(text), InvalidUriError, text)
  }
})

test('a decoded path is encoded so that it cannot become a query or a fragment', () => {
  const uri = Uri.parse('http://h/old?q')
  uri.path = '/a?b#c/100% é'
  assert.equal(uri.rawPath, '/a%3Fb%23c/100%25%20%C3%A9')
  assert.equal(uri.path, '/a?b#c/100% é')
  assert.equal(uri.rawQuery, 'q')
  uri.path = 'x'
  assert.equal(uri.rawPath, '/x')
  uri.pathElements = ['a/b', 'c']
  assert.equal(uri.rawPath, '/a%2Fb/c')
})

test('a path can not be parsed as a host', () => {
  const uri = Uri.parse('http://h/')
  assert.throws(() => {
    uri.rawPath = '@evil/'
  }, InvalidUriError)
  assert.throws(() => {
    Uri.parse('/x').rawPath = '//evil/'
  }, InvalidUriError)
})

test('rebase replaces scheme, host and port, and preserves path and query', () => {
  const uri = Uri.parse('http://gw:8080/a/b?c')
  uri.toString()
  uri.rebase(Uri.parse('https://up.example.com/ignored?ignored'))
  assert.equal(uri.toString(), 'https://up.example.com/a/b?c')
})

test('a clone is independent of its original', () => {
  const uri = Uri.parse('http://h/a?b#c')
  const copy = uri.clone()
  copy.host = 'other'
  copy.rawPath = '/z'
  assert.equal(uri.toString(), 'http://h/a?b#c')
  assert.equal(copy.toString(), 'http://other/z?b#c')
})

test('expressions read and assign every part, decoded and raw', () => {
  const uri = Uri.parse('http://u@h:81/a%20b?c=%64#e')
  const scope = scopeOf({ uri })
  const read = (name: string) => compile(`\${uri.${name}}`).evaluate(scope)
  assert.deepEqual(['scheme', 'userInfo', 'host', 'port', 'authority', 'path', 'query', 'fragment'].map(read), [
    'http',
    'u',
    'h',
    81,
    'u@h:81',
    '/a b',
    'c=d',
    'e',
  ])
  assert.deepEqual(['rawUserInfo', 'rawAuthority', 'rawPath', 'rawQuery', 'rawFragment', 'pathElements[0]'].map(read), [
    'u',
    'u@h:81',
    '/a%20b',
    'c=%64',
    'e',
    'a b',
  ])
  assert.equal(compile('to ${uri}').evaluate(scope), 'to http://u@h:81/a%20b?c=%64#e')

  const assign = (name: string, value: unknown) => compileLeftValue(`\${uri.${name}}`).assign(scope, value)
  assign('scheme', 'https')
  assign('host', 'other')
  assign('port', 8443)
  assign('userInfo', null)
  assign('path', '/n ew')
  assign('rawQuery', 'q=%20')
  assign('fragment', null)
  assert.equal(uri.toString(), 'https://other:8443/n%20ew?q=%20')
  assign('authority', 'third:1')
  assert.equal(uri.authority, 'third:1')
  assign('pathElements', ['a', 'b?'])
  assert.equal(uri.rawPath, '/a/b%3F')
  for (const bad of ['h/evil', 'h?x', 'h#x', '', 'a b']) assert.throws(() => assign('authority', bad), bad)
  assign('query', null)
  assert.equal(uri.rawQuery, null)
  assert.throws(() => assign('port', 'x'))
  assert.throws(() => assign('host', 7))
})

test('assigning the decoded path results in the same path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const uri = Uri.parse('http://h/')
      uri.path = `/${text}`
      assert.equal(uri.path, `/${text}`)
      assert.equal(Uri.parse(uri.toString()).rawPath, uri.rawPath)
    }),
  )
})
