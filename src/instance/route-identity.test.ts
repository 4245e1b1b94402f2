import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routeIdentity } from './route-identity.ts'

test('the id is _id, otherwise the file name; the name is name, otherwise the id', () => {
  assert.deepEqual(routeIdentity('10-x.json', {}), { id: '10-x', name: '10-x' })
  assert.deepEqual(routeIdentity('10-x.json', { _id: 'y' }), { id: 'y', name: 'y' })
  assert.deepEqual(routeIdentity('10-x.json', { _id: 'y', name: null }), { id: 'y', name: 'y' })
  assert.deepEqual(routeIdentity('10-x.json', { name: 'any name at all' }), { id: '10-x', name: 'any name at all' })
})

test('an id is a safe file name of up to 128 characters', () => {
  for (const id of ['a', 'A.b_c-1', '-x', '_', 'x'.repeat(128), 'con']) {
    assert.deepEqual(routeIdentity('f.json', { _id: id }), { id, name: id })
  }
  for (const id of [
    '',
    '.',
    '..',
    '.a',
    'a/b',
    'a\\b',
    'a b',
    'a\0',
    'ä',
    'x'.repeat(129),
    null,
    1,
    {},
    ['a'],
  ] as never[]) {
    assert.equal((routeIdentity('f.json', { _id: id }) as { pointer: string }).pointer, '/_id')
  }
  assert.deepEqual(routeIdentity('my file.json', {}), {
    pointer: '',
    message:
      'expected an _id of 1 to 128 letters, digits, ".", "_" or "-", not starting with ".", got the name of the file; rename it, or write an _id into it',
  })
  assert.deepEqual(routeIdentity('my file.json', { _id: 'mine' }), { id: 'mine', name: 'mine' })
})

test('the name default is rejected, case-insensitive', () => {
  assert.ok('message' in routeIdentity('default.json', { _id: 'x', name: 'y' }))
  assert.ok('message' in routeIdentity('Default.json', {}))
  assert.ok('message' in routeIdentity('f.json', { _id: 'DEFAULT' }))
  assert.ok('message' in routeIdentity('f.json', { name: 'default' }))
  assert.deepEqual(routeIdentity('default-x.json', {}), { id: 'default-x', name: 'default-x' })
})
