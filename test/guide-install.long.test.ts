// The commands of the guide install.md, with npm and a package of this checkout: `npm run docs:test`.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'
import { guideBlocks } from '#test/guide'
import { DEMO, SpawnedCommand } from '#test/spawned-command'

const root = join(import.meta.dirname, '..')
const TIMEOUT = 300_000
const [install = '', completion = '', checkout = ''] = guideBlocks('install', 'sh')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

async function shell(script: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: TIMEOUT }
  return (await promisify(execFile)('/bin/sh', ['-ec', script], options)).stdout
}

test('the package is packed, installed globally, and its demo answers', { timeout: TIMEOUT }, async (t) => {
  using folder = new Folder({})
  await shell(`npm pack --loglevel=error --pack-destination '${folder.path}'`, root)
  assert.ok(install.includes(`./identity-gateway-${version}.tgz`), 'the guide names another version')
  // Dependencies come from the cache of npm, which has them since `npm ci`, unless npm_config_offline=false.
  const { npm_config_offline: offline = 'true' } = process.env
  const env = { npm_config_prefix: folder.in('prefix'), npm_config_offline: offline }
  const failure = await shell(install.replace(/^gateway demo$/m, ''), folder.path, env).then(
    () => null,
    (error: Error) => error,
  )
  if (failure?.message.includes('ENOTCACHED')) return t.skip('dependencies are not in the cache of npm')
  assert.ifError(failure)
  const command = folder.in('prefix/bin/gateway')
  await using demo = new SpawnedCommand(DEMO, { HOME: folder.path }, command)
  const [url] = await demo.writes(/http:\/\/127\.0\.0\.1:\d+\/app\//)
  assert.equal((await fetch(url)).status, 200)
})

test('completion is printed for each shell', async () => {
  for (const [, words = '', file = ''] of completion.matchAll(/^gateway (.*) > (\S+)$/gm)) {
    const { code, stdout } = await gateway(words.split(' '))
    assert.equal(code, 0, words)
    assert.ok(stdout.includes('gateway'), file)
  }
})

test('the checkout runs an instance', { timeout: TIMEOUT }, async () => {
  using folder = new Folder({})
  assert.equal((await gateway(['init', folder.in('my-gateway')])).code, 0)
  const words = checkout.trim().split(' ').slice(1)
  assert.deepEqual(words.slice(0, 2), ['run', '--instance'])
  folder.write('my-gateway/config/admin.json', '{ "connectors": [{ "port": 0 }], "adminConnector": { "port": 0 } }')
  await using run = new SpawnedCommand(['run', '--instance', folder.in('my-gateway')], {}, join(root, 'bin/gateway'))
  await run.writes(/the gateway is ready/)
})
