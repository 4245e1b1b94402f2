import assert from 'node:assert/strict'
import { test } from 'node:test'
import { within } from '#test/waiting'
import { Watchdog, type Watched } from './watchdog.ts'

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('after a stall of the thread, pending I/O is processed before deadlines are checked', async () => {
  const watchdog = new Watchdog(80)
  let expired = false
  const call = {
    deadline: performance.now() + 80,
    slot: -1,
    expire: () => {
      expired = true
    },
  } satisfies Watched
  watchdog.add(call)
  // Due at the same time as the check, and after it: a response that arrived during the stall.
  const answered = new Promise<void>((resolve) =>
    setTimeout(() => {
      call.deadline = Number.POSITIVE_INFINITY
      resolve()
    }, 15),
  )
  block(200)
  await answered
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(expired, false)
  watchdog.delete(call)
})

test('expired deadlines are detected, also by a thread that stalls repeatedly', async () => {
  const watchdog = new Watchdog(80)
  const { promise, resolve } = Promise.withResolvers<void>()
  const call: Watched = { deadline: performance.now() + 80, slot: -1, expire: resolve }
  watchdog.add(call)
  const busy = setInterval(() => block(60), 5)
  await within('the deadline expired', promise)
  clearInterval(busy)
  watchdog.delete(call)
})
