import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { test } from 'node:test'

const LINES = `
import { createLogger, logFailures } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)}
const logger = createLogger({ format: 'json' })
const text = 'x'.repeat(8_000)
for (let n = 0; n < 1_000; n++) logger.info({ n }, text)
process.stderr.write(JSON.stringify(logFailures()))
`

test('F16: what can not be written to a full disk is counted, and no more than 1 MiB of it waits', {
  skip: !existsSync('/dev/full') && 'there is no /dev/full here',
}, () => {
  const full = openSync('/dev/full', 'w')
  try {
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', LINES], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    const { failed, lost } = JSON.parse(stderr) as { failed: number; lost: number }
    const waiting = 1_000 - lost
    assert.ok(failed >= 100, `${failed} failures`)
    assert.ok(waiting * 8_000 <= 1024 * 1024 && waiting * 8_200 > 900 * 1024, `${waiting} lines wait`)
  } finally {
    closeSync(full)
  }
})
