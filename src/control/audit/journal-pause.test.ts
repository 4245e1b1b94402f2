import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { JournalGate } from '#durable-queue'
import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import { Folder } from '#test/folder'
import { waitUntil } from '#test/waiting'
import { JournalPause } from './journal-pause.ts'

function pausing(directory: string) {
  const log = memoryLog()
  const logger = createLogger({ destination: log })
  const pause = new JournalPause({ logger, clock: systemClock, directories: () => [directory], pause: 20 })
  const gateOf = (service: number) => new JournalGate(pause.memory, service)
  const faults = () => log.entries.filter(({ code }) => code === 'GW_CONTROL_AUDIT_JOURNAL_FAILED')
  return { pause, gateOf, faults, [Symbol.dispose]: () => pause.close() }
}

/** Not narrowed by earlier assertions. */
const checkOf = (pause: JournalPause) => pause.check

test('journals are paused, and reported, until the disk takes a write in time', async () => {
  using folder = new Folder()
  const spool = folder.in('spool')
  writeFileSync(spool, 'a file')
  using writing = pausing(spool)
  const { pause, gateOf, faults } = writing
  assert.equal(checkOf(pause), null)
  pause.begin('gateway+AuditService', 'a write took 300 ms')
  pause.begin('gateway+AuditService', 'a write took 301 ms')
  assert.equal(gateOf(1).isOpen, false)
  assert.deepEqual(
    faults().map((entry) => entry['problem']),
    ['a write took 300 ms'],
  )
  await waitUntil('an attempt that fails', () => /EEXIST|ENOTDIR/.test(checkOf(pause)?.detail ?? ''))
  assert.deepEqual([checkOf(pause)?.ok, checkOf(pause)?.state, gateOf(1).isOpen], [true, 'degraded', false])
  rmSync(spool)
  await waitUntil('journals are written again', () => gateOf(1).isOpen)
  assert.equal(checkOf(pause), null)
  assert.deepEqual(readdirSync(spool), [])
})

test('a unit that ends while it writes pauses the journals, and keeps no other from writing after the pause', async () => {
  using folder = new Folder()
  using writing = pausing(folder.path)
  const { pause, gateOf, faults } = writing
  pause.ended('gateway+AuditService', 1)
  assert.equal(gateOf(1).isOpen, true)
  assert.equal(gateOf(1).enter(), 'entered')
  pause.ended('gateway+AuditService', 1)
  assert.equal(gateOf(2).enter(), 'paused')
  assert.equal(faults().length, 1)
  await waitUntil('journals are written again', () => gateOf(2).isOpen)
  assert.equal(gateOf(2).enter(), 'entered')
})

test('a pause of a unit that ended before it could report it ends too', async () => {
  using folder = new Folder()
  using writing = pausing(folder.path)
  const { pause, gateOf, faults } = writing
  gateOf(1).pause()
  pause.ended('gateway+AuditService', 1)
  await waitUntil('journals are written again', () => gateOf(1).isOpen)
  assert.equal(faults().length, 1)
})
