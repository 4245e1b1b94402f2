import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#crest'
import { HOSTILE_NAMES, UNUSUAL_NAMES } from '#test/hostile-names'
import { releaseRequest } from './release-request.ts'

test('a release with names that other file systems take for one, or that are not shown as they are, is refused', () => {
  const files = {
    'config/routes/A.json': '{}',
    'config/routes/a.json': '{}',
    'scripts/js/\u202ex.js': '',
    'scripts/js/b.js': '',
  }
  const refusal = releaseRequest({ files }) as Refusal
  assert.ok(refusal instanceof Refusal)
  const { problems } = refusal.detail as { problems: { file: string; message: string }[] }
  assert.deepEqual(
    problems.map(({ file }) => file),
    ['config/routes/a.json', 'scripts/js/\u202ex.js'],
  )
  assert.ok(!(releaseRequest({ files: { 'config/routes/A.json': '{}', 'scripts/js/b.js': '' } }) instanceof Refusal))
})

test('a release with a name that other systems or readers take for another one is refused', () => {
  for (const name of HOSTILE_NAMES)
    for (const path of [`scripts/js/${name}.js`, `config/routes/${name}.json`])
      assert.ok(releaseRequest({ files: { [path]: '{}' } }) instanceof Refusal, JSON.stringify(path))
  const files = Object.fromEntries(UNUSUAL_NAMES.map((name) => [`scripts/js/${name}.js`, '']))
  assert.ok(!(releaseRequest({ files }) instanceof Refusal))
})
