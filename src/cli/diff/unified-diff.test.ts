import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { Folder } from '#test/folder'
import { lineEdits } from './line-edits.ts'
import { unifiedDiff } from './unified-diff.ts'

test('equal texts have no hunk', () => {
  assert.deepEqual(unifiedDiff('a\n', 'a\n'), [])
})

test('a change is shown with three lines of context, as by diff -u', () => {
  const before = '1\n2\n3\n4\n5\n6\n7\n8\n9\n'
  assert.deepEqual(unifiedDiff(before, before.replace('5\n', 'five\n')), [
    '@@ -2,7 +2,7 @@',
    ' 2',
    ' 3',
    ' 4',
    '-5',
    '+five',
    ' 6',
    ' 7',
    ' 8',
  ])
})

test('a missing line break at the end is a difference', () => {
  assert.deepEqual(unifiedDiff('a\n', 'a'), ['@@ -1,1 +1,1 @@', '-a', '+a', '\\ No newline at end of file'])
})

test('a new text has no line before it', () => {
  assert.deepEqual(unifiedDiff('', 'a\n'), ['@@ -0,0 +1,1 @@', '+a'])
})

const patchMissing = spawnSync('patch', ['--version']).status !== 0 && 'patch is not installed'

test('patch makes the new text of the old one, for any two texts', { skip: patchMissing }, () => {
  using folder = new Folder({})
  const text = fc.array(fc.constantFrom('a', 'b', '', '{', 'c d'), { maxLength: 30 }).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const hunks = unifiedDiff(before, after)
      if (before === after) return assert.deepEqual(hunks, [])
      folder.write('old', before)
      const input = `--- old\n+++ old\n${hunks.join('\n')}\n`
      execFileSync('patch', ['--silent', '--no-backup-if-mismatch', '-o', folder.in('new'), folder.in('old')], {
        input,
      })
      assert.equal(folder.read('new'), after)
    }),
    { numRuns: 60 },
  )
})

test('edits keep every line of both texts', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 })
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const edits = lineEdits(before, after)
      const without = (absent: string) => edits.filter(({ kind }) => kind !== absent).map(({ line }) => line)
      assert.deepEqual(without('added'), before)
      assert.deepEqual(without('removed'), after)
    }),
  )
})

test('texts of 100,000 different lines are compared within a bound', () => {
  const lines = (prefix: string) => Array.from({ length: 50_000 }, (_, at) => `${prefix}${at}`)
  const edits = lineEdits(['same', ...lines('a')], ['same', ...lines('b')])
  assert.equal(edits.length, 100_001)
})
