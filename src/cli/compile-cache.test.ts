import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { Folder } from '#test/folder'

/** The cache directory in use by a new process. */
function enableIn(directory: string, env: Readonly<Record<string, string>> = {}): string | null {
  const code = `
    const { enableCompileCacheIn } = await import(${JSON.stringify(new URL('./compile-cache.ts', import.meta.url))})
    console.log(JSON.stringify(enableCompileCacheIn(${JSON.stringify(directory)})))
    await import(${JSON.stringify(new URL('./exit-codes.ts', import.meta.url))})`
  const { NODE_COMPILE_CACHE: _, ...rest } = process.env
  const words = ['--input-type=module', '--eval', code]
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { env: { ...rest, ...env }, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout) as string | null
}

test('compiled modules are cached in a directory that other users can neither read nor write', () => {
  using folder = new Folder()
  const directory = folder.in('a/compiled')
  assert.equal(enableIn(directory), directory)
  assert.equal(statSync(directory).mode & 0o777, 0o700)
  assert.ok(readdirSync(directory, { recursive: true }).length > 1)
})

test('a directory that other users can write to is not used: compiled modules are code', () => {
  using folder = new Folder()
  const directory = folder.in('compiled')
  for (const mode of [0o770, 0o707, 0o777]) {
    mkdirSync(directory, { recursive: true })
    chmodSync(directory, mode)
    assert.equal(enableIn(directory), null)
    assert.deepEqual(readdirSync(directory), [])
  }
})

test('a symbolic link to a directory is not used', () => {
  using folder = new Folder()
  mkdirSync(folder.in('elsewhere'))
  symlinkSync(folder.in('elsewhere'), folder.in('compiled'))
  assert.equal(enableIn(folder.in('compiled')), null)
  assert.deepEqual(readdirSync(folder.in('elsewhere')), [])
})

test('if the directory can not be created, modules are compiled at each start', () => {
  using folder = new Folder({ file: '' })
  assert.equal(enableIn(folder.in('file/compiled')), null)
})

test('NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE take precedence', () => {
  using folder = new Folder()
  assert.equal(enableIn(folder.in('compiled'), { NODE_COMPILE_CACHE: folder.in('chosen') }), null)
  assert.ok(readdirSync(folder.in('chosen'), { recursive: true }).length > 1)
  assert.equal(enableIn(folder.in('compiled'), { NODE_DISABLE_COMPILE_CACHE: '1' }), null)
})
