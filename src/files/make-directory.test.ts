import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeDirectory } from './make-directory.ts'

test('creates missing directories, and leaves existing ones unchanged', (context) => {
  const root = mkdtempSync(join(tmpdir(), 'make-directory-'))
  context.after(() => rmSync(root, { recursive: true }))
  makeDirectory(join(root, 'a/b/c'), 0o700)
  makeDirectory(join(root, 'a/b/c'))
  assert.equal(statSync(join(root, 'a/b/c')).mode & 0o777, 0o700)
})

test('throws with the reason where it can not create the directory', { timeout: 10_000 }, (context) => {
  const root = mkdtempSync(join(tmpdir(), 'make-directory-'))
  context.after(() => rmSync(root, { recursive: true }))
  writeFileSync(join(root, 'file'), '')
  symlinkSync(join(root, 'nowhere'), join(root, 'link'))
  assert.throws(() => makeDirectory(join(root, 'file')), /file is a file, not a directory/)
  assert.throws(() => makeDirectory(join(root, 'file/below')), { code: 'ENOTDIR' })
  assert.throws(() => makeDirectory(join(root, 'link')), { code: 'ENOENT' })
  if (existsSync('/proc/self')) assert.throws(() => makeDirectory('/proc/nonexistent/a'), { code: 'ENOENT' })
})
