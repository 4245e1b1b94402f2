// Journals of units in the directory of a spool, and what the next process makes of them.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { stat } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { BatchBuilder, JOURNAL_MEMORY } from '#durable-queue'
import { ACCEPT, AuditDestination, REFUSE_CONNECTION, StartedDelivery } from '#test/audit-destination'
import { Folder } from '#test/folder'
import { once, waitUntil } from '#test/waiting'
import { thisProcess } from '../spool/process-identity.ts'
import { journalPath } from './journal-file.ts'
import { JournalGate } from './journal-gate.ts'
import { JournalWriter } from './journal-writer.ts'

const target = (directory: string, format = 0) => ({ directory, formats: 2, format, topics: ['access'] })

interface Writing {
  readonly service?: number
  readonly monotonic?: () => number
  readonly format?: number
  /** Of all journals. */
  readonly memory?: SharedArrayBuffer
}

const journals = () => new SharedArrayBuffer(JOURNAL_MEMORY.bytes)

/** A journal, and a function that writes events to it. */
function journalIn(
  directory: string,
  { service = 1, monotonic = () => 0, format = 0, memory = journals() }: Writing = {},
) {
  const faults: string[] = []
  const builder = new BatchBuilder(2)
  const gate = new JournalGate(memory, service)
  const writer = new JournalWriter({
    targets: [target(directory, format)],
    service,
    gate,
    clock: { monotonic },
    onFault: (problem) => void faults.push(problem),
  })
  const write = (...ids: string[]) => {
    for (const id of ids) builder.add({ topic: 'access', id, time: 1, texts: [`{"_id":"${id}"}`, `<${id}>`] })
    const group = builder.takeGroup()
    if (group !== null) writer.append(group)
  }
  const endBatch = () => {
    builder.build()
    return writer.endBatch()
  }
  return { writer, write, endBatch, faults, gate }
}

/** Makes the journals of this process those of another one. */
function giveTo(directory: string, { host = null as string | null, pid = 0, started = '1' }): void {
  for (const name of journalsIn(directory)) {
    const [, service, batch] = /\.(\d+)\.(\d+)\.journal$/.exec(name) ?? []
    const named = `${host ?? encodeURIComponent(thisProcess().host)}.${pid}.${started}.${service}.${batch}.journal`
    renameSync(`${directory}/${name}`, `${directory}/${named}`)
  }
}

const journalsIn = (directory: string) => readdirSync(directory).filter((name) => name.endsWith('.journal'))

/** The texts that the next process delivers. */
async function delivered(directory: string): Promise<{ texts: string[]; started: StartedDelivery }> {
  const destination = new AuditDestination()
  const started = new StartedDelivery(destination, { spool: { directory, maxBytes: 64 << 20 } })
  await started.delivery.close(10_000)
  return { texts: destination.accepted.map(({ text }) => text), started }
}

/** The id of a process that has ended. */
async function endedProcess(): Promise<number> {
  const child: ChildProcess = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid ?? assert.fail('no process')
}

describe('the journals of a process that has ended', () => {
  test('are delivered by the next one, each event once, in the format of the handler', async () => {
    using folder = new Folder()
    const { write, endBatch } = journalIn(folder.path, { format: 1 })
    write('a', 'b')
    write('c')
    assert.equal(endBatch(), 1)
    write('b', 'd')
    giveTo(folder.path, { pid: await endedProcess() })
    const { texts, started } = await delivered(folder.path)
    assert.deepEqual(texts, ['<a>', '<c>', '<b>', '<d>'])
    assert.equal(started.delivery.counts.lost.unreadable, 0)
    assert.deepEqual(readdirSync(folder.path), [])
  })

  test('are delivered after its segments, up to what a kill cut off', async () => {
    using folder = new Folder()
    const { write } = journalIn(folder.path)
    write('a')
    write('b')
    const pid = await endedProcess()
    giveTo(folder.path, { pid })
    const [name = ''] = journalsIn(folder.path)
    writeFileSync(folder.in(name), readFileSync(folder.in(name)).subarray(0, -3))
    giveTo(folder.path, { pid })
    assert.deepEqual((await delivered(folder.path)).texts, ['{"_id":"a"}'])
  })

  test('are found where the process had the id of this one', async () => {
    using folder = new Folder()
    journalIn(folder.path).write('a')
    giveTo(folder.path, { pid: process.pid, started: '1' })
    assert.deepEqual((await delivered(folder.path)).texts, ['{"_id":"a"}'])
  })

  test('of another machine are delivered when they were not written for 30 seconds', async () => {
    using folder = new Folder()
    journalIn(folder.path).write('a')
    giveTo(folder.path, { host: 'elsewhere' })
    assert.deepEqual((await delivered(folder.path)).texts, [])
    const [name = ''] = journalsIn(folder.path)
    const before = Date.now() / 1000 - 31
    utimesSync(folder.in(name), before, before)
    assert.deepEqual((await delivered(folder.path)).texts, ['{"_id":"a"}'])
    assert.deepEqual(readdirSync(folder.path), [])
  })
})

test('large journals become several segments', async () => {
  using folder = new Folder()
  const { write, endBatch } = journalIn(folder.path)
  const ids = Array.from({ length: 12 }, (_, number) => `${number}`.padStart(450_000, '0'))
  for (const id of ids) {
    write(id)
    endBatch()
  }
  giveTo(folder.path, { pid: await endedProcess() })
  const destination = new AuditDestination(REFUSE_CONNECTION)
  await using started = new StartedDelivery(destination, { spool: { directory: folder.path, maxBytes: 64 << 20 } })
  await waitUntil('no journal is left', () => journalsIn(folder.path).length === 0)
  assert.ok(readdirSync(folder.path).filter((name) => name.endsWith('.spool')).length > 1)
  destination.treatment = ACCEPT
  assert.equal(await started.delivery.flush(30_000), true)
  assert.deepEqual(destination.ids, ids)
})

const asRoot = process.getuid?.() === 0 ? 'root may read everything' : false

test('a journal that can not be read is logged and left; the others are delivered', { skip: asRoot }, async () => {
  using folder = new Folder()
  const { write, endBatch } = journalIn(folder.path)
  write('a')
  endBatch()
  write('b')
  giveTo(folder.path, { pid: await endedProcess() })
  const first = journalsIn(folder.path).find((name) => name.endsWith('.1.journal')) ?? assert.fail()
  chmodSync(folder.in(first), 0)
  const { texts, started } = await delivered(folder.path)
  assert.deepEqual(texts, ['{"_id":"b"}'])
  assert.deepEqual(journalsIn(folder.path), [first])
  assert.ok(started.logged('GW_AUDIT_JOURNAL_UNREADABLE').length > 0)
})

test('the journals of a process that runs are left', async () => {
  using folder = new Folder()
  journalIn(folder.path).write('a')
  assert.deepEqual((await delivered(folder.path)).texts, [])
  assert.equal(journalsIn(folder.path).length, 1)
})

test('files that are no journals, and links, do no harm', async () => {
  using folder = new Folder()
  const ended = `${encodeURIComponent(thisProcess().host)}.${await endedProcess()}.1.1`
  writeFileSync(folder.in('other.journal'), 'text')
  writeFileSync(folder.in(`${ended}.1.journal`), '{"formats":1}\n')
  writeFileSync(folder.in(`${ended}.2.journal`), 'text without an end')
  writeFileSync(folder.in(`${ended}.3.journal`), '')
  mkdirSync(folder.in(`${ended}.4.journal`))
  symlinkSync('/etc/hostname', folder.in(`${ended}.5.journal`))
  assert.deepEqual((await delivered(folder.path)).texts, [])
})

describe('a journal that can not be written', () => {
  test('pauses those of all units, until the control thread resumes them', () => {
    using folder = new Folder()
    const directory = folder.in('spool')
    writeFileSync(directory, 'a file')
    const memory = journals()
    const { writer, write, endBatch, faults, gate } = journalIn(directory, { memory })
    const other = journalIn(folder.in('other'), { memory, service: 2 })
    write('a')
    assert.match(faults.join(), /EEXIST|ENOTDIR/)
    assert.deepEqual([writer.isActive, other.writer.isActive], [false, false])
    write('b')
    other.write('b')
    assert.deepEqual([endBatch(), other.endBatch()], [null, null])
    renameSync(directory, folder.in('moved'))
    gate.resume()
    write('c')
    assert.equal(endBatch(), 1)
    assert.deepEqual(journalsIn(directory), [journalPath(target(''), 1, 1)])
    assert.deepEqual([faults.length, other.faults], [1, []])
  })

  test('in time pauses them, so that a stalled disk does not stop the traffic', () => {
    using folder = new Folder()
    const times = [0, 300, 300]
    const { writer, write, faults } = journalIn(folder.path, { monotonic: () => times.shift() ?? 300 })
    write('a')
    assert.equal(writer.isActive, false)
    assert.deepEqual(faults, ['a write took 300 ms'])
  })

  test('since another unit hangs while it writes is waited for only as long as a write may take', () => {
    using folder = new Folder()
    const memory = journals()
    const hanging = new JournalGate(memory, 1)
    assert.equal(hanging.enter(), 'entered')
    const { writer, write, endBatch, faults } = journalIn(folder.path, { memory, service: 2 })
    write('a')
    assert.deepEqual(faults, ['the write of another unit took longer than 250 ms'])
    assert.equal(writer.isActive, false)
    // Given up, and replaced: the one that hangs no longer has a part in it.
    hanging.leave()
    hanging.resume()
    write('b')
    hanging.leave()
    assert.equal(endBatch(), 1)
    assert.equal(faults.length, 1)
  })
})

/** Files of a folder that this process has open. */
function openIn(directory: string): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(directory)
    } catch {
      return false
    }
  }).length
}

const skip = process.platform === 'linux' ? false : 'open files are known on Linux'

test('files are closed after a pause: while the disk hangs each would take a thread of the pool', {
  skip,
}, async () => {
  using folder = new Folder()
  const { write, endBatch, gate } = journalIn(folder.path)
  write('a')
  gate.pause()
  assert.equal(endBatch(), 1)
  for (let call = 0; call < 20; call++) await stat(folder.path)
  assert.equal(openIn(folder.path), 1)
  gate.resume()
  write('b')
  assert.equal(endBatch(), 2)
  await waitUntil('both files are closed', () => openIn(folder.path) === 0)
})
