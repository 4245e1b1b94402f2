// Numbers of a route stay as they are written, also those that are no JavaScript numbers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copiedText, objectsIn, pasted } from './canvas-clipboard.ts'
import { inserted, valueAt } from './canvas-edits.ts'
import { isExactNumber, numberOf, parseExact } from './exact-values.ts'
import { withValue } from './route-document.ts'
import { smallestEdit } from './smallest-edit.ts'
import { structureDiff } from './structure-diff.ts'

const OBJECT = '{ "type": "T", "config": { "big": 9007199254740993, "exact": 1.50, "power": 1E400, "plain": 7 } }'
const NUMBERS = ['9007199254740993', '1.50', '1E400', '7']

function hasNumbers(text: string): void {
  for (const number of NUMBERS) assert.ok(text.includes(`: ${number}`), `${number} in ${text}`)
}

test('a number is exact where a JavaScript number is written otherwise', () => {
  assert.deepEqual([numberOf('7'), numberOf('-0.5'), numberOf('0x10')], [7, -0.5, 16])
  for (const source of ['9007199254740993', '1.50', '-0', '1E400']) {
    assert.ok(isExactNumber(numberOf(source)), source)
    assert.equal(JSON.stringify(parseExact(`[${source}]`)), `[${source}]`)
  }
})

test('numbers stay when an object is changed as a whole, copied, and pasted', () => {
  const text = `{ "handler": ${OBJECT} }`
  const before = valueAt(text, ['handler', 'config'])
  const typed = JSON.stringify(before, null, 2).replace('"plain"', '"other": [1.0], "plain"')
  const { path, value } = smallestEdit(before, parseExact(typed))
  const edited = withValue(text, ['handler', 'config', ...path], value)
  hasNumbers(edited)
  assert.match(edited, /1\.0\b/)
  const copied = copiedText(text, [['handler']]) ?? ''
  hasNumbers(copied)
  hasNumbers(pasted('{}', objectsIn(copied), () => null, null))
  hasNumbers(inserted(text, 'Filter', 'Marked', null))
})

test('numbers that are the same JavaScript number are a difference', () => {
  const other = OBJECT.replace('9007199254740993', '9007199254740992')
  const [change, ...more] = structureDiff(`{ "handler": ${OBJECT} }`, `{ "handler": ${other} }`) ?? []
  assert.deepEqual([change?.pointer, more.length], ['/handler/config/big', 0])
  const edit = smallestEdit(valueAt(OBJECT, ['config']), valueAt(other, ['config']))
  assert.deepEqual([edit.path, JSON.stringify(edit.value)], [['big'], '9007199254740992'])
})
