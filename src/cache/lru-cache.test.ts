import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LruCache } from './lru-cache.ts'

interface Value {
  readonly id: number
}

/** A model of the cache: a list, the entry used last at its end. */
class Model {
  readonly #limit: number
  entries: { key: string; value: Value; expiresAt: number; tags: readonly string[] }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: string, now: number): Value | null {
    const found = this.entries.find((entry) => entry.key === key && entry.expiresAt > now)
    if (found === undefined) return null
    this.entries = [...this.entries.filter((entry) => entry !== found), found]
    return found.value
  }

  set(key: string, value: Value, expiresAt: number, tags: readonly string[]): number {
    const all = [...this.entries.filter((entry) => entry.key !== key), { key, value, expiresAt, tags }]
    this.entries = all.slice(-this.#limit)
    return all.length - this.entries.length
  }

  without(isDeleted: (entry: Model['entries'][number]) => boolean): number {
    const before = this.entries.length
    this.entries = this.entries.filter((entry) => !isDeleted(entry))
    return before - this.entries.length
  }
}

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const tags = fc.uniqueArray(fc.constantFrom('m1', 'm2', 'm3', 'a', 'b'), { maxLength: 3 })
const times = fc.integer({ min: 0, max: 20 })

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('get' as const), key: keys, now: times }),
    fc.record({ do: fc.constant('set' as const), key: keys, expiresAt: times, tags }),
    fc.record({ do: fc.constant('delete' as const), key: keys }),
    fc.record({ do: fc.constant('tag' as const), tag: fc.constantFrom('m1', 'm2', 'm3', 'a', 'b', 'none') }),
    fc.record({ do: fc.constant('expire' as const), now: times }),
    fc.record({ do: fc.constant('clear' as const) }),
  ),
  { maxLength: 60 },
)

test('any sequence of operations gives the same result as on a plain list', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 5 }), (all, limit) => {
      const cache = new LruCache<Value>(limit)
      const model = new Model(limit)
      for (const [id, step] of all.entries()) {
        if (step.do === 'get') assert.equal(cache.get(step.key, step.now), model.get(step.key, step.now))
        else if (step.do === 'set') {
          const value = { id }
          const removed = cache.set(step.key, value, step.expiresAt, step.tags)
          assert.equal(removed, model.set(step.key, value, step.expiresAt, step.tags))
        } else if (step.do === 'delete') {
          assert.equal(
            cache.delete(step.key),
            model.without(({ key }) => key === step.key),
          )
        } else if (step.do === 'tag') {
          assert.equal(
            cache.deleteTagged(step.tag),
            model.without((entry) => entry.tags.includes(step.tag)),
          )
        } else if (step.do === 'expire') {
          assert.equal(
            cache.deleteExpired(step.now),
            model.without(({ expiresAt }) => expiresAt <= step.now),
          )
        } else
          assert.equal(
            cache.clear(),
            model.without(() => true),
          )
        assert.equal(cache.size, model.entries.length)
      }
    }),
  )
})
