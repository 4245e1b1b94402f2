import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync, truncateSync } from 'node:fs'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { fileState, MAX_FILE_BYTES, pathInside, readSecretFile } from './secret-file.ts'

test('the state of a file changes with its content, its replacement and its removal', async () => {
  using folder = new Folder({ a: 'x', b: 'x' })
  const first = await fileState(folder.in('a'))
  assert.equal(await fileState(folder.in('a')), first)
  renameSync(folder.in('b'), folder.in('a'))
  const second = await fileState(folder.in('a'))
  assert.notEqual(second, first)
  folder.write('a', 'longer')
  assert.notEqual(await fileState(folder.in('a')), second)
  assert.equal(await fileState(folder.in('none')), null)
  assert.equal(await fileState(folder.in('a/below')), null)
})

test('reads regular files of bounded size, and follows no link', async () => {
  using folder = new Folder({ a: 'content' })
  symlinkSync(folder.in('a'), folder.in('link'))
  assert.equal((await readSecretFile(folder.in('a'))).toString(), 'content')
  await assert.rejects(readSecretFile(folder.in('link')), { code: 'ELOOP' })
  mkdirSync(folder.in('sub'))
  await assert.rejects(readSecretFile(folder.in('sub')), /expected a regular file/)
  execFileSync('mkfifo', [folder.in('pipe')])
  await assert.rejects(readSecretFile(folder.in('pipe')), /expected a regular file/)
  truncateSync(folder.in('a'), MAX_FILE_BYTES + 1)
  await assert.rejects(readSecretFile(folder.in('a')), /expected at most 4194304 bytes, got 4194305/)
})

test('a path must be inside its directory, with symbolic links resolved', async () => {
  using outside = new Folder({ secret: 'x' })
  using folder = new Folder({ '..data/a': 'x' })
  symlinkSync('..data/a', folder.in('a'))
  symlinkSync(outside.in('secret'), folder.in('out'))
  symlinkSync(outside.path, folder.in('far'))
  assert.equal(await pathInside(folder.path, folder.in('a')), await pathInside(folder.path, folder.in('..data/a')))
  for (const name of ['out', 'far/secret', '..', '.']) {
    await assert.rejects(pathInside(folder.path, folder.in(name)), /outside of the directory/)
  }
})
