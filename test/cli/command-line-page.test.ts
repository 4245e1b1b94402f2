import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { COMMAND_LINE_PAGE, commandLinePage } from '../../scripts/command-line-page.ts'

test('the command line page has the help texts', async () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', COMMAND_LINE_PAGE), 'utf8')
  assert.equal(page, await commandLinePage(), 'run: npm run generate')
})
