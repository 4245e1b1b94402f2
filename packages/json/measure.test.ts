import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { JsonLimitError, type JsonValue, measureJson, parseJson } from './index.ts'

const UNLIMITED = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY }

/** Reference implementation: counts the parsed value. */
function walked(value: JsonValue): { values: number; members: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { values: 1, members: 0, depth: 0 }
  const inner = Object.values(value).map((each) => walked(each as JsonValue))
  return {
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
    members: (Array.isArray(value) ? 0 : inner.length) + inner.reduce((sum, { members }) => sum + members, 0),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  }
}

test('values of a text are counted without parsing it into objects', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1), (value, space) => {
      const text = JSON.stringify(value, null, space)
      const { values, members, depth } = walked(value as JsonValue)
      const { mayHoldExactNumbers: _, ...measured } = measureJson(text, UNLIMITED)
      assert.deepEqual(measured, { values, members, excess: null })
      assert.equal(measureJson(text, { depth, values }).excess, null)
      assert.equal(measureJson(text, { depth, values: values - 1 }).excess?.limit, values === 1 ? undefined : 'values')
      assert.equal(measureJson(text, { depth: depth - 1, values }).excess?.limit, depth === 0 ? undefined : 'depth')
    }),
    { numRuns: 500 },
  )
})

test('quotes and brackets within strings are not counted, with any escapes', () => {
  const texts = ['"', '\\', '\\"', '[[[', ',,,', '\\\\', '{":'].map((text) => JSON.stringify(text))
  for (const text of texts) {
    assert.deepEqual(
      measureJson(`[${text},${text}]`, UNLIMITED),
      { values: 3, members: 0, mayHoldExactNumbers: false, excess: null },
      text,
    )
  }
})

test('a text that is too deep or has too many values is rejected with the position', () => {
  assert.throws(() => parseJson('[[[]]]', { depth: 2 }), { name: 'JsonSyntaxError', limit: 'depth', offset: 2 })
  assert.throws(() => parseJson('[1,\n2]', { values: 2 }), /line 1, column 3: more than 2 values/)
  assert.throws(() => parseJson('['.repeat(300)), JsonLimitError)
  assert.deepEqual(parseJson('[1,2]', { values: 3 }), [1, 2])
})

test('texts of many quotes, backslashes or brackets are measured in linear time', () => {
  const long = 1_000_000
  const before = process.threadCpuUsage()
  for (const text of [
    '"'.repeat(long),
    `"${'\\'.repeat(long)}"`,
    '\\"'.repeat(long),
    '[]'.repeat(long),
    `"${'\\"'.repeat(long)}`,
  ]) {
    measureJson(text, UNLIMITED)
  }
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 2_000_000, `took ${user + system} µs`)
})
