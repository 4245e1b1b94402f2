import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onceEvery } from './index.ts'

test('admits the first of a kind and then one for each interval, with the number held back', () => {
  let now = 0
  const guard = onceEvery({ now: () => now }, 1000)

  assert.equal(guard.admit('a'), 0)
  assert.equal(guard.admit('a'), null)
  assert.equal(guard.admit('b'), 0)
  now = 999
  assert.equal(guard.admit('a'), null)
  now = 1000
  assert.equal(guard.admit('a'), 2)
})

test('forgets the oldest key when a thousand are remembered', () => {
  const guard = onceEvery({ now: () => 0 }, 1000)
  for (let i = 0; i <= 1000; i++) guard.admit(String(i))

  assert.equal(guard.admit('0'), 0)
  assert.equal(guard.admit('1000'), null)
})
