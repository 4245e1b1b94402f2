import assert from 'node:assert/strict'
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { removeDurably, removeUnfinishedWrites, writeDurably } from './durable-file.ts'

test('a write creates the folder and the complete file, and leaves no temporary file', async () => {
  using folder = new Folder({})
  const directory = join(folder.path, 'config/routes')
  await writeDurably(directory, 'a.json', 'one')
  await writeDurably(directory, 'a.json', 'two')
  assert.equal(readFileSync(join(directory, 'a.json'), 'utf8'), 'two')
  assert.deepEqual(readdirSync(directory), ['a.json'])
})

test('a new file is readable by its owner only, and an existing one keeps its mode', async () => {
  using folder = new Folder({})
  await writeDurably(folder.path, 'a.json', 'one')
  assert.equal(statSync(join(folder.path, 'a.json')).mode & 0o007, 0)
  chmodSync(join(folder.path, 'a.json'), 0o600)
  await writeDurably(folder.path, 'a.json', 'two')
  assert.equal(statSync(join(folder.path, 'a.json')).mode & 0o777, 0o600)
})

test('root leaves files to their owner, and new ones to the owner of the folder', {
  skip: process.getuid?.() !== 0 && 'needs root',
}, async () => {
  using folder = new Folder({ 'a.json': 'one' })
  chownSync(folder.path, 10_001, 10_002)
  chownSync(join(folder.path, 'a.json'), 10_003, 10_004)
  for (const name of ['a.json', 'b.json']) await writeDurably(folder.path, name, 'two')
  const ownerOf = (name: string) => {
    const { uid, gid } = statSync(join(folder.path, name))
    return [uid, gid]
  }
  assert.deepEqual(
    [ownerOf('a.json'), ownerOf('b.json')],
    [
      [10_003, 10_004],
      [10_001, 10_002],
    ],
  )
})

test('F16: a failed write leaves the old file, and no temporary one', async () => {
  using folder = new Folder({ 'a.json/inside': 'a folder can not be replaced by a file' })
  await assert.rejects(writeDurably(folder.path, 'a.json', 'two'))
  assert.deepEqual(readdirSync(folder.path), ['a.json'])
})

test('removal is idempotent', async () => {
  using folder = new Folder({ 'a.json': '{}' })
  await removeDurably(folder.path, 'a.json')
  await removeDurably(folder.path, 'a.json')
  assert.deepEqual(readdirSync(folder.path), [])
})

test('F18: only temporary files of a crash are removed', () => {
  using folder = new Folder({ 'a.json': '{}', '.a.json.0123456789abcdef.tmp': '{', '.hidden': '', 'b.tmp': '' })
  removeUnfinishedWrites(folder.path)
  assert.deepEqual(readdirSync(folder.path).sort(), ['.hidden', 'a.json', 'b.tmp'])
  removeUnfinishedWrites(join(folder.path, 'none'))
  writeFileSync(join(folder.path, 'x'), '')
  removeUnfinishedWrites(join(folder.path, 'x'))
})
