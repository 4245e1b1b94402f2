import assert from 'node:assert/strict'
import { test } from 'node:test'
import { baseScope } from './base-scope.ts'
import { completionPlace, membersOf, namesIn } from './completion.ts'
import { scopeOf } from './scope.ts'

/** The place at `|` of a text. */
function placeIn(marked: string) {
  return completionPlace(marked.replace('|', ''), marked.indexOf('|'))
}

test('a name of the scope is completed where an operand may begin', () => {
  for (const marked of ['${|}', '${re|', 'a ${1}${ re|}', "${find(re|, 'x')", '#{ not re|', '\\\\${re|']) {
    const { from, target } = placeIn(marked) ?? assert.fail(marked)
    assert.deepEqual([from, target], [marked.replace(/(re)?\|.*/, '').length, null], marked)
  }
})

test('a member is completed of the whole operand before it', () => {
  for (const [marked, target] of [
    ['${request.|}', 'request'],
    ['${1 + request.uri.pa|}', 'request.uri'],
    ["${request.headers['A.b'][0].|", "request.headers['A.b'][0]"],
    ["${find(a, b) && split(x.y, ',').|", "split(x.y, ',')"],
    ['${(a ? b : c).|', '(a ? b : c)'],
    ["${'text'.|", "'text'"],
    ['${a}${b.|}', 'b'],
  ] as const) {
    assert.equal(placeIn(marked)?.target, target, marked)
  }
})

test('nothing is completed in literal text, strings, after numbers, and after a dot without an operand', () => {
  for (const marked of ['request.|', '\\${re|', '${1}re|', "${'re|", '${1|', '${.|', '${(1 + ).|']) {
    const place = placeIn(marked)
    assert.ok(place === null || place.target === '(1 + )', marked)
  }
})

test('names of a scope are those that it looks up; members are those of the value', () => {
  const gateway = { instanceDirectory: '/i', configDirectory: '/c', temporaryDirectory: '/t' }
  const base = baseScope({ env: { HOME: '/h' }, system: {}, now: () => 0, gateway })
  const scope = scopeOf({ shop: 1 }, base)
  const names = namesIn(scope)
  const bindings = names.filter(({ kind }) => kind === 'binding').map(({ name }) => name)
  assert.deepEqual(bindings, ['shop', 'env', 'system', 'now', 'gateway', 'openig'])
  for (const name of bindings) assert.notEqual(scope.lookup(name), undefined, name)
  assert.deepEqual(
    names.find(({ name }) => name === 'find'),
    { name: 'find', kind: 'function', detail: '(text, regex)' },
  )
  const members = (name: string) => membersOf(scope.lookup(name)).map((one) => one.name)
  assert.ok(members('env').includes('HOME') && members('env').includes('containsKey'))
  assert.ok(members('now').includes('epochMillis') && members('now').includes('plusDays'))
  assert.deepEqual(membersOf(null), [])
  assert.ok(membersOf('text').some(({ name, kind }) => name === 'startsWith' && kind === 'method'))
})
