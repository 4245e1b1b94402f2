import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followed } from './served-text.ts'
import { edited, startHistory } from './text-history.ts'

const FIRST = { _source: 'first', _sourceRev: '1' }
const SECOND = { _source: 'second', _sourceRev: '2' }

test('a route that does not exist has no text until one is created, and then that of the draft', () => {
  assert.equal(followed(null, null, null), null)
  assert.equal(followed(startHistory('a draft'), null, null), null)
  assert.equal(followed(startHistory('first'), FIRST, null), null)
})

test('a text without changes follows the one that is served, and a draft stays', () => {
  assert.equal(followed(null, null, FIRST)?.text, 'first')
  assert.equal(followed(startHistory('first'), FIRST, FIRST), null)
  assert.equal(followed(startHistory('first'), FIRST, SECOND)?.text, 'second')
  assert.equal(followed(startHistory('a draft'), FIRST, SECOND), null)
  assert.equal(followed(startHistory('a draft'), null, SECOND), null)
})

test('a draft whose text was deployed elsewhere is based on it, and can be undone', () => {
  const draft = edited(startHistory('first'), 'second', true, 0)
  assert.deepEqual(followed(draft, FIRST, SECOND), draft)
})
