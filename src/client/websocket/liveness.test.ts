import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Heartbeat } from './liveness.ts'
import type { Injection } from './relay-direction.ts'

/** A heartbeat of a peer in a state that the test changes; its deadlines pass when the test says so. */
function heartbeat(state: { ping?: Injection; isBlocked?: boolean }) {
  const seen: string[] = []
  const peer = { ping: 'sent' as Injection, isBlocked: false, ...state }
  const check = new Heartbeat(1_000, {
    ping: () => {
      if (peer.ping === 'sent') seen.push('ping')
      return peer.ping
    },
    isBlocked: () => peer.isBlocked,
    terminate: () => seen.push('terminate'),
  })
  return { check, seen, peer }
}

test('a peer without activity is pinged, then disconnected', () => {
  const { check, seen } = heartbeat({})
  check.expire()
  assert.deepEqual(seen, ['ping'])
  check.onActivity()
  check.expire()
  check.expire()
  assert.deepEqual(seen, ['ping', 'ping', 'terminate'])
})

test('a peer that can not be pinged, since it does not read in the middle of a frame, is disconnected', () => {
  const { check, seen } = heartbeat({ ping: 'waiting', isBlocked: true })
  check.expire()
  assert.deepEqual(seen, [])
  // It accepts bytes, slowly.
  for (let turn = 0; turn < 2; turn++) {
    check.onActivity()
    for (let i = 0; i < 5; i++) check.expire()
  }
  assert.deepEqual(seen, [])
  check.expire()
  assert.deepEqual(seen, ['terminate'])
})

test('a peer that waits in the middle of a frame of the other one stays connected', () => {
  const { check, seen } = heartbeat({ ping: 'waiting' })
  for (let i = 0; i < 5; i++) check.expire()
  assert.deepEqual(seen, [])
})

test('a peer that is not read, and has to accept nothing, stays connected without pings', () => {
  const { check, seen, peer } = heartbeat({})
  check.onPause()
  for (let i = 0; i < 5; i++) check.expire()
  // Bytes that it accepted do not show that it is read again.
  check.onActivity()
  for (let i = 0; i < 5; i++) check.expire()
  assert.deepEqual(seen, [])
  peer.isBlocked = true
  check.expire()
  check.expire()
  assert.deepEqual(seen, ['ping', 'terminate'])
})

test('a peer that is read again is pinged', () => {
  const { check, seen } = heartbeat({})
  check.onPause()
  check.onResume()
  check.expire()
  assert.deepEqual(seen, ['ping'])
})

test('a peer that does not close after a Close frame is disconnected, sooner where it has accepted all bytes', () => {
  for (const [isBlocked, times] of [
    [false, 2],
    [true, 6],
  ] as const) {
    const { check, seen } = heartbeat({ ping: 'impossible', isBlocked })
    for (let i = 1; i < times; i++) check.expire()
    assert.deepEqual(seen, [])
    check.expire()
    assert.deepEqual(seen, ['terminate'])
  }
})
