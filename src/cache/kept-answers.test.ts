import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { KeptAnswers } from './kept-answers.ts'

interface Value {
  readonly id: number
}

/** The same in the simplest way: a list, the one used last at its end. */
class Model {
  readonly #limit: number
  entries: { key: string; value: Value; until: number; marks: readonly string[] }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: string, now: number): Value | null {
    const found = this.entries.find((entry) => entry.key === key && entry.until > now)
    if (found === undefined) return null
    this.entries = [...this.entries.filter((entry) => entry !== found), found]
    return found.value
  }

  keep(key: string, value: Value, until: number, marks: readonly string[]): number {
    const all = [...this.entries.filter((entry) => entry.key !== key), { key, value, until, marks }]
    this.entries = all.slice(-this.#limit)
    return all.length - this.entries.length
  }

  without(goes: (entry: Model['entries'][number]) => boolean): number {
    const before = this.entries.length
    this.entries = this.entries.filter((entry) => !goes(entry))
    return before - this.entries.length
  }
}

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const marks = fc.uniqueArray(fc.constantFrom('m1', 'm2', 'm3', 'a', 'b'), { maxLength: 3 })
const times = fc.integer({ min: 0, max: 20 })

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('get' as const), key: keys, now: times }),
    fc.record({ do: fc.constant('keep' as const), key: keys, until: times, marks }),
    fc.record({ do: fc.constant('forget' as const), key: keys }),
    fc.record({ do: fc.constant('mark' as const), mark: fc.constantFrom('m1', 'm2', 'm3', 'a', 'b', 'none') }),
    fc.record({ do: fc.constant('expire' as const), now: times }),
    fc.record({ do: fc.constant('clear' as const) }),
  ),
  { maxLength: 60 },
)

test('whatever is done in whatever order, it keeps what a plain list would', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 5 }), (all, limit) => {
      const kept = new KeptAnswers<Value>(limit)
      const model = new Model(limit)
      for (const [id, step] of all.entries()) {
        if (step.do === 'get') assert.equal(kept.get(step.key, step.now), model.get(step.key, step.now))
        else if (step.do === 'keep') {
          const value = { id }
          const removed = kept.keep(step.key, value, step.until, step.marks)
          assert.equal(removed, model.keep(step.key, value, step.until, step.marks))
        } else if (step.do === 'forget') {
          assert.equal(
            kept.forget(step.key),
            model.without(({ key }) => key === step.key),
          )
        } else if (step.do === 'mark') {
          assert.equal(
            kept.forgetMarked(step.mark),
            model.without((entry) => entry.marks.includes(step.mark)),
          )
        } else if (step.do === 'expire') {
          assert.equal(
            kept.forgetExpired(step.now),
            model.without(({ until }) => until <= step.now),
          )
        } else
          assert.equal(
            kept.clear(),
            model.without(() => true),
          )
        assert.equal(kept.size, model.entries.length)
      }
    }),
  )
})
