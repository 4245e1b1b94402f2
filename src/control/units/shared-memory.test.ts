import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedMemory } from './shared-memory.ts'

test('all holders of a key share one memory', () => {
  const memory = new SharedMemory()
  const [first, second] = [{}, {}]
  const acquired = memory.acquire('a', 8, first)
  assert.equal(memory.acquire('a', 8, second), acquired)
  assert.notEqual(memory.acquire('b', 8, first), acquired)
})

test('memory is retained until its last holder releases it', () => {
  const memory = new SharedMemory()
  const [first, second] = [{}, {}]
  const acquired = memory.acquire('a', 8, first)
  memory.acquire('a', 8, second)
  memory.release('a', first)
  assert.equal(memory.acquire('a', 8, first), acquired)
  memory.release('a', first)
  memory.release('a', second)
  assert.notEqual(memory.acquire('a', 8, first), acquired)
})

test('a holder that acquired memory twice must release it twice', () => {
  const memory = new SharedMemory()
  const holder = {}
  const acquired = memory.acquire('a', 8, holder)
  memory.acquire('a', 8, holder)
  memory.release('a', holder)
  assert.equal(memory.acquire('a', 8, holder), acquired)
})

test('an ended holder releases all of its memory', () => {
  const memory = new SharedMemory()
  const [first, second] = [{}, {}]
  const own = memory.acquire('own', 8, first)
  const common = memory.acquire('common', 8, first)
  memory.acquire('common', 8, second)
  memory.releaseAll(first)
  assert.equal(memory.acquire('common', 8, first), common)
  assert.notEqual(memory.acquire('own', 8, first), own)
})

test('releasing an unknown key is a no-op', () => {
  const memory = new SharedMemory()
  const holder = {}
  const acquired = memory.acquire('a', 8, holder)
  memory.release('b', holder)
  memory.release('a', {})
  memory.releaseAll({})
  assert.equal(memory.acquire('a', 8, {}), acquired)
})

test('memory of another size under the same key is separate', () => {
  const memory = new SharedMemory()
  const [first, second] = [{}, {}]
  const small = memory.acquire('a', 8, first)
  const large = memory.acquire('a', 16, second)
  assert.deepEqual([small.byteLength, large.byteLength], [8, 16])
  memory.release('a', first)
  assert.deepEqual(memory.heldBy(second), [large])
  assert.notEqual(memory.acquire('a', 8, first), small)
})
