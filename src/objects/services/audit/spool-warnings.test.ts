import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Environment } from '#schema'
import { Folder } from '#test/folder'
import type { AuditValues } from './audit-fields.ts'
import { networkNameOfType, spoolWarnings } from './spool-warnings.ts'

function warningsOf(
  folder: Folder,
  spools: readonly (object | null)[],
  { serving = true, name = 'NFS' as string | null } = {},
) {
  const handlers = spools.map((spool) => ({
    enabled: true,
    queue: { spool },
  })) as unknown as AuditValues['eventHandlers']
  const directories = { writable: folder.path } as Environment['directories']
  return spoolWarnings(handlers, { serving, directories }, async () => name)
}

test('spools on a network file system are a warning of the gateway with the pointer of the first one', async () => {
  using folder = new Folder()
  const [warning, ...others] = await warningsOf(folder, [null, {}, {}])
  assert.equal(warning?.pointer, '/eventHandlers/1/config/spool')
  assert.match(
    String(warning?.message),
    /spool\/audit is on a network file system \(NFS\): while that does not answer, a unit hangs/,
  )
  assert.deepEqual(others, [])
  assert.deepEqual(await warningsOf(folder, [{}], { serving: false }), [])
  assert.deepEqual(await warningsOf(folder, [null]), [])
  assert.deepEqual(await warningsOf(folder, [{}], { name: null }), [])
})

test('the folder of a local disk has no warning, whether it exists or will be created', async () => {
  using folder = new Folder()
  const handlers = [{ enabled: true, queue: { spool: {} } }] as unknown as AuditValues['eventHandlers']
  const directories = { writable: folder.path } as Environment['directories']
  const warnings = await spoolWarnings(handlers, { serving: true, directories })
  // Folders of tests may be on any file system.
  for (const { message } of warnings) assert.match(message, /network file system/)
})

test('file systems are known by their numbers, which Node may give as negative ones', () => {
  assert.deepEqual([0x6969, -11317950, 0xfe534d42].map(networkNameOfType), ['NFS', 'SMB', 'SMB'])
  assert.deepEqual([0xef53, 0x01021994, 0x58465342, 0x9123683e].map(networkNameOfType), [null, null, null, null])
})
