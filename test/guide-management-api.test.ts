// The commands of the guide to the management API, run in order in one shell.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { RunningGateway } from '#test/gateway'

const guide = readFileSync(join(import.meta.dirname, '../docs/guide/management-api.md'), 'utf8')
const curlMissing = spawnSync('curl', ['--version']).status !== 0 && 'there is no curl here'

/** All commands except those with placeholders. */
function commands(adminUrl: string, instance: string): string {
  return [...guide.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
    .map(([, text]) => text as string)
    .join('')
    .replace(/^curl .*<.*\n/gm, '')
    .replaceAll(/^curl /gm, 'echo; curl --silent --show-error --fail-with-body --max-time 20 ')
    .replaceAll('http://localhost:8085', adminUrl)
    .replaceAll('my-gateway/', `${instance}/`)
}

test('every command of the guide to the management API succeeds', { skip: curlMissing }, async () => {
  await using gateway = await RunningGateway.start({ files: { 'secrets/gateway.admin.password': 'of-the-guide' } })
  const script = commands(gateway.adminUrl, gateway.instance.directory)
  assert.ok(script.split('\ncurl ').length === 1 && script.split('; curl ').length > 8)
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script])
  assert.match(stdout, /"valid":false/)
  assert.match(stdout, /"route":"hello"/)
  assert.match(stdout, /"heap":\[\{"name":"one-more"/)
  assert.match(stdout, /"results":\[\],"resultCount":0/)
})
