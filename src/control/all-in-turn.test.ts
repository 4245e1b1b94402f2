import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allInTurn } from './all-in-turn.ts'

test('all steps run in their order, also after one that fails, whose failure is the result', async () => {
  const run: string[] = []
  const step = (name: string, failure?: Error) => async () => {
    run.push(name)
    if (failure !== undefined) throw failure
  }
  const full = new Error('no space left')
  await assert.rejects(allInTurn([step('a'), step('b', full), () => undefined, step('c')]), full)
  assert.deepEqual(run, ['a', 'b', 'c'])
  await assert.rejects(allInTurn([step('a', full), step('b', new Error('other'))]), { name: 'AggregateError' })
  await allInTurn([step('a')])
})
