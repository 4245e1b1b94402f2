import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inserted, valueAt } from './canvas-edits.ts'
import type { ChainRole } from './chain-order.ts'

const role = (_id: string, rest: Partial<ChainRole> = {}): ChainRole => ({
  _id,
  provides: [],
  needs: [],
  after: [],
  ...rest,
})
const ROLES = [
  role('Keep'),
  role('Header'),
  role('Login', { provides: ['way'], after: ['Keep'] }),
  role('Policy', { needs: ['way'] }),
]

/** The types of the filters after each has been added without a selection, or after a selected one. */
function added(types: readonly string[], text = '{}', selected: readonly (string | number)[] | null = null): string[] {
  let result = text
  for (const type of types)
    result = inserted(result, 'Filter', { type }, selected === null ? null : [...selected], ROLES)
  const filters = valueAt(result, ['handler', 'config', 'filters']) as ({ type: string } | string)[]
  return filters.map((filter) => (typeof filter === 'string' ? filter : filter.type))
}

test('a new filter is put where it works together with those that are there', () => {
  assert.deepEqual(added(['Policy', 'Header', 'Login', 'Keep']), ['Keep', 'Login', 'Policy', 'Header'])
  assert.deepEqual(added(['Login', 'Header', 'Keep']), ['Keep', 'Login', 'Header'])
  assert.deepEqual(added(['Header', 'Unknown', 'Header']), ['Header', 'Unknown', 'Header'])
})

test('a selected filter is where a new one goes, as far as it works there', () => {
  const text = JSON.stringify({
    heap: [{ name: 'entry', type: 'Login' }],
    handler: { type: 'Chain', config: { filters: ['entry', { type: 'Header' }], handler: 'x' } },
  })
  const at = (index: number) => ['handler', 'config', 'filters', index]
  assert.deepEqual(added(['Header'], text, at(0)), ['entry', 'Header', 'Header'])
  assert.deepEqual(added(['Policy'], text, at(1)), ['entry', 'Header', 'Policy'])
  assert.deepEqual(added(['Keep'], text, at(1)), ['Keep', 'entry', 'Header'])
})
