import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentValues } from './recent-values.ts'

const remembered = (values: RecentValues<string>, texts: readonly string[]) =>
  texts.filter((text) => values.get(text) === `value of ${text}`)

function valuesOf(...texts: readonly string[]): RecentValues<string> {
  const values = new RecentValues<string>()
  for (const text of texts) values.set(text, `value of ${text}`)
  return values
}

test('a value is remembered for its text alone', () => {
  const values = valuesOf('one')
  assert.equal(values.get('one'), 'value of one')
  assert.deepEqual([values.get('One'), values.get('one '), values.get('')], [undefined, undefined, undefined])
})

test('a text that is used no more is forgotten after two intervals', () => {
  const values = valuesOf('idle', 'busy')
  values.forget()
  values.get('busy')
  values.forget()
  assert.equal(values.size, 1)
  assert.deepEqual(remembered(values, ['idle', 'busy']), ['busy'])
  values.forget()
  values.forget()
  assert.equal(values.size, 0)
})

test('many texts, and long ones, take bounded memory', () => {
  const values = valuesOf(...Array.from({ length: 10_000 }, (_, at) => `token-${at}`))
  assert.ok(values.size <= 2_000, `${values.size} values`)
  const before = values.size
  values.set('x'.repeat(4_097), 'long')
  assert.equal(values.size, before)
  assert.equal(values.get('x'.repeat(4_097)), undefined)
})
