import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { filledRows } from '../../src/cli/demo/demo-text.ts'

test('the README shows the output of the demo', () => {
  const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')
  const shown = [...readme.matchAll(/^ {2}(\S.*?) {2,}((?:curl|TOKEN=).*)$/gm)].map(([, title = '', line = '']) => ({
    title,
    line,
  }))
  const rows = filledRows({
    traffic: 'http://127.0.0.1:8080',
    secure: 'https://127.0.0.1:8443',
    admin: 'http://127.0.0.1:8085',
    application: '',
    accessManager: 'http://127.0.0.1:8088/am',
    instance: '',
  })
  assert.ok(shown.length > 0)
  for (const row of shown)
    assert.ok(
      rows.some(({ title, line }) => title === row.title && line === row.line),
      row.line,
    )
})
