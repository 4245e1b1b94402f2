import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalJson, formatPointer, parseJson, parsePointer, readDocument, syntaxErrorIn } from './index.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpora/json/JSONTestSuite/test_parsing')

test('reads the output of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      assert.equal(JSON.stringify(readDocument(text).value), JSON.stringify(JSON.parse(text)))
    }),
  )
})

test('allows comments wherever white space is allowed', () => {
  const text = '// first\n{ /* a */ "a" /* b */ : // c\n [1, /* 2 */ 3] } // last'
  assert.deepEqual(readDocument(text).value, { a: [1, 3] })
})

const refused: readonly (readonly [string, RegExp])[] = [
  ['{"a":1,,}', /line 1, column 8: expected a member name/],
  ['{"a" 1}', /line 1, column 6: expected ":"/],
  ['[1\n 2]', /line 2, column 2: expected "," or "]", got "2"/],
  ['{"a":1,"a":2}', /the member "a" is given twice/],
  ['\'a"', /no closing quote/],
  ['"\\x"', /unknown escape/],
  ['/* never', /no closing/],
  ['"abc', /no closing quote/],
  ['', /expected a value, got the end/],
  ['[1] x', /expected the end of the document/],
]
for (const [text, message] of refused) {
  test(`rejects ${JSON.stringify(text)} with its location`, () => assert.throws(() => readDocument(text), message))
}

test('accepts the syntax of files of OpenIG: single quotes, line breaks in strings, commas at the end', () => {
  const text = `{ 'a': 'it\\'s "x"', // comment\n "b": "two\nlines\tand \\u0041", "c": [1, 2, ], }`
  assert.deepEqual(readDocument(text).value, { a: 'it\'s "x"', b: 'two\nlines\tand A', c: [1, 2] })
  assert.deepEqual(readDocument(text).locate('/b'), { line: 2, column: 2 })
  assert.throws(() => readDocument('[,]'), /expected a value, got ","/)
})

test('strict JSON has none of it', () => {
  for (const text of ["{'a': 1}", '{"a":1,}', '[1,]', '"a\nb"', "['a']"]) {
    assert.throws(() => parseJson(text), /not valid JSON/)
    assert.ok(syntaxErrorIn(text) !== null, text)
  }
  assert.equal(syntaxErrorIn('{"a": /* comment */ 1}'), null)
})

test('rejects 10,000 levels of nesting without a crash', () => {
  for (const text of ['['.repeat(10_000), '{"a":'.repeat(10_000)]) {
    assert.throws(() => readDocument(text), /nested more than 256 levels/)
    assert.throws(() => parseJson(text), /nested more than 256 levels/)
  }
  assert.throws(() => parseJson(`${'['.repeat(10_000)}${']'.repeat(10_000)}`), /nested more than 256 levels/)
})

test('B76: __proto__ is data, not a prototype', () => {
  for (const value of [readDocument('{"__proto__":{"polluted":1}}').value, parseJson('{"__proto__":{"polluted":1}}')]) {
    assert.deepEqual(Object.keys(value as object), ['__proto__'])
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
  }
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
})

test('locates a value by its pointer, or its nearest ancestor', () => {
  const document = readDocument('{\n  "a": {\n    "b/c": [10,\n 20]\n  }\n}')
  assert.deepEqual(document.locate('/a/b~1c'), { line: 3, column: 5 })
  assert.deepEqual(document.locate('/a/b~1c/1'), { line: 4, column: 2 })
  assert.deepEqual(document.locate('/a/missing/deeper'), { line: 2, column: 3 })
  assert.deepEqual(document.locate(''), { line: 1, column: 1 })
})

test('pointers format and parse', () => {
  assert.equal(formatPointer(['a/b', 0, 'c~d']), '/a~1b/0/c~0d')
  assert.deepEqual(parsePointer('/a~1b/0/c~0d'), ['a/b', '0', 'c~d'])
  assert.equal(parsePointer('a'), null)
})

test('canonical text does not depend on the order of keys', () => {
  assert.equal(canonicalJson({ b: [1, { d: 1, c: null }], a: 'x' }), '{"a":"x","b":[1,{"c":null,"d":1}]}')
})

test('JSONTestSuite: y_ parse, n_ are rejected, i_ never crash', {
  skip: !existsSync(corpus) && 'no corpora beside the checkout',
}, () => {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let seen = 0
  const ofFiles =
    /comment|trailing_comma|extra_comma|number_and_comma|single_quote|single_quoted|unescaped_(?:ctrl_char|newline|tab)/
  for (const name of readdirSync(corpus)) {
    const bytes = readFileSync(join(corpus, name))
    for (const parse of [parseJson, (text: string) => readDocument(text).value]) {
      let accepted = true
      try {
        parse(strict.decode(bytes))
      } catch (error) {
        accepted = false
        assert.ok(error instanceof Error && !(error instanceof RangeError), name)
      }
      // Configuration files may have more than JSON, but no duplicate members.
      if (name.startsWith('n_') && !(parse !== parseJson && ofFiles.test(name))) assert.equal(accepted, false, name)
      if (name.startsWith('y_') && !(name.includes('duplicated_key') && parse !== parseJson)) assert.ok(accepted, name)
    }
    seen++
  }
  assert.ok(seen > 300)
})
