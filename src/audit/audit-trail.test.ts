import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLogger, memoryLog } from '#logging'
import { AuditTrail, type TrailLimits } from './audit-trail.ts'

/** Keeps lines as long as it is well. */
class Disk {
  text = ''
  writes = 0
  full = false
  stuck: Promise<void> | null = null

  async append(lines: string): Promise<void> {
    this.writes++
    if (this.stuck !== null) await this.stuck
    if (this.full) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    this.text += lines
  }

  get ids(): string[] {
    return this.text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { _id: string })._id]))
  }
}

function trailOn(disk: Disk, limits: TrailLimits = {}) {
  const log = memoryLog()
  const trail = new AuditTrail(disk, createLogger({ format: 'json', destination: log }), limits)
  return { trail, errors: () => log.lines.filter((line) => line.includes('"level":"error"')).length, log }
}

describe('an audit trail', () => {
  test('an event is on the disk when it was taken', async () => {
    const disk = new Disk()
    const { trail } = trailOn(disk)
    await trail.append({ _id: '1' })
    assert.deepEqual(disk.ids, ['1'])
    assert.deepEqual(trail.counts, { written: 1, failures: 0, lost: 0, waiting: 0 })
  })

  test('events that come together are written in their order, in few writes', async () => {
    const disk = new Disk()
    const { trail } = trailOn(disk)
    const ids = Array.from({ length: 500 }, (_, n) => String(n))
    await Promise.all(ids.map((id) => trail.append({ _id: id })))
    assert.deepEqual(disk.ids, ids)
    assert.ok(disk.writes < 5, `${disk.writes} writes`)
  })

  test('a failing disk is logged once, blocks no caller, and gets every event in order once it recovers', async () => {
    const disk = new Disk()
    const { trail, errors, log } = trailOn(disk)
    disk.full = true
    for (let n = 0; n < 5; n++) await trail.append({ _id: String(n) })
    assert.deepEqual([disk.text, errors(), trail.counts.failures, trail.counts.waiting], ['', 1, 5, 5])
    disk.full = false
    await trail.append({ _id: '5' })
    assert.deepEqual(disk.ids, ['0', '1', '2', '3', '4', '5'])
    assert.equal(trail.counts.waiting, 0)
    assert.ok(log.lines.some((line) => line.includes('written again')))
    disk.full = true
    await trail.append({ _id: '6' })
    assert.equal(errors(), 2)
  })

  test('it tries again by itself', async () => {
    const disk = new Disk()
    const { trail } = trailOn(disk, { retryAfter: 1 })
    disk.full = true
    await trail.append({ _id: '1' })
    disk.full = false
    while (disk.text === '') await new Promise((resolve) => setTimeout(resolve, 1))
    assert.deepEqual(disk.ids, ['1'])
  })

  test('only so many wait; those that find no room are counted, and logged once', async () => {
    const disk = new Disk()
    const { trail, errors } = trailOn(disk, { maxWaitingBytes: 3 * '{"_id":"0"}\n'.length })
    disk.full = true
    for (let n = 0; n < 10; n++) await trail.append({ _id: String(n) })
    assert.deepEqual([trail.counts.waiting, trail.counts.lost, errors()], [3, 7, 2])
    disk.full = false
    await trail.flush()
    assert.deepEqual(disk.ids, ['0', '1', '2'])
  })

  test('an unresponsive disk delays callers for a bounded time', async () => {
    const disk = new Disk()
    const { trail } = trailOn(disk, { patience: 5 })
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.stuck = promise
    await trail.append({ _id: '1' })
    await trail.append({ _id: '2' })
    assert.equal(disk.text, '')
    resolve()
    disk.stuck = null
    await trail.close()
    assert.deepEqual(disk.ids, ['1', '2'])
  })

  test('an event that is too large for a line is counted as lost', async () => {
    const disk = new Disk()
    const { trail, errors } = trailOn(disk)
    await trail.append({ _id: 'x'.repeat(20_000) })
    assert.deepEqual([disk.text, trail.counts.lost, errors()], ['', 1, 1])
  })

  test('events still queued at the end are reported as lost', async () => {
    const disk = new Disk()
    const { trail, log } = trailOn(disk)
    disk.full = true
    await trail.append({ _id: '1' })
    await trail.close()
    assert.ok(log.lines.some((line) => line.includes('GW_AUDIT_EVENTS_LOST')))
  })
})
