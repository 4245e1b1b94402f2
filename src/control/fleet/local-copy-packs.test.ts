// Large changes of the local copy, whose contents are written to one file. Crashes are states of the folder, as in local-copy.test.ts.
import assert from 'node:assert/strict'
import { cpSync, globSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '#logging'
import { contentOf } from '#releases'
import { copiedRelease, type Files } from '#test/copied-release'
import { Folder } from '#test/folder'
import type { FetchContents } from './copied-contents.ts'
import { LocalCopy } from './local-copy.ts'

const silent = createLogger({ level: 'silent' })
const COUNT = 100

function filesOf(version: string, count = COUNT): Files {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`scripts/${at}.js`, `${version} ${at} ${'x'.repeat(at)}`]),
  )
}

function fetcher(files: Files, limit = Number.POSITIVE_INFINITY): FetchContents {
  const byHash = new Map(Object.values(files).map((text) => [contentOf(text).hash, Buffer.from(text)]))
  return async function* (entries) {
    let sent = 0
    for (const { hash } of entries) {
      if (sent++ >= limit) throw new Error('the store is not available')
      yield { hash, data: byHash.get(hash) as Buffer }
    }
  }
}

const unreachable = fetcher({}, 0)
const contentsOf = (root: string) => readdirSync(join(root, '.contents'))
const packsOf = (root: string) => contentsOf(root).filter((name) => name.endsWith('.pack'))
const packedBytes = (root: string) =>
  packsOf(root).reduce((sum, name) => sum + statSync(join(root, '.contents', name)).size, 0)

function placed(root: string): Files {
  const paths = globSync('scripts/*.js', { cwd: root })
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

async function copyOf(root: string, number: number, files: Files): Promise<LocalCopy> {
  const copy = await LocalCopy.open(root, silent)
  await copy.put(copiedRelease(number, files), fetcher(files))
  return copy
}

test('contents of a large change are in one file, which is written again when most of it is unused', async () => {
  using folder = new Folder()
  const root = folder.in('copy')
  const first = filesOf('first')
  const copy = await copyOf(root, 1, first)
  assert.deepEqual(placed(root), first)
  assert.deepEqual([contentsOf(root).length, packsOf(root).length], [1, 1])
  const size = packedBytes(root)
  // A few have files of their own.
  const second = { ...first, 'scripts/0.js': 'changed', 'scripts/1.js': 'changed too' }
  await copy.put(copiedRelease(2, second), fetcher(second))
  assert.deepEqual([contentsOf(root).length, packsOf(root).length], [3, 1])
  // Files that were changed by hand are placed again from the pack, also after a restart and without the store.
  writeFileSync(join(root, 'scripts/50.js'), 'by hand')
  const again = await LocalCopy.open(root, silent)
  assert.deepEqual([again.release?.release, placed(root)], [2, second])
  const few = Object.fromEntries(Object.entries(second).slice(0, 30))
  await again.put(copiedRelease(3, few), unreachable)
  assert.equal(packsOf(root).length, 1)
  assert.ok(packedBytes(root) < size / 3, 'unused contents are gone')
  assert.deepEqual(placed(root), few)
  assert.deepEqual(placed((await LocalCopy.open(root, silent)).root), few)
  await again.put(copiedRelease(4, {}), unreachable)
  assert.deepEqual(contentsOf(root), [])
})

test('a large change that fails or crashes leaves the release before it, or is finished', async () => {
  using folder = new Folder()
  const [first, second] = [filesOf('first'), filesOf('second')]
  const [one, two] = [folder.in('one'), folder.in('two')]
  const copy = await copyOf(one, 1, first)
  await assert.rejects(copy.put(copiedRelease(2, second), fetcher(second, 90)), /the store is not available/)
  assert.deepEqual([contentsOf(one).length, placed(one)], [1, first])
  await copyOf(two, 2, second)
  const [pack = ''] = packsOf(two)
  const bytes = readFileSync(join(two, '.contents', pack))
  const state = async (name: string, expected: 1 | 2, change: (root: string) => void) => {
    const root = folder.in('state')
    cpSync(one, root, { recursive: true })
    change(root)
    const opened = await LocalCopy.open(root, silent)
    assert.equal(opened.release?.release, expected, name)
    assert.deepEqual(placed(root), expected === 1 ? first : second, name)
    assert.equal(contentsOf(root).length, 1, name)
    await opened.put(copiedRelease(3, second), fetcher(second))
    assert.deepEqual(placed((await LocalCopy.open(root, silent)).root), second, name)
    rmSync(root, { recursive: true })
  }
  for (const part of [0, 10, 1_000, bytes.length])
    await state(`${part} bytes of the pack written`, 1, (root) =>
      writeFileSync(join(root, '.contents', '0123456789abcdef.tmp'), bytes.subarray(0, part)),
    )
  const packed = (root: string) => cpSync(join(two, '.contents', pack), join(root, '.contents', pack))
  await state('the pack written', 1, packed)
  for (const count of [0, 1, 60, COUNT])
    await state(`next.json written, ${count} files placed`, 2, (root) => {
      packed(root)
      cpSync(join(two, 'release.json'), join(root, 'next.json'))
      for (const path of Object.keys(second).slice(0, count)) cpSync(join(two, path), join(root, path))
    })
  await state('release.json replaced, the pack before it still there', 2, (root) => {
    packed(root)
    for (const path of Object.keys(second)) cpSync(join(two, path), join(root, path))
    cpSync(join(two, 'release.json'), join(root, 'release.json'))
  })
})

test('of a damaged pack the contents that can not be read are fetched again', async () => {
  using folder = new Folder()
  const files = filesOf('first')
  for (const damage of [
    (file: string) => truncateSync(file, 2_000),
    (file: string) => writeFileSync(file, 'not a pack'),
    (file: string) =>
      writeFileSync(
        file,
        readFileSync(file).map((byte, at) => (at > 3_000 ? byte ^ 1 : byte)),
      ),
  ]) {
    const root = folder.in('copy')
    await copyOf(root, 1, files)
    damage(join(root, '.contents', packsOf(root)[0] as string))
    rmSync(join(root, 'scripts'), { recursive: true })
    const copy = await LocalCopy.open(root, silent)
    assert.equal(copy.release, null, 'a file of the release is not available')
    // A content is found to be damaged when it is read, and fetched by the next attempt.
    for (let tries = 0; tries < 5 && copy.release === null; tries++)
      await copy.put(copiedRelease(1, files), fetcher(files)).catch(() => {})
    assert.deepEqual(placed(root), files)
    rmSync(root, { recursive: true })
  }
})
