import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PermitTable } from '#contracts'
import { ConnectionPermits } from './connection-permits.ts'

test('permits of a unit that has ended go to a unit that waits, and are free otherwise', () => {
  const permits = new ConnectionPermits(2)
  const [first, second] = [{ number: 0 }, { number: 1 }]
  const opened = permits.open('a server', 2, first)
  assert.deepEqual([opened.units, opened.unit], [2, 0])
  const lost = new PermitTable(opened.memory, 2, 0)
  const waiting = new PermitTable(permits.open('a server', 2, second).memory, 2, 1)
  assert.deepEqual([lost.acquire(), lost.acquire(), waiting.acquire()], [true, true, false])
  waiting.setDemand(1)
  permits.ended(first)
  assert.equal(waiting.adoptGranted(), 1)
  assert.equal(waiting.acquire(), true)
  // The thread that replaces it uses the same memory.
  assert.equal(permits.open('a server', 2, { number: 0 }).memory, opened.memory)
})

test('a permit that was handed to a unit after its end is free when its number is used again', () => {
  const permits = new ConnectionPermits(2)
  const [first, second] = [{ number: 0 }, { number: 1 }]
  const { memory } = permits.open('a server', 1, first)
  const other = new PermitTable(permits.open('a server', 1, second).memory, 2, 1)
  permits.ended(first)
  assert.equal(other.acquire(), true)
  // It had read that the first one waits before that ended.
  new PermitTable(memory, 2, 0).setDemand(1)
  other.release()
  assert.equal(other.acquire(), false)
  const successor = { number: 0 }
  const own = new PermitTable(permits.open('a server', 1, successor).memory, 2, 0)
  assert.equal(own.adoptGranted(), 0)
  assert.equal(other.acquire(), true)
  // The second version of a route in the same unit takes nothing from the first.
  other.release()
  assert.equal(own.acquire(), true)
  permits.open('a server', 1, successor)
  assert.equal(other.acquire(), false)
})
