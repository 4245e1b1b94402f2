import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AUDIT_WORDING } from '#audit'
import { Delivery } from '#durable-queue'
import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import { PLAN, recordOf, recordsOf } from '#test/audit-destination'
import { within } from '#test/waiting'
import { type Line, lineBytes } from '#trail'
import { FileTransport } from './file-transport.ts'

/** Stores lines unless it is full; `stuck` delays writes. */
class Disk {
  text = ''
  writes = 0
  full = false
  stuck: Promise<void> | null = null

  async start(): Promise<void> {}

  async reopen(): Promise<void> {}

  async close(): Promise<void> {}

  async append(lines: readonly Line[]): Promise<void> {
    this.writes++
    if (this.stuck !== null) await this.stuck
    if (this.full) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    this.text += Buffer.from(lineBytes(lines, '\n')).toString()
  }

  get ids(): string[] {
    return this.text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { _id: string })._id]))
  }
}

function trailOn(disk: Disk, timing = {}) {
  const logger = createLogger({ format: 'json', destination: memoryLog() })
  const env = { logger, clock: systemClock, name: 'config', wording: AUDIT_WORDING, timing }
  return new Delivery(new FileTransport([], () => disk), PLAN, env)
}

describe('files on a disk that fails or does not respond', () => {
  test('reopen and close end in a bounded time, since a reload and a shutdown wait for them', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const disk = new Disk()
    disk.reopen = () => new Promise(() => {})
    disk.close = () => new Promise(() => {})
    const transport = new FileTransport(['access'], () => disk)
    for (const end of [transport.reopen(), transport.close()]) {
      t.mock.timers.tick(2_000)
      await within('it ended', end)
    }
  })

  test('an event is on the disk when the attempt has succeeded', async () => {
    const disk = new Disk()
    const trail = trailOn(disk)
    trail.add([recordOf(1)])
    assert.equal(await trail.attempt(10_000), true)
    assert.equal(disk.text, '{"_id":"1"}\n')
    await trail.close(0)
  })

  test('events that are written before the disk is full are not written again', async () => {
    const disk = new Disk()
    const write = disk.append.bind(disk)
    // A file of the maximum size, then the next one.
    disk.append = async (lines: readonly Line[], onWritten: (count: number) => void = () => {}) => {
      await write(lines.slice(0, 3))
      onWritten(3)
      if (lines.length > 5) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      await write(lines.slice(3))
    }
    const trail = trailOn(disk, { shortestRetry: 1, longestRetry: 1 })
    trail.add(recordsOf(10))
    assert.equal(await trail.flush(10_000), true)
    assert.deepEqual(
      disk.ids,
      recordsOf(10).map(({ id }) => id),
    )
    await trail.close(0)
  })

  test('events that come together are written in their order, in few writes', async () => {
    const disk = new Disk()
    const trail = trailOn(disk)
    for (const record of recordsOf(500)) trail.add([record])
    assert.equal(await trail.attempt(10_000), true)
    assert.deepEqual(
      disk.ids,
      recordsOf(500).map(({ id }) => id),
    )
    assert.ok(disk.writes < 5, `${disk.writes} writes`)
    await trail.close(0)
  })

  test('a disk that fails delays no caller, and has every event in order with the first attempt after it recovered', async () => {
    const disk = new Disk()
    const trail = trailOn(disk, { shortestRetry: 60_000, longestRetry: 60_000 })
    disk.full = true
    for (let n = 0; n < 5; n++) {
      trail.add([recordOf(n)])
      assert.equal(await trail.attempt(10_000), false)
    }
    assert.deepEqual([disk.text, trail.counts.queued], ['', 5])
    disk.full = false
    trail.add([recordOf(5)])
    assert.equal(await trail.attempt(10_000), true)
    assert.deepEqual(disk.ids, ['0', '1', '2', '3', '4', '5'])
    await trail.close(0)
  })

  test('an unresponsive disk delays a caller up to the limit, and gets one write at a time', async () => {
    const disk = new Disk()
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.stuck = promise
    const trail = trailOn(disk, { sendDeadline: 5, shortestRetry: 1, longestRetry: 1 })
    trail.add([recordOf(1)])
    assert.equal(await trail.flush(50), false)
    trail.add([recordOf(2)])
    assert.equal(await trail.flush(50), false)
    assert.deepEqual([disk.text, disk.writes], ['', 1])
    resolve()
    disk.stuck = null
    assert.equal(await trail.flush(10_000), true)
    assert.deepEqual(disk.ids, ['1', '2'])
    await trail.close(0)
  })

  test('an event that is too large for a line is lost, those around it are written', async () => {
    const disk = new Disk()
    const trail = trailOn(disk)
    trail.add([recordOf(1), recordOf('large', 'x'.repeat(4_200_000)), recordOf(3), recordOf('larger', 'x'.repeat(5e6))])
    assert.equal(await trail.attempt(10_000), true)
    assert.deepEqual([disk.ids, trail.counts.lost.refused], [['1', '3'], 2])
    await trail.close(0)
  })
})
