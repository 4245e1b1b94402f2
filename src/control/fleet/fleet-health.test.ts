import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fleetCheck } from './fleet-health.ts'
import { ReleaseVersions } from './release-versions.ts'

test('a second gateway with the id of this one is degraded, and a problem of the record; traffic goes on', () => {
  const versions = new ReleaseVersions({ labels: {}, clock: { now: () => 0 }, stored: () => null, changed: () => {} })
  const health = {
    connection: { state: 'connected' },
    versions,
    failure: null,
    copy: { release: null, age: 0 },
    recordRefusal: null,
    isStarted: true,
  } as const
  assert.equal(fleetCheck(health).state, 'up')
  const full = fleetCheck({ ...health, recordRefusal: 'no-space' })
  assert.deepEqual([full.ok, full.state], [true, 'degraded'])
  assert.match(full.detail ?? '', /^the configuration store can not be written \(it is full\); /)
  versions.rivalIs('host:8080')
  const { ok, state: found, detail } = fleetCheck(health)
  assert.deepEqual([ok, found], [true, 'degraded'])
  assert.match(detail ?? '', /^another gateway has the instanceId of this one/)
  assert.doesNotMatch(detail ?? '', /host/, 'health is public')
  assert.equal(versions.state, 'failing')
  assert.match(versions.problems[0]?.message ?? '', /another gateway at host:8080 has the same instanceId/)
  versions.rivalIs(null)
  assert.deepEqual([fleetCheck(health).state, versions.state], ['up', 'current'])
})
