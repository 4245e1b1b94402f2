// Packs the gateway, installs it into an empty prefix and runs it as users do: `npm run package:test`.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Folder } from '#test/folder'
import { DEMO, SpawnedCommand } from '#test/spawned-command'
import { installPackage } from '../../scripts/installed-package.ts'

/** Installed size without the Node runtime. */
const MAX_INSTALLED_BYTES = 60 * 1_024 * 1_024
const INSTALL_TIMEOUT = 300_000

const prefix = new Folder({
  'system/node': '#!/bin/sh\nif [ "$1" = --version ]; then echo v20.20.2; else exit 99; fi\n',
})
let installed: Awaited<ReturnType<typeof installPackage>>

before(
  async () => {
    chmodSync(prefix.in('system/node'), 0o755)
    installed = await installPackage(prefix.path)
  },
  { timeout: INSTALL_TIMEOUT },
)
after(() => prefix[Symbol.dispose]())

/** Runs the installed command where the Node of the system is version 20, in another directory than the checkout. */
function gateway(words: readonly string[]): SpawnedCommand {
  const env = { PATH: `${prefix.in('system')}:/usr/bin:/bin`, NODE_COMPILE_CACHE: '', HOME: prefix.path }
  return new SpawnedCommand(words, env, installed.command)
}

async function ended(words: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  await using command = gateway(words)
  const { code } = await command.exit
  return { code, stdout: command.stdout, stderr: command.stderr }
}

test('the package has the launcher, built files with source maps, schemas, pages of the Studio and notices, and no sources', () => {
  const { files } = installed
  const expected = ['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.md', 'bin/gateway', 'dist/main.js', 'dist/main.js.map']
  for (const path of [...expected, 'dist/unit.js', 'schemas/route.json', 'studio/dist/index.html']) {
    assert.ok(files.includes(path), path)
  }
  assert.deepEqual(
    files.filter((path) => /(?<!\.d)\.tsx?$|^(?:src|test|bench|scripts|changes)\//.test(path)),
    [],
  )
})

test('npm installs the manual page where man looks for it', () => {
  assert.match(readFileSync(prefix.in('share/man/man1/gateway.1'), 'utf8'), /^\.TH GATEWAY 1/m)
})

test('the installed package takes less than 60 MB without the Node runtime', () => {
  const size = bytesIn(installed.directory, (name) => /^node-(?:linux|darwin|bin)-/.test(name))
  assert.ok(size < MAX_INSTALLED_BYTES, `${(size / 1_024 / 1_024).toFixed(1)} MB`)
})

test('packages that are loaded on demand are found from the built files', () => {
  const script = `for (const name of Object.keys(require('./package.json').dependencies)) console.log(require.resolve(name))`
  const found = execFileSync(process.execPath, ['-e', script], { cwd: installed.directory, encoding: 'utf8' })
  for (const path of found.trim().split('\n')) assert.ok(path.startsWith(installed.directory), path)
})

test('--version, help and validate run with the Node that the package brings', async () => {
  const { stdout } = await ended(['--version'])
  assert.match(stdout, /^gateway {3}\d+\.\d+\.\d+\nrevision {2}(?:[\da-f]{12}|unknown)\nnode {6}26\./)
  assert.match((await ended(['help'])).stdout, /validate/)
  using instance = new Folder({ 'config/routes/a.json': '{ "handler": { "type": "Chian" } }' })
  const { code, stdout: problems } = await ended(['validate', '--instance', instance.path])
  assert.equal(code, 78)
  assert.match(problems, /unknown type "Chian"; did you mean "Chain"/)
})

test('run serves requests, and stack traces in the log name lines of the sources', async () => {
  const extension = `export const types = ({ defineType, HandlerKind }) => [defineType({
    name: 'Broken', kind: HandlerKind, summary: 'Fails.', config: {}, create: () => () => { throw new Error('broken') },
  })]`
  const route = (type: string) => ({
    condition: `\${request.uri.path == '/${type}'}`,
    handler: { type, ...(type === 'Broken' ? {} : { config: { status: 200, entity: 'served' } }) },
  })
  using instance = new Folder({
    'config/admin.json': JSON.stringify({ connectors: [{ port: 0 }], adminConnector: { port: 0 }, gatewayUnits: 2 }),
    'config/routes/a.json': JSON.stringify(route('StaticResponseHandler')),
    'config/routes/b.json': JSON.stringify(route('Broken')),
    'extra/broken.js': extension,
    'package.json': '{ "type": "module" }',
  })
  await using command = gateway(['run', '--instance', instance.path])
  const [line] = await command.writes(/^.*"message":"the gateway is ready".*$/m)
  const { traffic, admin } = JSON.parse(line) as { traffic: string[]; admin: string }
  assert.equal(await (await fetch(`${traffic[0]}/StaticResponseHandler`)).text(), 'served')
  assert.equal((await fetch(`${traffic[0]}/Broken`)).status, 500)
  const [failed] = await command.writes(/^.*GW_UNIT_REQUEST_FAILED.*$/m)
  assert.match(
    JSON.parse(failed).error.stack,
    /^Error: broken\n {4}at .*broken\.js:\d+:\d+\)?\n[\s\S]*\bat .*src\/unit\/route\.ts:\d+:\d+/,
  )
  assert.equal((await fetch(`${admin}/studio/`)).status, 200)
  command.kill('SIGTERM')
  assert.deepEqual(await command.exit, { code: 0, signal: null })
})

test('demo runs its application and access manager', async () => {
  await using command = gateway([...DEMO, '--json'])
  const [, traffic] = await command.writes(/"traffic":\s*"([^"]+)"/)
  assert.equal((await fetch(`${traffic}/hello?name=you`)).status, 200)
  assert.equal((await fetch(`${traffic}/echo`)).status, 200)
  command.kill('SIGTERM')
  assert.equal((await command.exit).code, 0)
})

function bytesIn(directory: string, isLeftOut: (name: string) => boolean): number {
  let sum = 0
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (isLeftOut(entry.name)) continue
    const path = join(directory, entry.name)
    sum += entry.isDirectory() ? bytesIn(path, isLeftOut) : lstatSync(path).size
  }
  return sum
}
