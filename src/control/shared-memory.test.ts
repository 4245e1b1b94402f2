import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedMemory } from './shared-memory.ts'

test('all holders of a key share one memory', () => {
  const memory = new SharedMemory()
  const [first, second] = [{}, {}]
  const taken = memory.take('a', 8, first)
  assert.equal(memory.take('a', 8, second), taken)
  assert.notEqual(memory.take('b', 8, first), taken)
})

test('memory is retained until its last holder releases it', () => {
  const memory = new SharedMemory()
  const [first, second] = [{}, {}]
  const taken = memory.take('a', 8, first)
  memory.take('a', 8, second)
  memory.release('a', first)
  assert.equal(memory.take('a', 8, first), taken)
  memory.release('a', first)
  memory.release('a', second)
  assert.notEqual(memory.take('a', 8, first), taken)
})

test('a holder that acquired memory twice must release it twice', () => {
  const memory = new SharedMemory()
  const holder = {}
  const taken = memory.take('a', 8, holder)
  memory.take('a', 8, holder)
  memory.release('a', holder)
  assert.equal(memory.take('a', 8, holder), taken)
})

test('an ended holder releases all of its memory', () => {
  const memory = new SharedMemory()
  const [first, second] = [{}, {}]
  const own = memory.take('own', 8, first)
  const common = memory.take('common', 8, first)
  memory.take('common', 8, second)
  memory.releaseAll(first)
  assert.equal(memory.take('common', 8, first), common)
  assert.notEqual(memory.take('own', 8, first), own)
})

test('releasing an unknown key is a no-op', () => {
  const memory = new SharedMemory()
  memory.release('a', {})
  memory.releaseAll({})
})
