import assert from 'node:assert/strict'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  ACCEPT,
  AuditDestination,
  idsOf,
  QUICK,
  REFUSE_CONNECTION,
  recordOf,
  recordsOf,
  STALL,
  StartedDelivery,
  until,
} from '#test/audit-destination'
import { Folder } from '#test/folder'
import { SmallDisk } from '#test/small-disk'

const MEBIBYTE = 1 << 20

function segmentsIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.endsWith('.spool'))
}

/** A delivery with a spool in a directory. */
function spooling(
  directory: string,
  destination: AuditDestination,
  { maxBytes = 64 * MEBIBYTE, maxEvents = 100_000, startLimit = 20_000 } = {},
) {
  const plan = { maxEvents, spool: { directory, maxBytes } }
  return new StartedDelivery(destination, plan, { timing: { ...QUICK, startLimit } })
}

/** Leaves records in a directory as a stopped gateway does. */
async function spooled(directory: string, count: number, maxBytes = 64 * MEBIBYTE): Promise<void> {
  const { delivery } = spooling(directory, new AuditDestination(REFUSE_CONNECTION), { maxBytes })
  // Several additions, so that segments have groups of several sizes.
  for (let from = 0; from < count; from += 100) delivery.add(recordsOf(Math.min(100, count - from), from))
  await delivery.close(5_000)
  assert.equal(delivery.counts.lost.closed, 0)
}

async function delivered(directory: string): Promise<{ ids: string[]; started: StartedDelivery }> {
  const destination = new AuditDestination()
  const started = spooling(directory, destination)
  await started.delivery.close(10_000)
  return { ids: destination.ids, started }
}

describe('a spool', () => {
  test('is not written while the destination is quick', async () => {
    using folder = new Folder()
    const directory = folder.in('spool')
    const destination = new AuditDestination()
    await using started = spooling(directory, destination)
    for (let n = 0; n < 50; n++) {
      started.delivery.add(recordsOf(10, n * 10))
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await started.delivery.flush(10_000)
    assert.deepEqual(readdirSync(directory), ['lock'])
    assert.deepEqual([started.delivery.counts.spooledBytes, destination.ids], [0, idsOf(500)])
  })

  test('has the records of an outage for the next process, which sends them first and in order', async () => {
    using folder = new Folder()
    const directory = folder.in('spool')
    await spooled(directory, 1_000)
    assert.equal(statSync(directory).mode & 0o777, 0o700)
    assert.ok(segmentsIn(directory).length > 0)
    for (const name of segmentsIn(directory)) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600)
    const destination = new AuditDestination()
    await using started = spooling(directory, destination)
    started.delivery.add(recordsOf(100, 1_000))
    assert.equal(await started.delivery.flush(10_000), true)
    assert.deepEqual(destination.ids, idsOf(1_100))
    await until(() => segmentsIn(directory).length === 0)
    await until(() => started.delivery.counts.spooledBytes === 0)
  })

  test('whose last line was cut by a crash is read up to the cut, wherever that is', async () => {
    using folder = new Folder()
    await spooled(folder.in('whole'), 5)
    const [name] = segmentsIn(folder.in('whole'))
    const content = readFileSync(folder.in(`whole/${name}`))
    let lines = 0
    for (let length = 0; length <= content.length; length++) {
      if (length > 0 && content[length - 1] === 0x0a) lines++
      folder.write(`cut/${name}`, '')
      writeFileSync(folder.in(`cut/${name}`), content.subarray(0, length))
      const { ids, started } = await delivered(folder.in('cut'))
      assert.deepEqual(ids, idsOf(lines), `cut after ${length} bytes`)
      assert.deepEqual([started.delivery.counts.lost.unreadable, segmentsIn(folder.in('cut'))], [0, []])
    }
  })

  test('skips, counts and logs lines that are damaged', async () => {
    using folder = new Folder()
    await spooled(folder.path, 200)
    const path = folder.in(segmentsIn(folder.path)[0] as string)
    const lines = readFileSync(path, 'utf8').split('\n')
    lines[3] = `${lines[3]?.slice(0, -3)}x]`
    lines[70] = '\0'.repeat(500)
    writeFileSync(path, lines.join('\n'))
    appendFileSync(path, 'ffffffff [1,"a"')
    const { ids, started } = await delivered(folder.path)
    assert.deepEqual(
      ids,
      idsOf(200).filter((id) => id !== '3' && id !== '70'),
    )
    assert.equal(started.delivery.counts.lost.unreadable, 2)
    assert.equal(started.logged('GW_AUDIT_SPOOL_UNREADABLE').length, 1)
  })

  test('stores the records beyond memory in order, and is emptied when the destination recovers', async () => {
    using folder = new Folder()
    const destination = new AuditDestination(REFUSE_CONNECTION)
    await using started = spooling(folder.in('spool'), destination, { maxEvents: 100 })
    for (let from = 0; from < 5_000; from += 20) {
      started.delivery.add(recordsOf(20, from))
      await until(() => !started.delivery.isFull)
    }
    assert.equal(started.delivery.counts.queued, 5_000)
    assert.ok(started.delivery.counts.spooledBytes > 5_000 * 20)
    destination.treatment = ACCEPT
    for (let from = 5_000; from < 6_000; from += 20) {
      started.delivery.add(recordsOf(20, from))
      await until(() => !started.delivery.isFull)
    }
    assert.equal(await started.delivery.flush(20_000), true)
    assert.deepEqual(destination.ids, idsOf(6_000))
    assert.equal(started.delivery.counts.lost.full, 0)
    // A write that began before the last records were accepted ends first.
    await until(() => segmentsIn(folder.in('spool')).length === 0)
    await until(() => started.delivery.counts.spooledBytes === 0)
  })

  test('of several segments is replayed in order, and each is removed when its records are accepted', async () => {
    using folder = new Folder()
    await spooled(folder.path, 4_000, 800_000)
    assert.ok(segmentsIn(folder.path).length >= 2, String(segmentsIn(folder.path)))
    const { ids } = await delivered(folder.path)
    assert.deepEqual([ids, readdirSync(folder.path)], [idsOf(4_000), []])
  })

  test('is bounded in bytes: then memory is used up to its bound, and further records are lost', async () => {
    using folder = new Folder()
    const destination = new AuditDestination(REFUSE_CONNECTION)
    await using started = spooling(folder.path, destination, { maxEvents: 100, maxBytes: 20_000 })
    for (let from = 0; from < 3_000; from += 10) {
      started.delivery.add(recordsOf(10, from))
      await until(() => !started.delivery.isFull || started.logged('GW_AUDIT_SPOOL_FULL').length > 0)
    }
    const size = segmentsIn(folder.path).reduce((sum, name) => sum + statSync(folder.in(name)).size, 0)
    assert.ok(size <= 20_000, `${size} bytes`)
    const { queued, lost } = started.delivery.counts
    assert.equal(queued + lost.full, 3_000)
    assert.equal(started.delivery.isFull, true)
    destination.treatment = ACCEPT
    assert.equal(await started.delivery.flush(20_000), true)
    assert.equal(destination.accepted.length, queued)
    assert.deepEqual(
      destination.ids,
      destination.ids.toSorted((a, b) => Number(a) - Number(b)),
    )
    assert.equal(started.delivery.isFull, false)
    await until(() => started.delivery.state.isUp, 'a spool that is not needed is no problem')
  })

  test('takes a burst that is larger than the queue in memory: nothing is lost while the disk has room', async () => {
    using folder = new Folder()
    const destination = new AuditDestination(REFUSE_CONNECTION)
    await using started = spooling(folder.path, destination, { maxEvents: 4 })
    for (let from = 0; from < 3_000; from += 1_000) started.delivery.add(recordsOf(1_000, from))
    destination.treatment = ACCEPT
    assert.equal(await started.delivery.flush(20_000), true)
    assert.deepEqual([destination.ids, started.delivery.counts.lost.full], [idsOf(3_000), 0])
  })

  test('that is full at the end says that events were not stored, not that they are lost: journals may have them', async () => {
    using folder = new Folder()
    const started = spooling(folder.path, new AuditDestination(REFUSE_CONNECTION), { maxBytes: 2_000 })
    started.delivery.add(recordsOf(1_000))
    await until(() => started.logged('GW_AUDIT_SPOOL_FULL').length > 0)
    await started.delivery.close(50)
    assert.equal(started.logged('GW_AUDIT_EVENTS_NOT_STORED').length, 1)
    assert.deepEqual(started.logged('GW_AUDIT_EVENTS_LOST'), [])
  })

  test('after an orderly stop, records that were accepted are not sent again', async () => {
    using folder = new Folder()
    await spooled(folder.path, 2_000)
    const destination = new AuditDestination(() =>
      destination.calls.length > 2 ? STALL([], AbortSignal.abort()) : undefined,
    )
    const { delivery } = spooling(folder.path, destination)
    await until(() => destination.calls.length === 3)
    await delivery.close(1)
    assert.deepEqual(destination.ids, idsOf(1_000))
    const { ids } = await delivered(folder.path)
    assert.deepEqual(ids, idsOf(1_000, 1_000))
  })

  test('with a damaged line before the position of an orderly stop loses no other record', async () => {
    using folder = new Folder()
    await spooled(folder.path, 20)
    const [name] = segmentsIn(folder.path)
    const lines = folder.read(name as string).split('\n')
    lines[4] = 'damaged'
    folder.write(name as string, lines.join('\n'))
    folder.write('position', `${name} 10`)
    const { ids, started } = await delivered(folder.path)
    assert.deepEqual(ids, idsOf(10, 10))
    assert.equal(started.delivery.counts.lost.unreadable, 0)
  })

  test('with a position that is not valid is sent from its beginning', async () => {
    using folder = new Folder()
    const name = '0000000000000001.spool'
    for (const position of ['', 'x', 'x 3', name, `${name} -1`, `${name} x`]) {
      await spooled(folder.path, 3)
      folder.write('position', position)
      assert.deepEqual((await delivered(folder.path)).ids, idsOf(3), position)
    }
  })

  test('that can not be read for a while is read later, and its records come before newer ones', async () => {
    using folder = new Folder()
    const directory = folder.in('spool')
    const destination = new AuditDestination(REFUSE_CONNECTION)
    await using started = spooling(directory, destination, { maxEvents: 100 })
    for (let from = 0; from < 1_000; from += 20) {
      started.delivery.add(recordsOf(20, from))
      await until(() => !started.delivery.isFull)
    }
    const names = segmentsIn(directory)
    for (const name of names) {
      renameSync(join(directory, name), folder.in(name))
      // A symbolic link is not followed.
      symlinkSync(folder.in(name), join(directory, name))
    }
    destination.treatment = ACCEPT
    await until(() => started.logged('GW_AUDIT_SPOOL_READ_FAILED').length > 0)
    assert.deepEqual(started.delivery.state, { isUp: false, reason: 'the spool can not be read: ELOOP' })
    for (const name of names) renameSync(folder.in(name), join(directory, name))
    started.delivery.add(recordsOf(20, 1_000))
    assert.equal(await started.delivery.flush(20_000), true)
    assert.deepEqual(destination.ids, idsOf(1_020))
    assert.equal(started.delivery.state.isUp, true)
  })

  test('is refused under another name of its directory', async () => {
    using folder = new Folder()
    await using first = spooling(folder.in('spool'), new AuditDestination(REFUSE_CONNECTION))
    first.delivery.add(recordsOf(1))
    await until(() => first.delivery.counts.spooledBytes > 0)
    symlinkSync(folder.in('spool'), folder.in('link'))
    await using second = spooling(folder.in('link'), new AuditDestination(), { startLimit: 0 })
    await until(() => second.logged('GW_AUDIT_SPOOL_LOCKED').length > 0)
  })

  test('is refused to a second delivery, which works in memory until the first has closed', async () => {
    using folder = new Folder()
    await using first = spooling(folder.path, new AuditDestination(REFUSE_CONNECTION))
    first.delivery.add(recordsOf(3))
    await until(() => segmentsIn(folder.path).length > 0)
    const destination = new AuditDestination()
    await using second = spooling(folder.path, destination, { startLimit: 0 })
    second.delivery.add([recordOf('x')])
    assert.equal(await second.delivery.flush(10_000), true)
    await until(() => second.logged('GW_AUDIT_SPOOL_LOCKED').length === 1)
    assert.deepEqual(destination.ids, ['x'])
    assert.deepEqual(second.delivery.state, { isUp: false, reason: 'the spool is unavailable: ELOCKED' })
    await first.delivery.close(0)
    await until(() => destination.accepted.length === 4)
    assert.deepEqual(destination.ids, ['x', '0', '1', '2'])
    assert.equal(second.delivery.state.isUp, true)
  })

  test('of a delivery that is replaced goes to its successor, which waits for it and keeps the order', async () => {
    using folder = new Folder()
    await using first = spooling(folder.path, new AuditDestination(REFUSE_CONNECTION))
    first.delivery.add(recordsOf(3))
    await until(() => segmentsIn(folder.path).length > 0)
    const destination = new AuditDestination()
    await using second = spooling(folder.path, destination)
    second.delivery.add(recordsOf(3, 3))
    await first.delivery.close(0)
    assert.equal(await second.delivery.flush(10_000), true)
    assert.deepEqual([destination.ids, second.entries], [idsOf(6), []])
  })

  test('that a crashed process left locked is opened; one of a running process is not', async () => {
    using folder = new Folder()
    await spooled(folder.in('spool'), 3)
    const lock = (holder: object) => folder.write('spool/lock', JSON.stringify(holder))
    lock({ pid: process.ppid, started: '', host: hostname() })
    const destination = new AuditDestination()
    await using started = spooling(folder.in('spool'), destination, { startLimit: 0 })
    await until(() => started.logged('GW_AUDIT_SPOOL_LOCKED').length > 0)
    lock({ pid: process.ppid, started: 'another start', host: hostname() })
    await until(() => destination.accepted.length === 3)
    for (const text of ['', '{', 'null', '{"pid":-1}', '{"pid":"x"}']) {
      using other = new Folder({ 'spool/lock': text })
      utimesSync(other.in('spool/lock'), 0, 0)
      await using opened = spooling(other.in('spool'), new AuditDestination(REFUSE_CONNECTION))
      opened.delivery.add(recordsOf(1))
      await until(() => opened.delivery.counts.spooledBytes > 0)
    }
  })

  test('that can not be written is logged once; records are delivered from memory', async () => {
    using folder = new Folder({ file: '' })
    const destination = new AuditDestination(REFUSE_CONNECTION)
    await using started = spooling(folder.in('file/spool'), destination)
    started.delivery.add(recordsOf(10))
    await until(() => destination.calls.length > 5)
    assert.equal(started.logged('GW_AUDIT_SPOOL_FAILED').length, 1)
    destination.treatment = ACCEPT
    assert.equal(await started.delivery.flush(10_000), true)
    assert.deepEqual(destination.ids, idsOf(10))
  })

  test('whose directory is removed goes on in a new one', async () => {
    using folder = new Folder()
    const directory = folder.in('spool')
    const destination = new AuditDestination(REFUSE_CONNECTION)
    await using started = spooling(directory, destination)
    started.delivery.add(recordsOf(10))
    await until(() => started.delivery.counts.spooledBytes > 0)
    rmSync(directory, { recursive: true })
    started.delivery.add(recordsOf(10, 10))
    await until(() => {
      try {
        return segmentsIn(directory).some((name) => statSync(join(directory, name)).size > 0)
      } catch {
        return false
      }
    })
    cpSync(directory, folder.in('crashed'), { recursive: true })
    rmSync(folder.in('crashed/lock'), { force: true })
    assert.deepEqual((await delivered(folder.in('crashed'))).ids, idsOf(20))
    destination.treatment = ACCEPT
    assert.equal(await started.delivery.flush(10_000), true)
    assert.deepEqual(destination.ids, idsOf(20))
  })

  test('whose segments are removed counts their records as lost, and goes on', async () => {
    using folder = new Folder()
    const destination = new AuditDestination(REFUSE_CONNECTION)
    await using started = spooling(folder.path, destination, { maxEvents: 100 })
    for (let from = 0; from < 1_000; from += 20) {
      started.delivery.add(recordsOf(20, from))
      await until(() => !started.delivery.isFull)
    }
    await until(() => started.delivery.counts.spooledBytes > 10_000)
    for (const name of segmentsIn(folder.path)) rmSync(folder.in(name))
    destination.treatment = ACCEPT
    assert.equal(await started.delivery.flush(20_000), true)
    const { lost } = started.delivery.counts
    assert.ok(lost.unreadable > 0)
    assert.equal(destination.accepted.length + lost.unreadable, 1_000)
  })

  test('without permission on its directory recovers with it', {
    skip: process.getuid?.() === 0 && 'root may write everywhere',
  }, async () => {
    using folder = new Folder()
    const destination = new AuditDestination(REFUSE_CONNECTION)
    await using started = spooling(folder.in('spool'), destination)
    await until(() => readdirSync(folder.path).length > 0)
    chmodSync(folder.in('spool'), 0o500)
    started.delivery.add(recordsOf(10))
    await until(() => started.logged('GW_AUDIT_SPOOL_FAILED').length > 0)
    chmodSync(folder.in('spool'), 0o700)
    await until(() => started.delivery.counts.spooledBytes > 0)
  })

  test('on a full disk goes on in memory, and uses the disk again when it has room', {
    skip: SmallDisk.isMissing,
  }, async () => {
    using disk = new SmallDisk()
    const destination = new AuditDestination(REFUSE_CONNECTION)
    await using started = spooling(join(disk.path, 'spool'), destination)
    await until(() => readdirSync(disk.path).includes('spool'))
    disk.fill()
    for (let from = 0; from < 5_000; from += 1_000) started.delivery.add(recordsOf(1_000, from))
    await until(() => started.logged('GW_AUDIT_SPOOL_FAILED').length > 0)
    const { errno, error } = started.logged('GW_AUDIT_SPOOL_FAILED')[0] as { errno?: string; error?: Error }
    assert.equal(errno, 'ENOSPC')
    assert.match(error?.message ?? '', new RegExp(`, write '${join(disk.path, 'spool')}/.*'$`))
    disk.free()
    await until(() => started.entries.some(({ message }) => message === 'the spool of audit events is written again'))
    destination.treatment = ACCEPT
    assert.equal(await started.delivery.flush(20_000), true)
    assert.deepEqual(destination.ids, idsOf(5_000))
  })
})
