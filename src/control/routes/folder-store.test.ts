import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { createLogger } from '#logging'
import { contentOf } from '#releases'
import { Folder } from '#test/folder'
import { FolderStore } from './folder-store.ts'

const logger = createLogger({ level: 'silent' })
const by = { author: 'admin', note: null }

function storeOf(folder: Folder, scanInterval = 0): FolderStore {
  return new FolderStore({ directory: folder.path, scanInterval, logger })
}

describe('a folder as a store of configuration', () => {
  test('has the JSON files of the folder, and a state that changes with them', async () => {
    using folder = new Folder({ 'a.json': '{"a":1}', 'b.json': '{}', 'c.txt': 'no', '.d.json': '{}' })
    const store = storeOf(folder)
    const { state, files } = await store.read()
    assert.deepEqual([...files.keys()], ['a.json', 'b.json'])
    assert.deepEqual(String(await files.get('a.json')?.content()), '{"a":1}')
    assert.equal((await store.read()).state, state)
    folder.write('a.json', '{"a":2}')
    assert.notEqual((await store.read()).state, state)
  })

  test('writes a file only if it has the expected content', async () => {
    using folder = new Folder({ 'a.json': 'old' })
    const store = storeOf(folder)
    const old = contentOf('old').hash
    const changes = (before: string | null, after: string | null) => [{ path: 'a.json', before, after }]
    assert.deepEqual(await store.write(changes(null, 'new'), by), { state: 'conflict', path: 'a.json' })
    assert.deepEqual(await store.write(changes(contentOf('other').hash, 'new'), by), {
      state: 'conflict',
      path: 'a.json',
    })
    assert.equal(folder.read('a.json'), 'old')
    assert.deepEqual(await store.write(changes(old, 'new'), by), { state: 'done' })
    assert.equal(folder.read('a.json'), 'new')
    assert.deepEqual(await store.write(changes(contentOf('new').hash, null), by), { state: 'done' })
    assert.equal(existsSync(folder.in('a.json')), false)
    assert.deepEqual(await store.write(changes(old, 'new'), by), { state: 'conflict', path: 'a.json' })
  })

  test('writes several files, or none', async () => {
    using folder = new Folder({ 'a.json': 'a' })
    const store = storeOf(folder)
    const hash = contentOf('a').hash
    // A folder can not be replaced by a file.
    mkdirSync(folder.in('b.json'))
    writeFileSync(folder.in('b.json/inner'), '')
    const outcome = await store.write(
      [
        { path: 'a.json', before: hash, after: 'changed' },
        { path: 'c.json', before: null, after: 'new' },
        { path: 'b.json', before: contentOf('').hash, after: 'b' },
      ],
      by,
    )
    assert.equal(outcome.state, 'unwritten')
    assert.equal(folder.read('a.json'), 'a')
    assert.deepEqual(readdirSync(folder.path).toSorted(), ['a.json', 'b.json'])
  })

  test('does not read a pipe', { skip: process.platform === 'win32' }, async () => {
    using folder = new Folder()
    assert.equal(spawnSync('mkfifo', [folder.in('pipe.json')]).status, 0)
    const store = storeOf(folder)
    const before = await store.hash('pipe.json')
    assert.deepEqual(await store.write([{ path: 'pipe.json', before, after: '{}' }], by), { state: 'done' })
    assert.equal(folder.read('pipe.json'), '{}')
  })
})
