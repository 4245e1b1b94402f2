// Functions of V8 with limits on the sizes of their values behave as those of the language otherwise.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { resultOf } from '#test/evaluate-script'

const TOO_LARGE: Readonly<Record<string, RegExp>> = {
  "'x'.repeat(2 ** 25).toUpperCase()":
    /^a string of 33554432 characters is too long for this function, at most 16777216 are/,
  "''.trim.call({ toString: () => 'x'.repeat(2 ** 25) })": /^a string of 33554432 characters/,
  "'x'.repeat(2 ** 20).includes('x'.repeat(2 ** 12))":
    /searched for 4096, is too long for this function, at most 131072 are/,
  "'x'.match('y'.repeat(2 ** 15))": /^a string of 32768 characters/,
  "new RegExp('y'.repeat(2 ** 15))": /^a string of 32768 characters/,
  "('x' + '\\u0315'.repeat(5000)).normalize()":
    /^a string of 5001 characters is too long for this function, at most 1024 are/,
  "encodeURIComponent('x'.repeat(2 ** 25))": /^a string of 33554432 characters/,
  "JSON.stringify({ a: ['x'.repeat(2 ** 25)] })": /^a string of 33554432 characters/,
  'Object.assign([], { length: 2 ** 30 }).fill(0)':
    /^a list of 1073741824 elements is too long for this function, at most 4194304/,
  '[].indexOf.call({ length: 2 ** 53 }, 1)': /^a list of 9007199254740992 elements/,
  'Array.from({ length: 2 ** 30 })': /^a list of 1073741824 elements/,
  'new Array(2 ** 22).concat([1])': /^a list of 4194305 elements/,
  "Object.keys('x'.repeat(2 ** 20))": /^a string of 1048576 characters/,
  'new Uint8Array(2 ** 27)': /^a buffer of 134217728 bytes is too long for this function, at most 67108864/,
  'new Float64Array(2 ** 24)': /^a buffer of 134217728 bytes/,
  'Math.max.apply(null, { length: 2 ** 30 })': /^a list of 1073741824 elements/,
  "new Date(0).toLocaleString('en-'.repeat(5000))": /^a string of 15000 characters/,
  'new Intl.NumberFormat().format(10n ** 5000n)': /^a number of more than 4096 digits/,
  "Temporal.PlainDate.from('x'.repeat(5000))": /^a string of 5000 characters/,
}

for (const [source, expected] of Object.entries(TOO_LARGE)) {
  test(`${source} throws a RangeError of the realm with the limit`, async () => {
    const script = `try { ${source} } catch (error) { return error.constructor === RangeError && error.message }`
    assert.match(String(await resultOf(script, { timeout: 30_000 })), expected)
  })
}

const SAME: readonly string[] = [
  "['trim', 'trimLeft', 'match', 'at', 'normalize'].map((name) => [''[name].name, ''[name].length, 'prototype' in ''[name]])",
  'String.prototype.trimLeft === String.prototype.trimStart && Number.parseFloat === parseFloat',
  '[Array.from, Object.keys, Math.max, Reflect.apply, [].reduce, JSON.stringify].map((each) => [each.name, each.length])',
  'Object.getOwnPropertyNames(String.prototype).length',
  '[Map.name, Map.length, RegExp.length, Uint8Array.BYTES_PER_ELEMENT, Intl.Collator.length, Date.length]',
  '[new Map().constructor === Map, new Date(0).constructor === Date, new Intl.Collator().constructor === Intl.Collator]',
  "[/a/ instanceof RegExp, new Uint8Array(2) instanceof Uint8Array, RegExp('a') instanceof RegExp, typeof Date()]",
  "RegExp('a', 'g').flags + new RegExp(/b/i).source + RegExp(/c/).source",
  "class R extends RegExp { x() { return this.source } }; new R('q').x()",
  'class M extends Map { x() { return this.size } }; new M([[1, 2]]).x()',
  'class B extends Uint8Array { x() { return this.length } }; new B([1, 2]).map((x) => x + 1).x()',
  'Map([[1, 2]])',
  "[10, 9, 1, undefined, 'b', 'a', null].sort()",
  '[3, 1, 2].toSorted((a, b) => b - a)',
  '[3, 1, 2].sort(null)',
  "[Symbol('x'), 1].sort()",
  '[1, 2, 3].reduce((a, b) => a + b)',
  '[].reduce((a, b) => a + b)',
  '[1, 2, 3].splice(1)',
  '[1, [2, [3, [4]]]].flat(Infinity)',
  '[1, [2, [3, [4]]]].flat()',
  '[].concat([1], 2, [[3]])',
  "Array.from('añ𐐀b')",
  'Array.from(new Set([1, 2]), (x) => x * 2)',
  'Array.from({ length: 2, 0: 1 })',
  'Array.from(5)',
  'Array.from(null)',
  'class A extends Array {}; A.from([1]) instanceof A',
  "Object.fromEntries(new Map([['a', 1]]))",
  "Object.groupBy([1, 2, 3], (x) => (x % 2 ? 'odd' : 'even'))",
  'new Set([1, 1, 2]).size + new Map([[1, 2]]).size',
  'new Set(5)',
  'new Set(null).size',
  "new Set('aab').size",
  '[1, 2, 3].values().map((x) => x * 2).drop(1).toArray()',
  'let closed = 0; const steps = { [Symbol.iterator]() { return this }, next: () => ({ value: 1, done: false }), return() { closed += 1; return {} } }; Iterator.from(steps).take(2).toArray().length + closed',
  '(function* () { yield 1; yield 2 })().some((x) => x === 2)',
  'Iterator.prototype.toArray.call(1)',
  'isNaN(new Date(5)) + String(isFinite({ valueOf: () => 1 })) + isNaN()',
  "parseInt('12px') + parseInt(['7']) + parseInt('z', 36) + Number.parseFloat('1.5x')",
  "[Date.parse('2020-01-01T00:00Z'), Date.parse('x'), new Date('2020-01-01T00:00Z').getTime(), new Date(2020, 1).getMonth()]",
  "'a-b'.split('-', 1) + 'undefined'.indexOf() + 'a'.includes('') + 'abc'.lastIndexOf('c', -1)",
  "'abc'.includes(/b/)",
  "'abc'.startsWith({ toString: () => 'ab' })",
  "''.padEnd.call(5, 3, 'x') + 'x'.padStart(3)",
  "String.raw`a\\n${1}` + String.raw({ raw: 'xyz' }, 1, 2)",
  "'a'.anchor('\"') + ''.at.call('abc', -1) + 'ß'.toUpperCase() + 'I'.toLocaleLowerCase('tr')",
  "'a'.localeCompare('b') + 'ä'.localeCompare('z', 'de') + ['b', 'a'].sort(new Intl.Collator('de').compare)",
  "''.trim.call(null)",
  "[...'x1y2'.matchAll(/\\d/g)].map(String) + 'x1'.search(/\\d/) + 'x1'.search('1')",
  "'a'.matchAll(/a/)",
  'new Uint8Array([3, 1, 2]).sort().join() + new Uint8Array(new Set([1, 2])).length + new Uint8Array({ length: 2 }).length',
  "Uint8Array.from([1, 2, 3]).toBase64() + Uint8Array.fromHex('ff')[0] + new Float32Array(new ArrayBuffer(8)).length",
  'new ArrayBuffer(8, { maxByteLength: 16 }).resizable + String(new ArrayBuffer(8).slice(2).byteLength)',
  'new Uint8Array(-1)',
  'new ArrayBuffer(-1)',
  '[new Set([1, 2]).union(new Set([3])).size, new Set([1]).isSubsetOf(new Map([[1, 1]]))]',
  'Math.max.apply(null, [1, 3]) + Reflect.apply(Math.min, null, [4, 2]) + Reflect.construct(Date, [0]).getTime()',
  'Reflect.ownKeys([1]).map(String)',
  "Object.entries({ a: 1 }) + Object.assign([], 'ab').join() + Object.isFrozen(Object.freeze([1]))",
  "JSON.stringify({ a: [1, 'x', null, undefined, () => 1, new Date(0)], b: { toJSON: () => 'j' }, c: undefined })",
  "JSON.stringify({ b: 1, a: { b: 2, c: 3 }, 1: 4, d: [{ b: 5, e: 6 }] }, ['d', 'b', 1, 'b', new String('a')])",
  "JSON.stringify({ b: 1 }, ['b'], 2) + JSON.stringify([1, { a: 1 }], []) + JSON.stringify(new String('x'), ['length'])",
  "JSON.stringify({ a: 1, b: [2] }, (key, value) => (typeof value === 'number' ? value * 2 : value))",
  "JSON.stringify({ a: 1 }, (key, value) => (key === '' ? { z: 'x' } : value))",
  "JSON.stringify(new Map([[1, 2]])) + JSON.stringify('\\ud800') + JSON.stringify({ a: Infinity })",
  'const loop = {}; loop.self = loop; JSON.stringify(loop)',
  "[(1234.5).toLocaleString('de'), 12n.toLocaleString('de'), new Date(0).toLocaleDateString('de', { timeZone: 'UTC' })]",
  "const format = new Intl.NumberFormat('de'); [format.format === format.format, format.format.name, [1.5].map(format.format)]",
  "new Intl.ListFormat('en').format(['a', 'b']) + [...new Intl.Segmenter('en').segment('ab')].length",
  "Temporal.PlainDate.from('2020-01-01').add({ days: 1 }).toString() + Temporal.PlainDate.compare('2020-01-01', '2021-01-01')",
  "Object.getOwnPropertyDescriptor(globalThis, 'Intl').writable + typeof Temporal.Now.instant()",
]

test('with usual values every function behaves as that of the language', async () => {
  const body = (source: string): string => {
    const at = source.lastIndexOf('; ')
    const whole = /^(const|let|class) /.test(source)
      ? `${source.slice(0, at)}; return ${source.slice(at + 2)}`
      : `return ${source}`
    return `(() => { try { return JSON.stringify((() => { ${whole} })()) ?? 'undefined' } catch (error) { return error.name } })()`
  }
  const all = `[${SAME.map(body).join(',\n')}]`
  const expected = runInNewContext(all) as string[]
  const actual = (await resultOf(`return ${all}`)) as string[]
  const different = SAME.flatMap((source, at) =>
    actual[at] === expected[at] ? [] : [[source, actual[at], expected[at]]],
  )
  assert.deepEqual(different, [])
})

test('a native function that is called for each element does not delay the end of a script', async () => {
  const sources = [
    'Array.prototype.values.call({ length: 2 ** 53 - 1 }).drop(2 ** 52).next()',
    'new Set(Iterator.from({ next: () => ({ value: 1, done: false }) }))',
    'Iterator.prototype.forEach.call(Array.prototype.values.call({ length: 2 ** 53 - 1 }), Math.abs)',
  ]
  for (const source of sources) {
    await assert.rejects(resultOf(source, { timeout: 50 }), { name: 'ScriptTimeoutError' }, source)
  }
})

test('a form with many values of one name is read in linear time', async () => {
  const source = "return new Form({ a: Array(100_000).fill('b') }).getAll('a').length"
  assert.equal(await resultOf(source, { timeout: 30_000 }), 100_000)
})
