import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ActiveList, type ActiveListItem } from './active-list.ts'

class Item implements ActiveListItem {
  slot = -1
}

describe('ActiveList', () => {
  it('contains the added items for any order of add and delete', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 200 }), (moves) => {
        const items = Array.from({ length: 10 }, () => new Item())
        const list = new ActiveList<Item>()
        const model = new Set<Item>()
        for (const move of moves) {
          const item = items[move]!
          if (model.delete(item)) list.delete(item)
          else {
            model.add(item)
            list.add(item)
          }
        }
        assert.equal(list.size, model.size)
        assert.deepEqual(new Set(list.all()), model)
      }),
    )
  })

  it('delete is idempotent', () => {
    const list = new ActiveList<Item>()
    const [first, second] = [new Item(), new Item()]
    list.add(first)
    list.add(second)
    list.delete(first)
    list.delete(first)
    assert.deepEqual(list.all(), [second])
  })

  it('allows items to be deleted while they are iterated', () => {
    const list = new ActiveList<Item>()
    for (let i = 0; i < 5; i++) list.add(new Item())
    for (const item of list.all()) list.delete(item)
    assert.equal(list.size, 0)
  })
})
