// Arithmetic, comparison and printing of JSON numbers that are no doubles.
import assert from 'node:assert/strict'
import test from 'node:test'
import { JsonNumber, parseJson } from '#json'
import { compile, EvaluationError, scopeOf } from './index.ts'

const json = parseJson(
  '{"account":9007199254740993,"twin":9007199254740992,"negative":-9007199254740993,"long":123456789012345678901234567890,' +
    '"one":1.0,"price":10.50,"small":0.1,"power":1e2,"huge":1e400,"tiny":1e-400,"endless":1e999999999,"zero":0.0,"n":5,"list":[9007199254740993,1.0]}',
)
const scope = scopeOf({
  json,
  list: ['a', 'b', 'c'],
  text: '9007199254740993',
  digits: new JsonNumber('9'.repeat(2_000)),
})
const evaluate = (source: string): unknown => compile(source).evaluate(scope)

/** Printed results; a single expression keeps the type of its result. */
const printed: readonly (readonly [string, string])[] = [
  ['${json.account}', '9007199254740993'],
  ['${json.one}', '1.0'],
  ['${json.price}', '10.50'],
  ['${json.power}', '1e2'],
  ['${json.huge}', '1e400'],
  ['[${json.account}] [${json.one}]', '[9007199254740993] [1.0]'],
  ['x${json.list}', 'x[9007199254740993, 1.0]'],
  ['${toString(json.account)}', '9007199254740993'],
  ["${json.account.toString().concat('x')}", '9007199254740993x'],
  ["${join(json.list, ';')}", '9007199254740993;1.0'],
  ['${json.account + 1}', '9007199254740994'],
  ['${json.account - 1}', '9007199254740992'],
  ['${json.account * 2}', '18014398509481986'],
  ['${json.account % 10}', '3'],
  ['${json.twin + 1}', '9007199254740993'],
  ['${json.twin + json.twin}', '18014398509481984'],
  ['${1 - json.twin - json.twin}', '-18014398509481983'],
  ['${json.account / 3}', '3002399751580331'],
  ['${-json.account}', '-9007199254740993'],
  ['${-json.negative}', '9007199254740993'],
  ['${json.long * json.long}', '15241578753238836750495351562536198787501905199875019052100'],
  ['${9007199254740991 + 2}', '9007199254740993'],
  ['${9007199254740993}', '9007199254740993'],
  ['${9223372036854775807}', '9223372036854775807'],
  ['${text + 1}', '9007199254740994'],
  ['${json.one + 1}', '2.0'],
  ['${json.price + json.one}', '11.50'],
  ['${json.price * 2}', '21.00'],
  ['${json.small + json.one}', '1.1'],
  ['${json.power + 1}', '101'],
  ['${json.one / 2}', '0.5'],
  ['${json.price % 3}', '1.5'],
  ['${json.account + json.small}', '9007199254740993.1'],
  ["${json.one + '0.5'}", '1.5'],
  ['${json.account.longValue()}', '9007199254740993'],
  ['${json.one.intValue()}', '1'],
  ['${integer(json.account)}', '9007199254740993'],
  ['${integer(text)}', '9007199254740993'],
  ['${list[json.one]}', 'b'],
  ['${toJson(\'{"a":9007199254740993}\').a}', '9007199254740993'],
]

for (const [source, expected] of printed) {
  test(`${source} prints ${expected}`, () => {
    const value = evaluate(source)
    assert.equal(value === null ? '' : String(value), expected)
  })
}

const values: readonly (readonly [string, unknown])[] = [
  ["${json.account == '9007199254740993'}", true],
  ["${json.account == '9007199254740992'}", false],
  ["${json.twin == '9007199254740993'}", false],
  ["${json.twin == '9007199254740992'}", true],
  ['${json.account == json.twin}', false],
  ['${json.account != json.twin}', true],
  ['${json.account == 9007199254740993}', true],
  ['${json.account == 9007199254740992}', false],
  ["${text == '9007199254740993'}", true],
  ['${json.account > json.twin}', true],
  ['${json.twin < json.account}', true],
  ["${json.account >= '9007199254740994'}", false],
  ['${json.negative < 0}', true],
  ['${json.one == 1}', true],
  ["${json.one == '1'}", true],
  ["${json.one == '1.00'}", true],
  ["${json.price == '10.5'}", true],
  ['${json.power == 100}', true],
  ['${json.zero == 0}', true],
  ['${json.huge > json.long}', true],
  ['${json.tiny > 0}', true],
  ['${json.endless > json.huge}', true],
  ["${json.n == '5'}", true],
  ['${json.one == null}', false],
  ['${empty json.one}', false],
  ['${contains(json.list, json.account)}', true],
  ['${contains(json.list, json.twin)}', false],
  ['${contains(json.list, 1)}', true],
  ['${json.list.contains(1)}', true],
  ['${json.account.equals(json.twin)}', false],
  ['${json.account.compareTo(json.twin)}', 1],
  ['${json.account.doubleValue()}', 9007199254740992],
  ['${json.n + 1}', 6],
  ["${find(json.account, '3$')}", true],
  ["${matches(json.one, '^1[.]0$')}", true],
]

for (const [source, expected] of values) {
  test(`${source} is ${String(expected)}`, () => assert.equal(evaluate(source), expected))
}

const failures = [
  '${json.account / 0}',
  '${json.account % json.zero}',
  '${json.one and true}',
  '${json.one ? 1 : 2}',
  "${json.account == 'abc'}",
  '${json.endless + 1}',
  '${json.endless * json.endless}',
  '${digits + 1}',
]

for (const source of failures) {
  test(`${source} fails`, () => assert.throws(() => evaluate(source), EvaluationError))
}

test('results that a double represents exactly are doubles', () => {
  for (const source of [
    '${json.account - json.twin}',
    '${json.power * 3}',
    '${1 + 1}',
    "${'1' + '2'}",
    '${0.1 + 0.2}',
  ]) {
    assert.equal(typeof evaluate(source), 'number', source)
  }
  assert.equal(evaluate('${0.1 + 0.2}'), 0.1 + 0.2)
})

test('no number makes an expression run for long', () => {
  const before = process.threadCpuUsage()
  const long = scopeOf({ a: new JsonNumber('9'.repeat(1_000_000)), b: new JsonNumber(`1e${'9'.repeat(100)}`) })
  for (const source of ['${a == b}', '${a < b}', '${a + b}', '${a * a}', '${b * b}', '${a / b}', '${a % b}', '${-a}']) {
    try {
      compile(source).evaluate(long)
    } catch (error) {
      assert.ok(error instanceof EvaluationError, source)
    }
  }
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 500_000, `took ${user + system} µs`)
})
