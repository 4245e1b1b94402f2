import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { FailedContent } from './failed-content.ts'

const folder = mkdtempSync(join(tmpdir(), 'failed-content-'))
after(() => rmSync(folder, { recursive: true }))

const isRetried = (failed: FailedContent, stamp = 'a'): boolean => {
  failed.check(stamp, new Map())
  return failed.isRetried
}

test('a content whose files did not change is not deployed again', () => {
  const failed = new FailedContent('revision', 'a', [process.execPath, join(folder, 'missing')])
  assert.equal(isRetried(failed), false)
  assert.equal(isRetried(failed), false)
})

test('a content is deployed again when a file that was missing exists', () => {
  const path = join(folder, 'late')
  const failed = new FailedContent('revision', 'a', [process.execPath, path])
  assert.equal(isRetried(failed), false)
  writeFileSync(path, '')
  assert.equal(isRetried(failed), true)
})

test('a content is deployed again when its file was written shortly before: the build may have read the version before', (context) => {
  const path = join(folder, 'recent')
  writeFileSync(path, '')
  context.mock.timers.enable({ apis: ['Date'], now: Math.ceil(statSync(path).ctimeMs) })
  assert.equal(isRetried(new FailedContent('revision', 'a', [path])), true)
})

test('a content is deployed again when the route file was written again, and not when its stamp becomes known', () => {
  assert.equal(isRetried(new FailedContent('revision', 'a', []), 'b'), true)
  assert.equal(isRetried(new FailedContent('revision', 'a', []), ''), true)
  const unknown = new FailedContent('revision', '', [])
  assert.equal(isRetried(unknown, 'b'), false)
  assert.equal(isRetried(unknown, 'c'), true)
})

test('the state of a file is read once for several contents', () => {
  const path = join(folder, 'shared')
  const known = new Map<string, string>()
  new FailedContent('one', 'a', [path]).check('a', known)
  const other = new FailedContent('two', 'a', [path])
  writeFileSync(path, '')
  other.check('a', known)
  assert.equal(other.isRetried, false)
})
