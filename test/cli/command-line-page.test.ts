import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { COMMAND_LINE_PAGE, commandLinePage } from '../../scripts/command-line-page.ts'
import { MAN_PAGE, manPage } from '../../scripts/man-page.ts'

test('the command line page has the help texts', async () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', COMMAND_LINE_PAGE), 'utf8')
  assert.equal(page, await commandLinePage(), 'run: npm run generate')
})

const root = join(import.meta.dirname, '..', '..')

test('the manual page has the help texts, and is in the package', async () => {
  assert.equal(readFileSync(join(root, MAN_PAGE), 'utf8'), await manPage(), 'run: npm run generate')
  const { man, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    man: string[]
    files: string[]
  }
  assert.deepEqual(man, [MAN_PAGE])
  assert.ok(files.some((folder) => MAN_PAGE.startsWith(`${folder}/`)))
})

const groffMissing = spawnSync('groff', ['--version']).status !== 0 && 'groff is not installed'

test('groff renders the manual page without a warning, with options and quotes as typed', {
  skip: groffMissing,
}, () => {
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-rLL=100n', join(root, MAN_PAGE)], {
    encoding: 'utf8',
    env: { ...process.env, GROFF_NO_SGR: '1' },
  })
  assert.equal(stderr, '')
  // Bold text is overstruck.
  const text = stdout.replaceAll(/.\u0008/g, '')
  assert.match(text, /^ +gateway - identity-aware reverse proxy$/m)
  assert.match(text, /^ +--instance DIR$/m)
  assert.match(text, /gateway explain 'POST \/orders' -H 'Host: shop\.example\.com' -d '\{"express":true\}'/)
})
