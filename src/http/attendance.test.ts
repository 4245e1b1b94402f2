import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Attendance, type Attendee } from './attendance.ts'

class Guest implements Attendee {
  slot = -1
}

describe('Attendance', () => {
  it('knows who is there, whatever the order of coming and going', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 200 }), (moves) => {
        const guests = Array.from({ length: 10 }, () => new Guest())
        const attendance = new Attendance<Guest>()
        const model = new Set<Guest>()
        for (const move of moves) {
          const guest = guests[move]!
          if (model.delete(guest)) attendance.leave(guest)
          else {
            model.add(guest)
            attendance.enter(guest)
          }
        }
        assert.equal(attendance.size, model.size)
        assert.deepEqual(new Set(attendance.all()), model)
      }),
    )
  })

  it('takes a second farewell for none', () => {
    const attendance = new Attendance<Guest>()
    const [first, second] = [new Guest(), new Guest()]
    attendance.enter(first)
    attendance.enter(second)
    attendance.leave(first)
    attendance.leave(first)
    assert.deepEqual(attendance.all(), [second])
  })

  it('can be left by everybody who is looked at', () => {
    const attendance = new Attendance<Guest>()
    for (let i = 0; i < 5; i++) attendance.enter(new Guest())
    for (const guest of attendance.all()) attendance.leave(guest)
    assert.equal(attendance.size, 0)
  })
})
