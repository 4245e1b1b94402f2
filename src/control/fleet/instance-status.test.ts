import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pointer } from '#releases'
import { comparedWith, type InstanceStatus } from './instance-status.ts'

const STATUS: InstanceStatus = {
  id: 'one',
  version: '1.0.0',
  address: 'host:8080',
  labels: { stage: 'production' },
  wanted: 9,
  served: 9,
  state: 'current',
  problems: [],
  since: '2026-11-15T09:30:00.123Z',
}

const POINTER: Pointer = { store: '2f0c8a52-3c0e-4a39-9d0a-6d1f5f5b7e11', release: 9, last: 9, staged: null }

test('a record that names an earlier release than the store has for its instance is behind', () => {
  assert.deepEqual(comparedWith(STATUS, POINTER), STATUS)
  const later = { ...POINTER, release: 10, last: 10 }
  assert.deepEqual(comparedWith(STATUS, later), { ...STATUS, wanted: 10, state: 'behind' })
  const failing: InstanceStatus = { ...STATUS, state: 'failing', problems: [{ file: '', message: 'reason' }] }
  assert.deepEqual(comparedWith(failing, later), { ...failing, wanted: 10 })
  // It may know of a release before this gateway does.
  assert.deepEqual(comparedWith({ ...STATUS, wanted: 10 }, POINTER), { ...STATUS, wanted: 10 })
  assert.deepEqual(comparedWith({ ...STATUS, wanted: null }, later), { ...STATUS, wanted: null })
})

test('a staged release counts for instances with its labels', () => {
  const staged = { ...POINTER, last: 10, staged: { release: 10, only: { stage: 'canary' } } }
  assert.equal(comparedWith(STATUS, staged).state, 'current')
  assert.equal(comparedWith({ ...STATUS, labels: { stage: 'canary' } }, staged).state, 'behind')
})
