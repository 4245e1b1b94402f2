import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  canonicalJson,
  compareNumbers,
  copyJson,
  deepFreeze,
  JsonNumber,
  type JsonValue,
  jsonNumber,
  measureJson,
  numberValue,
  parseJson,
  readDocument,
} from './index.ts'

const EXACT = [
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '123456789012345678901234567890',
  '1.0',
  '0.10',
  '-0',
  '-0.0',
  '1e2',
  '1E+2',
  '1e400',
  '1e-400',
  '0.0000001',
  '0.1234567890123456789',
  '100000000000000000000000',
]

const PLAIN = ['0', '1', '-1', '0.1', '-12.5', '9007199254740991', '1735689600', '123456789.125', '1e+21', '1e-7']

test('a number that a double would change stays as written, every other is a double', () => {
  for (const read of [(text: string) => parseJson(text), (text: string) => readDocument(text).value]) {
    for (const text of EXACT) {
      assert.deepEqual(read(text), new JsonNumber(text), text)
      assert.deepEqual(read(`{"a":[${text},1]}`), { a: [new JsonNumber(text), 1] }, text)
    }
    for (const text of PLAIN) assert.equal(read(text), Number(text), text)
  }
})

test('parsed numbers are serialised unchanged, at any depth', () => {
  const text = `{"a":[${[...EXACT, ...PLAIN].join(',')}],"b":{"c":${EXACT[0]}}}`
  const value = parseJson(text)
  assert.equal(JSON.stringify(value), text)
  assert.equal(JSON.stringify(copyJson(value)), text)
  assert.equal(JSON.stringify(deepFreeze(value)), text)
  assert.equal(canonicalJson(value), text)
  assert.equal(JSON.stringify(readDocument(text).value), text)
  assert.equal(JSON.stringify({ value: new JsonNumber('1.0') }, null, 2), '{\n  "value": 1.0\n}')
})

test('numbers of any spelling are serialised unchanged, and the measure counts all of them', () => {
  const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,24})$/)
  const spelling = fc
    .tuple(
      fc.constantFrom('', '-'),
      digits,
      fc.stringMatching(/^(?:\.\d{1,20})?$/),
      fc.stringMatching(/^(?:[eE][+-]?\d{1,3})?$/),
    )
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.array(spelling, { minLength: 1, maxLength: 5 }), (numbers) => {
      const text = `[${numbers.join(',')}]`
      assert.equal(JSON.stringify(parseJson(text)), text)
      const exact = numbers.some((each) => jsonNumber(each) instanceof JsonNumber)
      if (exact) assert.ok(measureJson(text, { depth: 9, values: 99 }).mayHoldExactNumbers)
    }),
    { numRuns: 2_000 },
  )
})

test('ordinary documents are parsed by JSON.parse without a reviver', () => {
  const limits = { depth: 9, values: 99 }
  for (const text of ['{"exp":1735689600,"price":12.75,"at":1735689600123}', '[0,-1,0.5,"1.0","1e5"]', '[0.000001]']) {
    assert.equal(measureJson(text, limits).mayHoldExactNumbers, false, text)
  }
})

test('converts to its literal as text, and to the nearest double as number', () => {
  const number = new JsonNumber('1.50')
  assert.equal(`${number}`, '1.50')
  assert.equal(numberValue(number), 1.5)
  assert.equal(numberValue(2), 2)
  assert.equal(numberValue('2'), null)
  assert.equal(numberValue(null), null)
  assert.equal(jsonNumber('1.5'), 1.5)
  assert.equal(new JsonNumber('12').isInteger, true)
  assert.equal(number.isInteger, false)
})

test('numbers are compared by their exact values', () => {
  const rising = [
    '-1e400',
    '-9007199254740993',
    '-9007199254740992',
    '-1',
    '-0.10',
    '-0.0',
    '1e-400',
    '0.1',
    '0.10000000000000000001',
    '1.0',
    '2',
    '9007199254740992',
    '9007199254740993',
    '9007199254740993.5',
    '1e17',
    '1e400',
    '1e401',
  ]
  for (const [at, left] of rising.entries()) {
    for (const [to, right] of rising.entries()) {
      assert.equal(
        Math.sign(compareNumbers(jsonNumber(left), jsonNumber(right))),
        Math.sign(at - to),
        `${left} ${right}`,
      )
    }
  }
  for (const [left, right] of [
    ['1', '1.0'],
    ['1e2', '100'],
    ['0', '-0.0'],
    ['0.1', '1e-1'],
    ['12345678901234567890', '12345678901234567890.000'],
  ] as const) {
    assert.equal(compareNumbers(new JsonNumber(left), jsonNumber(right)), 0)
  }
  const numbers = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n })
  fc.assert(
    fc.property(numbers, numbers, (left, right) => {
      const order = compareNumbers(jsonNumber(String(left)), jsonNumber(String(right)))
      assert.equal(Math.sign(order), left < right ? -1 : left > right ? 1 : 0)
    }),
  )
})

test('a number of the size of a body is compared within a time limit', () => {
  const long = (end: string): JsonValue => new JsonNumber(`1${'0'.repeat(1_000_000)}${end}`)
  const before = process.threadCpuUsage()
  assert.ok(compareNumbers(long('1') as JsonNumber, long('2') as JsonNumber) < 0)
  assert.ok(compareNumbers(new JsonNumber(`0.${'0'.repeat(1_000_000)}1`), 1) < 0)
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 500_000, `took ${user + system} µs`)
})
