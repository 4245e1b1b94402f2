import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import type { AuditValues } from './audit-fields.ts'
import { folderWarnings } from './folder-warnings.ts'

const isRoot = process.getuid?.() === 0

function warningsOf(paths: readonly (string | undefined)[], { serving = true, enabled = true } = {}) {
  const handlers = paths.map((exclusive) => ({ enabled, transport: { exclusive } }))
  return folderWarnings(handlers as unknown as AuditValues['eventHandlers'], { serving })
}

test('a folder that exists or can be created, and handlers without files, have no warning', async () => {
  using folder = new Folder({ 'a/file': '' })
  assert.deepEqual(await warningsOf([undefined, folder.in('a'), folder.in('a/b/c')]), [])
})

test('a file in the place of the folder, or of one above it, is a warning with the pointer, also in a dry run', async () => {
  using folder = new Folder({ 'a/file': '' })
  const file = folder.in('a/file')
  const message = `${file} is no folder; events wait in the queue until that is changed`
  for (const serving of [true, false]) {
    assert.deepEqual(await warningsOf([folder.path, file, `${file}/b`], { serving }), [
      { pointer: '/eventHandlers/1/config/logDirectory', message },
      { pointer: '/eventHandlers/2/config/logDirectory', message },
    ])
  }
  assert.deepEqual(await warningsOf([file], { enabled: false }), [])
})

test('a folder without permission is a warning of the gateway, not of a dry run', {
  skip: isRoot && 'root may write everywhere',
}, async () => {
  using folder = new Folder({ 'a/file': '' })
  chmodSync(folder.in('a'), 0o500)
  const [warning] = await warningsOf([folder.in('a/b')])
  assert.match(String(warning?.message), /can not write to the folder .*\/a \(EACCES\)/)
  assert.deepEqual(await warningsOf([folder.in('a/b')], { serving: false }), [])
  chmodSync(folder.in('a'), 0o700)
})
