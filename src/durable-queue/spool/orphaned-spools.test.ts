import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { AuditDestination, REFUSE_CONNECTION, recordsOf, StartedDelivery } from '#test/audit-destination'
import { Folder } from '#test/folder'
import { waitUntil } from '#test/waiting'
import { orphanedSpools } from './orphaned-spools.ts'
import { thisProcess } from './process-identity.ts'

const spooling = (directory: string) =>
  new StartedDelivery(new AuditDestination(REFUSE_CONNECTION), { spool: { directory, maxBytes: 1 << 20 } })

/** Leaves records in a directory as a stopped gateway does. */
async function spooled(directory: string): Promise<void> {
  const { delivery } = spooling(directory)
  delivery.add(recordsOf(10))
  await delivery.close(5_000)
}

test('spools with events are orphaned that no handler uses and no process has open', async () => {
  using folder = new Folder()
  for (const name of ['renamed', 'used', 'open']) await spooled(folder.in(name))
  await using started = spooling(folder.in('open'))
  await waitUntil('the spool is open', () => started.delivery.counts.spooledBytes > 0)
  mkdirSync(folder.in('empty'))
  writeFileSync(folder.in('a file'), 'text')
  symlinkSync(folder.in('renamed'), folder.in('link'))
  const found = await Array.fromAsync(orphanedSpools(folder.path, new Set([folder.in('used')])))
  const [segment = ''] = readdirSync(folder.in('renamed')).filter((name) => name.endsWith('.spool'))
  const { size } = statSync(join(folder.in('renamed'), segment))
  assert.deepEqual(found, [{ directory: folder.in('renamed'), bytes: size }])
})

test('journals of processes that have ended count, those of this one do not', async () => {
  using folder = new Folder()
  const { pid, started } = thisProcess()
  const host = encodeURIComponent(hostname())
  for (const [name, owner] of [
    ['ended', `${host}.${pid}.1`],
    ['here', `${host}.${pid}.${started}`],
  ] as const) {
    mkdirSync(folder.in(name))
    writeFileSync(folder.in(`${name}/${owner}.1.1.journal`), 'events')
  }
  const found = await Array.fromAsync(orphanedSpools(folder.path, new Set()))
  assert.deepEqual(found, [{ directory: folder.in('ended'), bytes: 6 }])
})

test('a folder that does not exist has none', async () => {
  using folder = new Folder()
  assert.deepEqual(await Array.fromAsync(orphanedSpools(folder.in('nowhere'), new Set())), [])
})
