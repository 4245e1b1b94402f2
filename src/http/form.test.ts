import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatForm, parseForm, TooManyFieldsError } from './index.ts'

const plain = (form: object) => ({ ...form })

test('reads names, repeated names, escapes and plus signs', () => {
  assert.deepEqual(plain(parseForm('a=1&b=x+y&a=%C3%A9&c=&=d&&e==f')), {
    a: ['1', 'é'],
    b: ['x y'],
    c: [''],
    '': ['d'],
    e: ['=f'],
  })
})

test('a name without "=" has null, unless such names are dropped', () => {
  assert.deepEqual(plain(parseForm('a&b=1&a=')), { a: [null, ''], b: ['1'] })
  assert.deepEqual(plain(parseForm('a&b=1', { keepNamesWithoutValue: false })), { b: ['1'] })
})

test('incomplete escapes and invalid UTF-8 do not throw', () => {
  assert.deepEqual(plain(parseForm('a=100%&b=%zz&c=%ff')), { a: ['100%'], b: ['%zz'], c: ['\ufffd'] })
})

test('B33: names of Object.prototype are data', () => {
  const form = parseForm('__proto__=x&constructor=y&__proto__=z')
  assert.equal(Object.getPrototypeOf(form), null)
  assert.deepEqual(Object.entries(form), [
    ['__proto__', ['x', 'z']],
    ['constructor', ['y']],
  ])
  assert.equal(form['toString'], undefined)
  assert.equal(({} as Record<string, unknown>)['x'], undefined)
})

test('more fields than the limit are rejected', () => {
  assert.throws(() => parseForm('a=1&'.repeat(10_001)), TooManyFieldsError)
})

test('a formatted form is parsed to the same form', () => {
  const values = fc.array(fc.option(fc.string({ unit: 'grapheme' })), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), values), (form) => {
      assert.deepEqual(plain(parseForm(formatForm(form))), plain(form))
    }),
  )
})

test('formats a form as browsers do', () => {
  assert.equal(formatForm({ 'a b': ['c&d', null, '~*-._'] }), 'a+b=c%26d&a+b&a+b=%7E*-._')
})
