import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { jsonNumber } from '#json'
import { type Json, substituteTokens } from './index.ts'

const known: Readonly<Record<string, Json>> = {
  port: '8080',
  host: 'example.com',
  env: 'dev',
  'dev.url': 'http://dev',
  count: 3,
  on: true,
  large: jsonNumber('12345678901234567890'),
  flags: { a: true },
  names: ['a', 'b'],
}
const resolve = (token: string): Json | undefined => (Object.hasOwn(known, token) ? known[token] : undefined)
const substituted = (document: Json): Json => {
  const { value, problems } = substituteTokens(document, resolve)
  assert.deepEqual(problems, [])
  return value
}

const results: readonly (readonly [Json, Json])[] = [
  ['&{port}', '8080'],
  ['http://&{host}:&{port}/', 'http://example.com:8080/'],
  ['&{absent|fallback}', 'fallback'],
  ['&{absent|}', ''],
  ['&{port|1}', '8080'],
  ['&{&{env}.url}', 'http://dev'],
  ['&{absent|&{host}}', 'example.com'],
  ['&{port|&{absent}}', '8080'],
  ['&{absent|a|b}', 'a|b'],
  ['\\&{port}', '&{port}'],
  ['a\\&{port}b&{port}', 'a&{port}b8080'],
  ['&{count}', '3'],
  ['&{on}', 'true'],
  ['&{large}', '12345678901234567890'],
  ['&{absent|&{count}}', '3'],
  [{ $int: '&{count}' }, 3],
  [{ $bool: '&{on}' }, true],
  ['n=&{count}', 'n=3'],
  ['&{flags}', { a: true }],
  ['&{names}', ['a', 'b']],
  ['f=&{flags}', 'f={"a":true}'],
  ['no tokens & {x}', 'no tokens & {x}'],
  ['${request.uri.path}', '${request.uri.path}'],
  [
    [1, null, true, '&{port}'],
    [1, null, true, '8080'],
  ],
  [{ a: { b: ['&{host}'] } }, { a: { b: ['example.com'] } }],
  [{ $int: '&{port|1}' }, 8080],
  [{ $int: ' -5 ' }, -5],
  [{ $number: '1.5' }, 1.5],
  [{ $bool: 'TRUE' }, true],
  [{ $bool: '&{absent|false}' }, false],
  [{ $string: 5 }, '5'],
  [{ $string: '&{flags}' }, '{"a":true}'],
  [{ $list: 'a, b ,c' }, ['a', 'b', 'c']],
  [{ $list: '' }, []],
  [{ $array: '[1,"&{host}"]' }, [1, 'example.com']],
  [{ $object: '{"a":1}' }, { a: 1 }],
  [{ $encodeBase64: 'hé' }, 'aMOp'],
  [{ $decodeBase64: 'aMOp' }, 'hé'],
  [{ $int: { $decodeBase64: 'ODA4MA==' } }, 8080],
  [{ x: { $list: { $decodeBase64: 'YSxi' } } }, { x: ['a', 'b'] }],
  [
    { $int: '1', other: 2 },
    { $int: '1', other: 2 },
  ],
]

for (const [document, expected] of results) {
  test(`${JSON.stringify(document)} becomes ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(substituted(document), expected)
  })
}

const problems: readonly (readonly [Json, string, RegExp])[] = [
  [{ a: ['&{absent}'] }, '/a/0', /the token "absent" has no value/],
  [{ 'a/b~c': '&{absent}' }, '/a~1b~0c', /absent/],
  ['&{port', '', /no closing/],
  ['&{absent|&{other}}', '', /"other" has no value/],
  [{ p: { $int: 'x' } }, '/p', /\$int: expected a whole number/],
  [{ p: { $int: '1.5' } }, '/p', /whole number/],
  [{ p: { $bool: 'yes' } }, '/p', /true or false/],
  [{ p: { $object: '[1]' } }, '/p', /JSON object/],
  [{ p: { $array: '{' } }, '/p', /not JSON/],
  [{ p: { $decodeBase64: '*' } }, '/p', /base64/],
  [{ p: { $list: 5 } }, '/p', /expected a string/],
]

for (const [document, pointer, message] of problems) {
  test(`${JSON.stringify(document)} is a problem at "${pointer}"`, () => {
    const found = substituteTokens(document, resolve).problems
    assert.equal(found.length, 1)
    assert.equal(found[0]!.pointer, pointer)
    assert.match(found[0]!.message, message)
  })
}

test('a message about an invalid value does not contain the value, which may be a secret', () => {
  const { problems: found } = substituteTokens({ $int: 'hunter2' }, resolve)
  assert.doesNotMatch(found[0]!.message, /hunter2/)
})

test('the value of a token is not searched for tokens again', () => {
  const { value } = substituteTokens('&{a}', () => '&{b}')
  assert.equal(value, '&{b}')
})

test('__proto__ stays data', () => {
  const document = JSON.parse('{"__proto__": {"x": "&{port}"}}') as Json
  const value = substituted(document) as object
  assert.equal(Object.getPrototypeOf(value), Object.prototype)
  assert.equal(JSON.stringify(value), '{"__proto__":{"x":"8080"}}')
})

test('the depth of documents and tokens is limited', () => {
  let deep: Json = 'x'
  for (let level = 0; level < 10_000; level += 1) deep = [deep]
  assert.match(substituteTokens(deep, resolve).problems[0]!.message, /nested deeper/)
  const nested = '&{a|'.repeat(1000) + '}'.repeat(1000)
  assert.match(substituteTokens(nested, resolve).problems[0]!.message, /nested deeper/)
})

test('a document without tokens and transformations stays unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (document) => {
      const text = JSON.stringify(document)
      fc.pre(!text.includes('&{') && !text.includes('"$'))
      const { value, problems: found } = substituteTokens(JSON.parse(text) as Json, resolve)
      return found.length === 0 && JSON.stringify(value) === text
    }),
  )
})
