import assert from 'node:assert/strict'
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { removeDurably, removeUnfinishedWrites, replaceFile, writeDurably } from './durable-file.ts'

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

test('a write can be a function, and a failure within it leaves the old file and names the temporary one', async () => {
  using folder = new Folder({ 'a.json': 'one' })
  const path = join(folder.path, 'a.json')
  await replaceFile(path, async (file) => {
    await file.writeFile('two ')
    await file.writeFile('parts')
  })
  assert.equal(readFileSync(path, 'utf8'), 'two parts')
  const failing = replaceFile(path, (file) => file.read().then(() => {}))
  await assert.rejects(failing, /EBADF: bad file descriptor, read '.+\/\.a\.json\.[0-9a-f]{16}\.tmp'/)
  assert.deepEqual(readdirSync(folder.path), ['a.json'])
  assert.equal(readFileSync(path, 'utf8'), 'two parts')
})

test('a mode that is not kept applies whatever the umask and the old file are', async () => {
  using folder = new Folder({ 'a.json': 'one' })
  chmodSync(join(folder.path, 'a.json'), 0o600)
  for (const name of ['a.json', 'b.json'])
    await replaceFile(join(folder.path, name), 'two', { mode: 0o646, keepsMode: false, syncsName: false })
  assert.deepEqual(
    ['a.json', 'b.json'].map((name) => statSync(join(folder.path, name)).mode & 0o777),
    [0o646, 0o646],
  )
})

test('a temporary file of a crash is overwritten, and a link in its place is not followed', async () => {
  using folder = new Folder({ 'a.json.tmp': 'half of a longer text', victim: 'kept' })
  const temporary = join(folder.path, 'a.json.tmp')
  await replaceFile(join(folder.path, 'a.json'), 'two', { temporary })
  assert.equal(readFileSync(join(folder.path, 'a.json'), 'utf8'), 'two')
  symlinkSync('victim', temporary)
  await assert.rejects(replaceFile(join(folder.path, 'a.json'), 'three', { temporary }), { code: 'ELOOP' })
  assert.equal(readFileSync(join(folder.path, 'victim'), 'utf8'), 'kept')
  assert.equal(readFileSync(join(folder.path, 'a.json'), 'utf8'), 'two')
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
