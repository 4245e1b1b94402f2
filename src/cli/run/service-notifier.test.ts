import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger, memoryLog } from '#logging'
import { serviceNotifier } from './service-notifier.ts'

interface Fixture {
  readonly env: Readonly<Record<string, string>>
  readonly isLive?: () => boolean
  readonly send?: (assignments: readonly string[]) => Promise<void>
}

const SOCKET = { NOTIFY_SOCKET: '/run/systemd/notify' }

function fixture({ env, isLive = () => true, send }: Fixture) {
  const sent: string[] = []
  const log = memoryLog()
  const notifier = serviceNotifier({
    env,
    logger: createLogger({ destination: log }),
    pid: 42,
    isLive,
    send: async (assignments) => {
      sent.push(assignments.join(' '))
      await send?.(assignments)
    },
  })
  return { notifier, sent, log }
}

/** Resolves when the queue of messages is empty. */
const turns = () => new Promise((resolve) => setImmediate(resolve))

test('without NOTIFY_SOCKET nothing is sent', async () => {
  const { notifier, sent } = fixture({ env: {} })
  notifier.ready('serving')
  notifier.stopping()
  await turns()
  assert.deepEqual(sent, [])
})

test('states are sent one after the other, in their order', async () => {
  let running = 0
  const { notifier, sent } = fixture({
    env: SOCKET,
    send: async () => {
      assert.equal(++running, 1)
      await turns()
      running--
    },
  })
  notifier.ready('serving')
  notifier.reloading()
  notifier.ready('serving')
  notifier.stopping()
  while (sent.length < 4) await turns()
  assert.deepEqual(
    sent.map((message) => message.replace(/MONOTONIC_USEC=\d+/, 'MONOTONIC_USEC=n')),
    [
      'READY=1 STATUS=serving',
      'RELOADING=1 MONOTONIC_USEC=n STATUS=reloading routes, keystores and secrets',
      'READY=1 STATUS=serving',
      'STOPPING=1 STATUS=draining: in-flight requests may finish',
    ],
  )
})

test('the watchdog is served at half of its time-out, from a live gateway only', async ({ mock }) => {
  mock.timers.enable({ apis: ['setInterval'] })
  let isLive = true
  const { notifier, sent } = fixture({ env: { ...SOCKET, WATCHDOG_USEC: '20000000' }, isLive: () => isLive })
  mock.timers.tick(60_000)
  await turns()
  assert.deepEqual(sent, [], 'not before the gateway serves')
  notifier.ready('serving')
  await turns()
  for (let beat = 0; beat < 2; beat++) {
    mock.timers.tick(10_000)
    await turns()
  }
  assert.deepEqual(sent.slice(1), ['WATCHDOG=1', 'WATCHDOG=1'])
  isLive = false
  mock.timers.tick(10_000)
  await turns()
  assert.equal(sent.length, 3)
  isLive = true
  notifier[Symbol.dispose]()
  mock.timers.tick(60_000)
  await turns()
  assert.equal(sent.length, 3)
})

test('watchdog messages do not accumulate while one is being sent', async ({ mock }) => {
  mock.timers.enable({ apis: ['setInterval'] })
  const { promise: blocked, resolve: release } = Promise.withResolvers<void>()
  const { notifier, sent } = fixture({
    env: { ...SOCKET, WATCHDOG_USEC: '2000000' },
    send: ([first]) => (first === 'WATCHDOG=1' ? blocked : Promise.resolve()),
  })
  notifier.ready('serving')
  await turns()
  for (let beat = 0; beat < 5; beat++) mock.timers.tick(1_000)
  await turns()
  assert.deepEqual(sent.slice(1), ['WATCHDOG=1'])
  release()
  await turns()
  mock.timers.tick(1_000)
  await turns()
  assert.equal(sent.length, 3)
  notifier[Symbol.dispose]()
})

test('no watchdog is served for another process, or without a valid time-out', async ({ mock }) => {
  mock.timers.enable({ apis: ['setInterval'] })
  for (const watchdog of [
    { WATCHDOG_USEC: '20000000', WATCHDOG_PID: '41' },
    { WATCHDOG_USEC: '0' },
    { WATCHDOG_USEC: 'x' },
    {},
  ]) {
    const { notifier, sent } = fixture({ env: { ...SOCKET, ...watchdog } as Record<string, string> })
    notifier.ready('serving')
    await turns()
    mock.timers.tick(60_000)
    await turns()
    assert.equal(sent.length, 1)
    notifier[Symbol.dispose]()
  }
})

test('a failed notification is logged once a minute, and later ones are sent', async () => {
  const { notifier, sent, log } = fixture({ env: SOCKET, send: () => Promise.reject(new Error('spawn ENOENT')) })
  notifier.ready('serving')
  notifier.stopping()
  while (sent.length < 2) await turns()
  await turns()
  assert.equal(log.entries.length, 1)
  assert.match(String(log.entries[0]?.message), /systemd could not be notified/)
})
