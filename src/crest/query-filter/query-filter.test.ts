import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { JsonValue } from '#json'
import { threadTime } from '#test/loop-watch'
import { evaluate, matches } from './evaluate.ts'
import { OPERATORS, type QueryFilter, QueryFilterError } from './filter.ts'
import { parseQueryFilter } from './parser.ts'
import { printQueryFilter } from './print.ts'

const pointer = fc.array(fc.string({ unit: 'binary' }), { maxLength: 4 })
const assertion = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
)
const keyword = /^(?:and|or|pr|eq|co|sw|lt|le|gt|ge)$/i
const extended = fc.stringMatching(/^[#-&*-~][!#-&*-~]{0,9}$/).filter((name) => !keyword.test(name))
const operator = fc.oneof(fc.constantFrom(...OPERATORS), extended)

const plain = { noNullPrototype: true }
const { filter } = fc.letrec<{ filter: QueryFilter; list: QueryFilter[] }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.record({ kind: fc.constant('literal' as const), value: fc.boolean() }, plain),
    fc.record({ kind: fc.constant('present' as const), pointer }, plain),
    fc.record({ kind: fc.constant('comparison' as const), pointer, operator, value: assertion }, plain),
    fc.record({ kind: fc.constant('not' as const), filter: tie('filter') }, plain),
    fc.record({ kind: fc.constantFrom('and' as const, 'or' as const), filters: tie('list') }, plain),
  ),
  list: fc.array(tie('filter'), { minLength: 2, maxLength: 4 }),
}))

describe('query filter', () => {
  test('a printed filter is parsed as the same filter', () => {
    fc.assert(fc.property(filter, (value) => assert.deepEqual(parseQueryFilter(printQueryFilter(value)), value)))
  })

  test('any text is parsed or rejected with a position', () => {
    const noise = fc.array(
      fc.constantFrom('(', ')', '!', ' ', 'a', '/b', 'eq', 'pr', 'and', 'or', '"x"', "'", '\\', '1', '%', '~'),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          noise.map((parts) => parts.join('')),
          noise.map((parts) => parts.join(' ')),
          fc.string(),
        ),
        (text) => {
          try {
            parseQueryFilter(text)
          } catch (error) {
            assert.ok(error instanceof QueryFilterError)
          }
        },
      ),
    )
  })

  const reads: readonly (readonly [string, string])[] = [
    ['a eq 1', '/a eq 1'],
    ['/a/b EQ "x"', '/a/b eq "x"'],
    ["parent/child sw 'it\\'s'", '/parent/child sw "it\'s"'],
    ['a eq "\\u0041\\n\\\\"', '/a eq "A\\n\\\\"'],
    ['a pr and b pr or c pr', '/a pr and /b pr or /c pr'],
    ['a pr and (b pr or c pr)', '/a pr and (/b pr or /c pr)'],
    ['!a pr', '!(/a pr)'],
    ['!(a pr)', '!(/a pr)'],
    ['! a eq true', '!(/a eq true)'],
    ['((true))', 'true'],
    ['FALSE', 'false'],
    ['/true eq 1', '/true eq 1'],
    ['a%20b/c~1d eq -1.5e3', '/a%20b/c~1d eq -1500'],
    ['a matches.Regex "x"', '/a matches.Regex "x"'],
    ['/ pr', '/ pr'],
    ['/a/ pr', '/a pr'],
  ]
  for (const [text, printed] of reads) {
    test(`${text} is read as ${printed}`, () => assert.equal(printQueryFilter(parseQueryFilter(text)), printed))
  }

  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /character 1: expected a field, .* got the end/],
    ['a', /expected an operator after the field, got the end/],
    ['a eq', /expected a value after the operator/],
    ['a eq null', /expected a number, true, false or a text in double quotes, got "null"/],
    ['a eq 1 b', /expected "and", "or" or the end, got "b"/],
    ['a eq 01', /expected a number/],
    ['a eq 1e999', /too large/],
    ['a eq "x', /character 6: this string has no closing quote/],
    ['a eq "x\\"', /no closing quote/],
    ['a eq "\\x"', /unknown escape "\\x"/],
    ['a eq "\\u12"', /four hex digits/],
    ['a eq "x"y', /after the string/],
    ['a"b eq 1', /a quote inside a word/],
    ['a~2 pr', /JSON pointer/],
    ['a%zz pr', /JSON pointer/],
    ['!!a pr', /expected a field/],
    ['(a pr', /expected "\)"/],
    ['a pr)', /expected "and", "or" or the end, got "\)"/],
    ['a and b', /expected an operator/],
    ['a é 1', /ASCII/],
  ]
  for (const [text, message] of refused) {
    test(`${JSON.stringify(text)} is rejected: ${message.source}`, () => {
      assert.throws(
        () => parseQueryFilter(text),
        (error) => error instanceof QueryFilterError && message.test(error.message),
      )
    })
  }

  test('B79: depth and length are limited, and rejection is fast', () => {
    const started = threadTime()
    assert.throws(() => parseQueryFilter('('.repeat(100_000)), /longer than 16384 characters/)
    assert.throws(() => parseQueryFilter('('.repeat(16_000)), /nested more than 256 levels/)
    assert.throws(() => parseQueryFilter('!('.repeat(8_000)), /nested more than 256 levels/)
    assert.doesNotThrow(() => parseQueryFilter(`${'('.repeat(256)}true${')'.repeat(256)}`))
    assert.ok(threadTime() - started < 500)
  })
})

describe('matching', () => {
  const resource: JsonValue = {
    name: 'Anna',
    age: 42,
    active: true,
    nothing: null,
    tags: ['Red', 'green', 7],
    empty: [],
    parent: { child: 'x' },
    list: [{ a: 1 }],
  }
  const rows: readonly (readonly [string, boolean])[] = [
    ['name eq "anna"', true],
    ['name co "NN"', true],
    ['name sw "an"', true],
    ['name sw "na"', false],
    ['name lt "b"', true],
    ['age ge 42', true],
    ['age gt 42', false],
    ['age le 42', true],
    ['age lt 42.5', true],
    ['age eq "42"', false],
    ['age co 42', true],
    ['active eq true', true],
    ['active gt false', true],
    ['name pr', true],
    ['nothing pr', false],
    ['nothing eq 1', false],
    ['missing pr', false],
    ['missing eq 1', false],
    ['!(missing eq 1)', true],
    ['tags eq "red"', true],
    ['tags eq 7', true],
    ['tags eq 8', false],
    ['empty eq 1', false],
    ['tags/1 eq "green"', true],
    ['parent/child eq "x"', true],
    ['/parent/child/x pr', false],
    ['list/0/a eq 1', true],
    ['/ pr', true],
    ['parent eq "x"', false],
    ['true', true],
    ['false', false],
    ['!(false)', true],
    ['name eq "anna" and age eq 1 or active eq true', true],
    ['age unknown 1', false],
    ['!(age unknown 1)', false],
    ['age unknown 1 or true', true],
    ['!(age unknown 1 and false)', true],
    ['age unknown 1 or false', false],
    ['__proto__ pr', false],
    ['constructor/prototype pr', false],
    ['name/length pr', false],
    ['age toString 1', false],
  ]
  for (const [text, expected] of rows) {
    test(`${text}: ${expected}`, () => assert.equal(matches(parseQueryFilter(text), resource), expected))
  }

  test('an unknown operator is neither true nor false', () => {
    assert.equal(evaluate(parseQueryFilter('a unknown 1'), {}), undefined)
  })

  test('a provider can define further operators', () => {
    const operators = {
      divides: (value: JsonValue, by: unknown) => typeof value === 'number' && value % Number(by) === 0,
    }
    assert.equal(matches(parseQueryFilter('age divides 6'), resource, operators), true)
    assert.equal(matches(parseQueryFilter('!(age divides 5)'), resource, operators), true)
  })
})
