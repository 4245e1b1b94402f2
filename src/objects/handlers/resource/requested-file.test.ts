import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServableName, normalBasePath, requestedFile } from './requested-file.ts'

const served: readonly [string, string, readonly string[], 'folder' | 'file'][] = [
  ['/a/b.txt', '', ['a', 'b.txt'], 'file'],
  ['/a/', '', ['a'], 'folder'],
  ['/', '', [], 'folder'],
  ['', '', [], 'folder'],
  ['/a%20b+%23%C3%BC', '', ['a b+#ü'], 'file'],
  ['/a/../b', '', ['b'], 'file'],
  ['/a/%2e%2e//b', '', ['b'], 'file'],
  ['/static', '/static', [], 'file'],
  ['/static/', '/static', [], 'folder'],
  ['/static/a', '/static', ['a'], 'file'],
  ['/st%61tic/a', '/static', ['a'], 'file'],
]

for (const [path, basePath, names, kind] of served) {
  test(`${path || 'nothing'} below ${basePath || 'the root'} is ${names.join(', ') || 'the base'}`, () => {
    const requested = requestedFile(path, basePath)
    assert.deepEqual(requested?.names, names)
    assert.equal(requested?.isFolder, kind === 'folder')
  })
}

const refused: readonly [string, string][] = [
  ['/../a', ''],
  ['/a/../../b', ''],
  ['/%2e%2e/a', ''],
  ['/..%2fa', ''],
  ['/%2e%2e%2fa', ''],
  ['/a%2fb', ''],
  ['/..%5ca', ''],
  ['/..\\a', ''],
  ['/..%252fa', ''],
  ['/%252e%252e/a', ''],
  ['/..;/a', ''],
  ['/a/..%3b/b', ''],
  ['/..%c0%afa', ''],
  ['/%c0%ae%c0%ae/a', ''],
  ['/%ff', ''],
  ['/a%00.html', ''],
  ['/a%0a', ''],
  ['/a%7f', ''],
  ['/a%', ''],
  ['/a#b', ''],
  ['/.env', ''],
  ['/%2eenv', ''],
  ['/...', ''],
  ['/.well-known/x', ''],
  ['*', ''],
  ['a', ''],
  ['/', '/static'],
  ['/statics', '/static'],
  ['/STATIC/a', '/static'],
  ['/static/../a', '/static'],
]

for (const [path, basePath] of refused) {
  test(`${path} below ${basePath || 'the root'} can not be served`, () => {
    assert.equal(requestedFile(path, basePath), null)
  })
}

test('the last segment keeps its encoding', () => {
  assert.equal(requestedFile('/a/b%20c', '')?.rawLast, 'b%20c')
})

test('a name is no path, is not hidden and has no control character', () => {
  for (const name of ['index.html', 'a b', 'ü', '~', '-']) assert.ok(isServableName(name), name)
  for (const name of ['', '.', '..', '.x', 'a/b', 'a\\b', 'a\0', 'a\n', '\x7f'])
    assert.ok(!isServableName(name), JSON.stringify(name))
})

test('a base path is normalized', () => {
  for (const [given, normal] of [
    ['', ''],
    ['/', ''],
    ['a', '/a'],
    ['/a/', '/a'],
    ['//a/./b//', '/a/b'],
    ['/%61', '/a'],
  ] as const)
    assert.equal(normalBasePath(given), normal, given)
  assert.throws(() => normalBasePath('/a%2fb'), { message: 'the path holds an escaped slash' })
})
