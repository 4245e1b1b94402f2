import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TicketSecrets } from './ticket-secrets.ts'

test('all threads read the same secrets: the current and the previous one', () => {
  const secrets = TicketSecrets.create()
  const unit = new TicketSecrets(secrets.memory)
  assert.equal(unit.generation, 1)
  assert.equal(unit.copy(0), null)
  const first = unit.copy(1)
  assert.equal(first?.length, 32)
  assert.notDeepEqual(first, Buffer.alloc(32))

  secrets.rotate()
  assert.equal(unit.generation, 2)
  assert.deepEqual(unit.copy(1), first)
  assert.notDeepEqual(unit.copy(2), first)

  secrets.rotate()
  assert.equal(unit.copy(1), null)
  assert.equal(unit.copy(4), null)
  for (let round = 0; round < 10; round++) secrets.rotate()
  const { generation } = unit
  assert.deepEqual(
    [generation - 2, generation - 1, generation].map((each) => unit.isValid(each)),
    [false, true, true],
  )
})

test('a copy is independent of later rotations', () => {
  const secrets = TicketSecrets.create()
  const copy = secrets.copy(1)!
  const before = Buffer.from(copy)
  for (let round = 0; round < 3; round++) secrets.rotate()
  assert.deepEqual(copy, before)
})

test('secrets of another process stay valid in one that takes over; bytes of another form are not used', () => {
  const secrets = TicketSecrets.create()
  secrets.rotate()
  const inherited = TicketSecrets.inherit(new Uint8Array(secrets.memory))
  assert.equal(inherited.generation, 2)
  assert.deepEqual([inherited.copy(1), inherited.copy(2)], [secrets.copy(1), secrets.copy(2)])
  secrets.rotate()
  assert.equal(inherited.generation, 2)
  assert.equal(TicketSecrets.inherit(new Uint8Array(7)).generation, 1)
})
