import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectState } from '#schema'
import { ObjectStates } from './object-states.ts'

const route = { directory: '/routes', id: 'shop' }

function status(reporter: number, state: ObjectState, object = 'gateway+am', detail = `it is ${state}`) {
  return { reporter, report: { object, route, state, detail } }
}

test('the state of an object is the worst of all units, and does not make the gateway unready', () => {
  const states = new ObjectStates()
  const [one, two] = [{}, {}]
  states.record(one, status(1, 'up'))
  states.record(two, status(1, 'degraded'))
  states.record(two, status(2, 'starting', 'gateway+other'))
  assert.deepEqual(states.checks(), [
    { name: 'gateway+am', ok: true, state: 'degraded', detail: 'it is degraded (1 of 2)' },
    { name: 'gateway+other', ok: true, state: 'starting', detail: 'it is starting' },
  ])
  states.record(two, status(1, 'up'))
  assert.equal(states.checks()[0]?.detail, 'it is up')
})

test('the state of a disposed object is removed; those of the other version of its route and of other units remain', () => {
  const states = new ObjectStates()
  const [one, two] = [{}, {}]
  states.record(one, status(1, 'degraded'))
  states.record(one, status(2, 'up'))
  states.record(two, status(1, 'degraded'))
  assert.deepEqual(states.degradedIn('/routes', 'shop'), [{ object: 'gateway+am', detail: 'it is degraded' }])
  assert.deepEqual(states.degradedIn('/routes', 'other'), [])
  states.record(one, { reporter: 1, report: null })
  states.removeUnit(two)
  assert.deepEqual(states.degradedIn('/routes', 'shop'), [])
  assert.deepEqual(states.checks(), [{ name: 'gateway+am', ok: true, state: 'up', detail: 'it is up' }])
})
