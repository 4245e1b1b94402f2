import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '#test/build'
import { ALL_NODES, ServerStates } from './servers.ts'

function watched() {
  const reported: string[] = []
  const clock = manualClock()
  const events = {
    onLost: (problem: string) => void reported.push(`lost: ${problem}`),
    onFailedAgain: (problem: string) => void reported.push(`failed again: ${problem}`),
    onRecovered: () => void reported.push('recovered'),
  }
  return { reported, clock, servers: new ServerStates(clock, events) }
}

test('several lost nodes are one loss, with further problems, and recovery when the last of them is back', () => {
  const { reported, servers } = watched()
  servers.of('a:1').closed()
  servers.of('b:1').failed('refused')
  servers.of('b:1').closed()
  servers.of('a:1').succeeded()
  servers.of('a:1').failed('again')
  servers.of('b:1').succeeded()
  const problems = ['lost: a:1: the connection was closed', 'failed again: b:1: refused', 'failed again: a:1: again']
  assert.deepEqual(reported, problems)
  servers.of('a:1').succeeded()
  assert.deepEqual(reported, [...problems, 'recovered'])
})

test('a lost node does not block the others, and is tried once a second', () => {
  const { clock, servers } = watched()
  for (let i = 0; i < 3; i++) servers.of('a:1').missed('no answer', clock.monotonic())
  assert.deepEqual(
    [servers.of('a:1').allows(), servers.of('b:1').allows(), servers.of(ALL_NODES).allows()],
    [false, true, true],
  )
  clock.advance(1_000)
  assert.deepEqual([servers.of('a:1').allows(), servers.of('a:1').allows()], [true, false])
})

test('concurrent commands that time out together count once', () => {
  const { clock, servers } = watched()
  const timeout = (requests: number) => {
    const sentAt = clock.monotonic()
    clock.advance(50)
    for (let request = 0; request < requests; request++) servers.of(ALL_NODES).missed('no answer', sentAt)
  }
  timeout(100)
  timeout(100)
  assert.equal(servers.isLost(ALL_NODES), false)
  servers.of(ALL_NODES).succeeded()
  timeout(100)
  timeout(100)
  assert.equal(servers.isLost(ALL_NODES), false)
  timeout(1)
  assert.equal(servers.isLost(ALL_NODES), true)
})

test('a lost node that has left the cluster counts as recovered', () => {
  const { reported, servers } = watched()
  servers.of('a:1').failed('gone')
  assert.equal(servers.hasLostNode, true)
  servers.retain(new Set(['b:1']))
  assert.deepEqual(
    [servers.hasLostNode, servers.isLost('a:1'), reported],
    [false, false, ['lost: a:1: gone', 'recovered']],
  )
})

test('the cluster as a whole does not count as a node', () => {
  const { reported, servers } = watched()
  servers.of(ALL_NODES).failed('no server')
  assert.equal(servers.hasLostNode, false)
  servers.retain(new Set())
  servers.of(ALL_NODES).succeeded()
  assert.deepEqual(reported, ['lost: no server', 'recovered'])
})
