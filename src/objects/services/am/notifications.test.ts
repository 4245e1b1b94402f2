import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import type { AmService as AccessManager } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import { buildAmService } from '#test/am-service'
import { type Built, manualClock } from '#test/build'
import { threadTime } from '#test/loop-watch'
import { ManualExecutor } from '#test/manual-executor'
import { once, waitUntil, within } from '#test/waiting'

const RENEWAL = 50 * 60_000
const HEARTBEAT = 20_000

/** Records the notification events of a service in order, and waits for them. */
class NotificationRecord {
  readonly events: string[] = []

  constructor({ object }: Built<AccessManager>) {
    const add = (event: string) => {
      this.events.push(event)
    }
    object.notifications?.listen({
      notified: ({ topic, body }) => add(`${topic} ${body['policy'] ?? ''}`.trim()),
      disconnected: () => add('disconnected'),
      connected: () => add('connected'),
    })
  }

  async until(...events: string[]): Promise<void> {
    await waitUntil(`the notification service reported ${events}`, () => this.events.length >= events.length)
    assert.deepEqual(this.events, events)
  }
}

/** Runs the task scheduled for a delay, or for a delay within bounds. */
async function run(executor: ManualExecutor, least: number, most = least): Promise<void> {
  const wanted = ({ delay }: { delay: number }) => delay >= least && delay <= most
  await waitUntil(`a task with a delay of ${least} to ${most} ms was scheduled`, () => executor.waiting.some(wanted))
  const [entry] = executor.waiting.splice(executor.waiting.findIndex(wanted), 1)
  await entry?.task()
}

/** The pause before an attempt: 5 seconds, growing to 15, shortened by up to a half. */
const reconnect = (executor: ManualExecutor) => run(executor, 2_500, 15_000)

const logged = ({ log }: Built<AccessManager>, pattern: RegExp) => log.lines.filter((line) => pattern.test(line)).length

test('a lost connection is reported, and restored', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const executor = new ManualExecutor()
  await using built = await buildAmService(manager.url, {}, executor.buildOptions)
  const course = new NotificationRecord(built)
  assert.equal(built.metrics.values.get('gw_notification_connected'), 1)
  assert.deepEqual(built.states, ['starting: notifications: connecting', 'up: notifications: connected'])
  manager.dropSockets()
  await course.until('disconnected')
  assert.equal(built.object.notifications?.connected, false)
  assert.equal(built.metrics.values.get('gw_notification_connected'), 0)
  assert.equal(built.states.at(-1), 'degraded: notifications: disconnected')
  await reconnect(executor)
  await course.until('disconnected', 'connected')
  assert.equal(built.states.at(-1), 'up: notifications: connected')
  assert.equal(built.metrics.values.get('gw_notification_reconnects_total'), 1)
  assert.equal(manager.requests('authenticate').length, 1)
})

test('renewal: the new connection is subscribed before the old one closes, and no notification is lost', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const executor = new ManualExecutor()
  await using built = await buildAmService(manager.url, {}, executor.buildOptions)
  const course = new NotificationRecord(built)
  const both = manager.subscribed('/agent/policy', 2)
  const renewing = run(executor, RENEWAL)
  await both
  await renewing
  await manager.socketsDwindled(1)
  manager.publish('/agent/policy', { policy: 'after' })
  await course.until('/agent/policy after')
  assert.equal(built.metrics.values.get('gw_notification_reconnects_total'), undefined)
  assert.deepEqual(executor.waiting.map(({ delay }) => delay).sort(), [HEARTBEAT, RENEWAL].sort())
})

test('repeated renewal: every notification arrives', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, { notifications: { renewalDelay: '20 milliseconds' } })
  const heard = new Set<unknown>()
  let losses = 0
  built.object.notifications?.listen({
    notified: ({ body }) => heard.add(body['policy']),
    disconnected: () => losses++,
  })
  let published = 0
  await waitUntil('20 connections were opened', () => {
    for (let i = 0; i < 5; i++) manager.publish('/agent/policy', { policy: published++ })
    return manager.requests('notifications').length >= 20
  })
  manager.publish('/agent/policy', { policy: 'last' })
  await waitUntil('the last notification arrived', () => heard.has('last'))
  await waitUntil('all notifications arrived', () => heard.size >= published + 1)
  assert.equal(losses, 0)
})

test('a failed renewal leaves the old connection in use, and is retried', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const executor = new ManualExecutor()
  await using built = await buildAmService(manager.url, {}, executor.buildOptions)
  const course = new NotificationRecord(built)
  manager.refuseUpgrades(500)
  await run(executor, RENEWAL)
  assert.equal(built.object.notifications?.connected, true)
  assert.equal(logged(built, /not replaced: the old one stays in use/), 1)
  manager.refuseUpgrades(null)
  const both = manager.subscribed('/agent/policy', 2)
  await reconnect(executor)
  await both
  await manager.socketsDwindled(1)
  assert.deepEqual(course.events, [])
})

test('an ended agent session: the agent logs in before the next connection', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const executor = new ManualExecutor()
  await using built = await buildAmService(manager.url, {}, executor.buildOptions)
  const course = new NotificationRecord(built)
  manager.dropSockets()
  await course.until('disconnected')
  manager.expireAgentSessions()
  await reconnect(executor)
  await course.until('disconnected', 'connected')
  assert.equal(manager.requests('authenticate').length, 2)
})

test('403 causes one login, then only new attempts', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const executor = new ManualExecutor()
  await using built = await buildAmService(manager.url, {}, executor.buildOptions)
  const course = new NotificationRecord(built)
  manager.refuseUpgrades(403)
  manager.dropSockets()
  await course.until('disconnected')
  await reconnect(executor)
  await reconnect(executor)
  await reconnect(executor)
  assert.equal(manager.requests('authenticate').length, 2)
  manager.refuseUpgrades(null)
  await reconnect(executor)
  await course.until('disconnected', 'connected')
})

test('a server that is down: built at once, degraded after the attempts, and recovers automatically', async () => {
  await using manager = await DevelopmentAccessManager.start()
  manager.fail('*', { cut: true })
  const executor = new ManualExecutor()
  const notifications = { initialConnectionAttempts: 3 }
  await using built = await buildAmService(manager.url, { notifications }, executor.buildOptions)
  const course = new NotificationRecord(built)
  assert.equal(built.object.notifications?.connected, false)
  assert.deepEqual(built.states, ['starting: notifications: connecting'])
  await reconnect(executor)
  assert.equal(built.states.length, 1)
  await reconnect(executor)
  assert.equal(built.states.at(-1), 'degraded: notifications: no connection after 3 attempts: GW_ACCESS_MANAGER')
  await reconnect(executor)
  assert.equal(logged(built, /"level":"error".*initialConnectionAttempts are used up/), 1)
  manager.heal()
  // A failure is cached for a second.
  await waitUntil('notifications were connected', async () => {
    if (built.object.notifications?.connected) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
    await reconnect(executor).catch(() => {})
    return false
  })
  await course.until('connected')
  assert.equal(built.states.at(-1), 'up: notifications: connected')
})

test('initialConnectionAttempts of -1: never degraded by the number of attempts', async () => {
  await using manager = await DevelopmentAccessManager.start()
  manager.refuseUpgrades(503)
  const executor = new ManualExecutor()
  const notifications = { initialConnectionAttempts: -1 }
  await using built = await buildAmService(manager.url, { notifications }, executor.buildOptions)
  for (let i = 0; i < 10; i++) await reconnect(executor)
  assert.deepEqual(built.states, ['starting: notifications: connecting'])
  assert.equal(logged(built, /"level":"error"/), 0)
  assert.equal(logged(built, /notifications not connected/), 2)
})

/** A relay to a server whose connections can silently stop. */
async function breakableConnection(target: string) {
  const { port: to } = new URL(target)
  const sockets: Socket[] = []
  let frozen = false
  const server = createServer((near) => {
    const far = connect(Number(to), '127.0.0.1')
    sockets.push(near, far)
    near.on('error', () => {}).on('data', (data) => frozen || far.write(data))
    far.on('error', () => {}).on('data', (data) => frozen || near.write(data))
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: target.replace(`:${to}`, `:${port}`),
    freeze: () => (frozen = true),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test('F13: an unresponsive connection counts as lost within 30 seconds, by default', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using way = await breakableConnection(manager.url)
  const executor = new ManualExecutor()
  await using built = await buildAmService(way.url, {}, executor.buildOptions)
  const course = new NotificationRecord(built)
  await run(executor, 20_000)
  // Waits for the effect of the pong: the check does not report the connection as lost.
  manager.publish('/agent/policy', { policy: 'alive' })
  await course.until('/agent/policy alive')
  await run(executor, 10_000)
  assert.equal(built.object.notifications?.connected, true)
  way.freeze()
  await run(executor, 10_000)
  await run(executor, 10_000)
  assert.deepEqual(course.events, ['/agent/policy alive', 'disconnected'])
  assert.equal(logged(built, /no response to a ping/), 1)
})

test('F11: a request rejected while notifications are down triggers the next attempt at once, at most one a second', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const executor = new ManualExecutor()
  const clock = manualClock()
  const surroundings = { ...executor.buildOptions, clock }
  await using built = await buildAmService(manager.url, { notifications: { reconnectDelay: '1 hour' } }, surroundings)
  const course = new NotificationRecord(built)
  manager.refuseUpgrades(503)
  manager.dropSockets()
  await course.until('disconnected')
  manager.forgetRequests()
  const feed = built.object.notifications
  feed?.requestReconnect?.()
  assert.equal(manager.requests('notifications').length, 0)
  clock.advance(1_000)
  for (let denied = 0; denied < 10; denied++) feed?.requestReconnect?.()
  await manager.received('notifications')
  manager.refuseUpgrades(null)
  await built.object.cookieName()
  clock.advance(1_000)
  const back = course.until('disconnected', 'connected')
  await waitUntil('notifications were connected', () => {
    if (feed?.connected !== false) return true
    feed.requestReconnect?.()
    clock.advance(1_000)
    return false
  })
  await back
  assert.equal(feed?.connected, true)
})

test('an unparseable message invalidates caches as a lost connection does', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url)
  const course = new NotificationRecord(built)
  manager.publish('/agent/policy', [])
  manager.publish('/agent/policy', [])
  await course.until('disconnected', 'connected', 'disconnected', 'connected')
  assert.equal(built.object.notifications?.connected, true)
  assert.equal(logged(built, /unparseable notification/), 1)
  assert.equal(built.metrics.values.get('gw_notification_unreadable_total'), 2)
})

test('B58: a connection that flaps leaves one socket and its two timers', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const executor = new ManualExecutor()
  const built = await buildAmService(manager.url, {}, executor.buildOptions)
  const course = new NotificationRecord(built)
  for (let round = 1; round <= 100; round++) {
    manager.dropSockets()
    await reconnect(executor)
    await waitUntil(`the connection was lost and restored ${round} times`, () => course.events.length >= 2 * round)
  }
  assert.deepEqual([...new Set(course.events)], ['disconnected', 'connected'])
  assert.equal(manager.sockets, 1)
  assert.deepEqual(executor.waiting.map(({ delay }) => delay).sort(), [HEARTBEAT, RENEWAL].sort())
  assert.equal(manager.requests('authenticate').length, 1)
  await built[Symbol.asyncDispose]()
  await manager.socketsDwindled(0)
  assert.equal(executor.waiting.length, 0)
})

test('a service retired during an attempt leaves neither socket nor timer', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const executor = new ManualExecutor()
  const built = await buildAmService(manager.url, {}, executor.buildOptions)
  const held = manager.hold('notifications')
  manager.dropSockets()
  const attempt = reconnect(executor)
  await held.arrived
  await built[Symbol.asyncDispose]()
  held.release()
  await attempt
  await manager.socketsDwindled(0)
  assert.equal(executor.waiting.length, 0)
})

test('configured topics replace the default ones', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url, { notifications: { topics: ['/own/topic'] } })
  const course = new NotificationRecord(built)
  manager.publish('/agent/policy', { policy: 'not wanted' })
  manager.publish('/own/topic', { policy: 'wanted' })
  await course.until('/own/topic wanted')
})

test('F14: bursts of notifications arrive completely', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using built = await buildAmService(manager.url)
  let heard = 0
  const all = Promise.withResolvers<void>()
  built.object.notifications?.listen({ notified: () => void (++heard === 20_000 && all.resolve()) })
  for (let i = 0; i < 20_000; i++) manager.publish('/oauth2/grant/revoked', { authGrantId: `grant-${i}` })
  const sent = threadTime()
  await within('all of them were done', all.promise)
  assert.ok(threadTime() - sent < 2_000)
})
