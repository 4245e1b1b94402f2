import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { HOSTILE_NAMES, UNUSUAL_NAMES } from '#test/hostile-names'
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

test('no file with a name that others take for another one is pushed, or left out without a word', () => {
  for (const path of [...HOSTILE_NAMES.map((name) => `scripts/js/${name}.js`), 'config/routes/CON.json']) {
    using folder = new Folder({ [path]: '' })
    const { problems, ignored } = readReleaseFiles(folder.path)
    assert.deepEqual([problems.map(({ file }) => file), ignored], [[path], []])
  }
  using usual = new Folder(Object.fromEntries(UNUSUAL_NAMES.map((name) => [`scripts/js/${name}.js`, ''])))
  assert.deepEqual(readReleaseFiles(usual.path).problems, [])
})

test('a file whose name is not UTF-8 is a problem', () => {
  using folder = new Folder({ 'config/routes/a.json': '{}' })
  writeFileSync(
    Buffer.concat([Buffer.from(folder.in('config/routes/')), Buffer.from([0xff]), Buffer.from('.json')]),
    '{}',
  )
  const [problem] = readReleaseFiles(folder.path).problems
  assert.match(problem?.message ?? '', /^the name is not UTF-8, so that the file can not be read; rename it$/)
})
