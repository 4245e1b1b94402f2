import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { readReleaseFiles } from './release-files.ts'

test('a folder with names that other file systems take for one is not pushed', () => {
  using folder = new Folder({
    'config/routes/A.json': '{}',
    'config/routes/a.json': '{}',
    'scripts/js/caf\u00e9.js': '',
    'scripts/js/cafe\u0301.js': '',
    'scripts/js/\u202esj.x.js': '',
    'scripts/js/b.js': '',
  })
  const problems = readReleaseFiles(folder.path).problems.map(({ file, message }) => `${file}: ${message}`)
  assert.match(
    problems[0] as string,
    /^config\/routes\/a\.json: the name differs from "config\/routes\/A\.json" by case/,
  )
  assert.match(
    problems[1] as string,
    /^scripts\/js\/caf\u00e9\.js: the name differs from "scripts\/js\/cafe\u0301\.js" by/,
  )
  assert.match(problems[2] as string, /^scripts\/js\/\u202esj\.x\.js: the name has the character U\+202E/)
  assert.equal(problems.length, 3)
})
