import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { HEARTBEAT, Heartbeat } from './heartbeat.ts'

function watched(t: TestContext, parts: { isStarting?: boolean } = {}) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const seen: string[] = []
  const thread = { isStuck: false, isStarting: parts.isStarting ?? false }
  const heartbeat: Heartbeat = new Heartbeat(HEARTBEAT, {
    ping: () => {
      if (!thread.isStuck) queueMicrotask(() => heartbeat.answered())
    },
    isStarting: () => thread.isStarting,
    unresponsive: () => void seen.push('unresponsive'),
    recovered: () => void seen.push('recovered'),
    lost: () => void seen.push('lost'),
  })
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      t.mock.timers.tick(1_000)
      await Promise.resolve()
    }
  }
  return { seen, thread, heartbeat, pass }
}

test('a thread that answers causes no event', async (t) => {
  const { seen, pass } = watched(t)
  await pass(100)
  assert.deepEqual(seen, [])
})

test('a stall of 3 seconds causes no event', async (t) => {
  const { seen, thread, heartbeat, pass } = watched(t)
  await pass(2)
  thread.isStuck = true
  await pass(4)
  thread.isStuck = false
  heartbeat.answered()
  await pass(20)
  assert.deepEqual(seen, [])
})

test('a thread that does not answer is unresponsive within 10 seconds and lost within 20, once each', async (t) => {
  const { seen, thread, pass } = watched(t)
  await pass(2)
  thread.isStuck = true
  await pass(4)
  assert.deepEqual(seen, [])
  await pass(3)
  assert.deepEqual(seen, ['unresponsive'])
  await pass(12)
  assert.deepEqual(seen, ['unresponsive', 'lost'])
  await pass(60)
  assert.deepEqual(seen, ['unresponsive', 'lost'])
})

test('a thread that answers again has recovered, and its limits start from zero', async (t) => {
  const { seen, thread, heartbeat, pass } = watched(t)
  thread.isStuck = true
  await pass(9)
  thread.isStuck = false
  heartbeat.answered()
  await pass(5)
  thread.isStuck = true
  await pass(9)
  assert.deepEqual(seen, ['unresponsive', 'recovered', 'unresponsive'])
})

test('a stall of the checking thread counts as one interval', async (t) => {
  const { seen, thread, pass, heartbeat } = watched(t)
  await pass(1)
  thread.isStuck = true
  await pass(1)
  // setInterval fires once after a stall, before the messages that arrived meanwhile are read.
  await pass(1)
  heartbeat.answered()
  thread.isStuck = false
  await pass(3)
  assert.deepEqual(seen, [])
})

test('a thread that is starting may take a minute between two answers', async (t) => {
  const { seen, thread, pass } = watched(t, { isStarting: true })
  thread.isStuck = true
  await pass(60)
  assert.deepEqual(seen, [])
  await pass(1)
  assert.deepEqual(seen, ['lost'])
})
