import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compile, compileLeftValue, scopeOf } from '#expression'
import { Headers, InvalidHeaderError, sameManagedName } from './index.ts'

test('lookup is case-insensitive; order and original case are preserved', () => {
  const headers = new Headers([
    ['Accept', 'a'],
    ['X-One', '1'],
    ['accept', 'b'],
  ])

  assert.equal(headers.get('ACCEPT'), 'a')
  assert.deepEqual(headers.all('accept'), ['a', 'b'])
  assert.deepEqual(headers.names(), ['Accept', 'X-One'])
  assert.equal(headers.get('X-Two'), null)
  assert.deepEqual(headers.all('X-Two'), [])
  assert.equal(headers.has('x-one'), true)
  assert.deepEqual([...headers], [...headers.entries()])
})

test('set replaces all values, at the position of the first', () => {
  const headers = new Headers([
    ['A', '1'],
    ['B', '2'],
    ['a', '3'],
  ])

  headers.set('a', ['x', 'y'])

  assert.deepEqual(headers.raw(), ['a', 'x', 'a', 'y', 'B', '2'])
})

test('an empty list removes a header', () => {
  const headers = new Headers([['A', '1']])
  headers.set('a', [])
  assert.equal(headers.has('A'), false)
})

test('the raw list of the parser is shared until the first write and never changed', () => {
  const raw = ['Host', 'gw', 'A', '1']
  const headers = Headers.fromRaw(raw)
  assert.equal(headers.raw(), raw)

  headers.add('B', '2')
  headers.set('A', '3')
  headers.delete('Host')

  assert.deepEqual(raw, ['Host', 'gw', 'A', '1'])
  assert.deepEqual(headers.raw(), ['A', '3', 'B', '2'])
})

test('a snapshot keeps the fields as they were', () => {
  const raw = ['A', '1', 'B', '2']
  const changes: ((headers: Headers) => void)[] = [
    (headers) => headers.set('a', '3'),
    (headers) => headers.add('C', '3'),
    (headers) => headers.delete('b'),
  ]
  for (const change of changes) {
    for (const headers of [
      Headers.fromRaw([...raw]),
      new Headers([
        ['A', '1'],
        ['B', '2'],
      ]),
    ]) {
      const snapshot = headers.snapshot()
      change(headers)
      assert.deepEqual(snapshot, raw)
      assert.notDeepEqual(headers.raw(), raw)
    }
  }
})

test('a clone is independent of its original', () => {
  const original = new Headers([['A', '1']])
  const copy = original.clone()

  original.add('B', '2')
  copy.add('C', '3')

  assert.deepEqual(original.raw(), ['A', '1', 'B', '2'])
  assert.deepEqual(copy.raw(), ['A', '1', 'C', '3'])
})

test('B29: CR, LF, NUL, control characters and wide characters in a value are refused', () => {
  const headers = new Headers()
  for (const value of ['a\r\nX: y', 'a\nb', 'a\rb', 'a\0b', 'a\x7fb', 'a\x01', 'a\u2028b', 'a\u010ab']) {
    assert.throws(() => headers.add('X', value), InvalidHeaderError, JSON.stringify(value))
    assert.throws(() => headers.set('X', value), InvalidHeaderError)
    assert.throws(() => headers.set('X', ['ok', value]), InvalidHeaderError)
  }
  assert.deepEqual(headers.raw(), [])
})

test('B29: a name that is not a token is refused', () => {
  const headers = new Headers()
  for (const name of ['', 'a b', 'a:', 'a\r\n', 'é', 'a\0', ' a', 'a ', '(x)']) {
    assert.throws(() => headers.add(name, 'v'), InvalidHeaderError, JSON.stringify(name))
    assert.throws(() => headers.set(name, 'v'), InvalidHeaderError)
  }
})

test('B33: names of Object.prototype are ordinary header names', () => {
  const headers = Headers.fromRaw(['__proto__', 'x', 'constructor', 'y', 'hasOwnProperty', 'z'])

  assert.equal(headers.get('__PROTO__'), 'x')
  assert.equal(headers.get('toString'), null)
  assert.deepEqual(headers.names(), ['__proto__', 'constructor', 'hasOwnProperty'])
  headers.set('__proto__', 'w')
  assert.equal(headers.get('__proto__'), 'w')
  assert.equal(({} as Record<string, unknown>)['x'], undefined)
})

test('B15: variants of a managed name are detected, other names are not', () => {
  assert.equal(sameManagedName('X-User', 'x_USER'), true)
  assert.equal(sameManagedName('X-User', 'X.User'), true)
  assert.equal(sameManagedName('X-User', 'X-User'), true)
  assert.equal(sameManagedName('X-User', 'X~user'), true)
  assert.equal(sameManagedName('X-User', 'X-Users'), false)
  assert.equal(sameManagedName('X-User', 'XxUser'), false)

  const headers = Headers.fromRaw(['X_User', 'evil', 'x.user', 'evil', 'X-User', 'evil', 'X-Other', 'fine'])
  assert.equal(
    headers.deleteWhere((name) => sameManagedName(name, 'X-User')),
    3,
  )
  assert.deepEqual(headers.raw(), ['X-Other', 'fine'])
})

test('B15: in headers of a client, setting, adding or removing a name removes its variants', () => {
  const raw = ['X_User', 'evil', 'x.user', 'evil', 'X-User', 'first', 'X-Other', 'fine']
  const set = Headers.ofClient(raw)
  set.set('X-User', 'alice')
  assert.deepEqual(set.raw(), ['X-User', 'alice', 'X-Other', 'fine'])

  const added = Headers.ofClient(raw).clone()
  added.add('X-User', 'second')
  assert.deepEqual(added.raw(), ['X-User', 'first', 'X-Other', 'fine', 'X-User', 'second'])

  const deleted = Headers.ofClient(raw)
  assert.equal(deleted.delete('x_user'), true)
  assert.deepEqual(deleted.raw(), ['X-Other', 'fine'])
  assert.deepEqual([deleted.isRemoved('X-User'), deleted.isRemoved('X~User')], [true, true])
  assert.deepEqual(raw.length, 8, 'the list of the parser is unchanged')

  const emptied = Headers.ofClient(raw)
  emptied.set('X-User', [])
  assert.deepEqual(emptied.raw(), ['X-Other', 'fine'])
  assert.equal(emptied.isRemoved('X~User'), true)

  const both = Headers.ofClient(['x.user', 'evil'])
  both.set('X-User', 'a')
  both.set('X_User', 'b')
  both.delete('X.User')
  assert.deepEqual(both.raw(), ['X-User', 'a', 'X_User', 'b'], 'variants that the gateway has set itself stay')

  const response = Headers.fromRaw(raw)
  response.set('X-User', 'alice')
  assert.equal(response.names().length, 4, 'other messages keep them')
})

test('expressions read lists of values and assign text, lists and null', () => {
  const headers = new Headers([
    ['X-Two', 'a'],
    ['x-two', 'b'],
  ])
  const scope = scopeOf({ headers })
  const evaluate = (text: string) => compile(text).evaluate(scope)
  const assign = (text: string, value: unknown) => compileLeftValue(text).assign(scope, value)

  assert.deepEqual(evaluate("${headers['X-TWO']}"), ['a', 'b'])
  assert.equal(evaluate("${headers['x-two'][1]}"), 'b')
  assert.equal(evaluate("${headers['none']}"), null)
  assert.equal(evaluate("${headers['none'][0]}"), null)
  assert.equal(evaluate("${headers.getFirst('X-Two')}"), 'a')
  assert.equal(evaluate('${length(headers)}'), 1)

  assign("${headers['X-New']}", 'n')
  assign("${headers['X-Two']}", ['c', null, 7])
  assert.equal(headers.get('x-new'), 'n')
  assert.deepEqual(headers.all('X-Two'), ['c', '7'])
  assign("${headers['X-New']}", null)
  assert.equal(headers.has('X-New'), false)
  assert.throws(() => assign("${headers['X-New']}", 'a\r\nSet-Cookie: x'))
  assert.throws(() => assign("${headers['X-New']}", { a: 1 }))
  assert.equal(headers.has('X-New'), false)
})

const NAMES = ['A', 'a', 'Bb', 'bB', 'C-c', '__proto__'] as const
type Step = readonly ['set' | 'add' | 'delete' | 'clone', string, string]

test('behaves as a list of pairs for any sequence of writes', () => {
  const step: fc.Arbitrary<Step> = fc.tuple(
    fc.constantFrom('set', 'add', 'delete', 'clone'),
    fc.constantFrom(...NAMES),
    fc.stringMatching(/^[a-z]{0,3}$/),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let headers = Headers.fromRaw(['A', '1', 'Bb', '2'])
      let model: [string, string][] = [
        ['A', '1'],
        ['Bb', '2'],
      ]
      for (const [kind, name, value] of steps) {
        const same = ([each]: [string, string]) => each.toLowerCase() === name.toLowerCase()
        if (kind === 'add') {
          headers.add(name, value)
          model.push([name, value])
        } else if (kind === 'delete') {
          assert.equal(headers.delete(name), model.some(same))
          model = model.filter((pair) => !same(pair))
        } else if (kind === 'set') {
          headers.set(name, value)
          const at = model.findIndex(same)
          model = model.filter((pair, index) => index === at || !same(pair))
          if (at < 0) model.push([name, value])
          else model[at] = [name, value]
        } else headers = headers.clone()
      }
      assert.deepEqual([...headers.entries()], model)
      for (const name of NAMES) {
        const expected = model.filter(([each]) => each.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
        assert.deepEqual(headers.all(name), expected)
        assert.equal(headers.get(name), expected[0] ?? null)
      }
    }),
  )
})

test('removed names are recorded, in every spelling and in copies (B15)', () => {
  const headers = new Headers([['X-User', 'a']])
  assert.equal(headers.isRemoved('X-User'), false)
  headers.delete('X-User')
  headers.deleteWhere((name) => name.toLowerCase() === 'x-never-there')
  headers.set('X-Empty', [])
  const copy = headers.clone()
  copy.delete('X-Later')
  for (const name of ['X-User', 'x-user', 'X_User', 'x.user', 'X-Never-There', 'X_EMPTY']) {
    assert.equal(headers.isRemoved(name), true, name)
    assert.equal(copy.isRemoved(name), true, name)
  }
  assert.deepEqual([headers.isRemoved('X-Later'), copy.isRemoved('X-Later'), copy.isRemoved('X')], [false, true, false])
})
