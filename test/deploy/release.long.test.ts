// Makes the files of a release from a copy of the checkout: `npm test -- deploy/release.long`.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Folder } from '#test/folder'

const ROOT = join(import.meta.dirname, '..', '..')

/** The files of the checkout that git knows, with its packages and the built Studio. */
function copyOfCheckout(folder: Folder): string {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  const copy = folder.in('copy')
  for (const path of listed.toString('utf8').split('\0').slice(0, -1)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(join(ROOT, path), join(copy, path), { preserveTimestamps: true })
  }
  cpSync(join(ROOT, 'studio/dist'), join(copy, 'studio/dist'), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  keepOlderThanPackages(copy)
  return copy
}

/** Packages that look older than the lock file would be installed again. */
function keepOlderThanPackages(copy: string): void {
  utimesSync(join(copy, 'package-lock.json'), 0, 0)
}

function raiseVersion(copy: string, version: string): void {
  for (const file of ['package.json', 'package-lock.json']) {
    const path = join(copy, file)
    const json = JSON.parse(readFileSync(path, 'utf8')) as { version: string; packages?: { '': { version: string } } }
    json.version = version
    if (json.packages !== undefined) json.packages[''].version = version
    writeFileSync(path, `${JSON.stringify(json, null, 2)}\n`)
  }
  keepOlderThanPackages(copy)
}

test('a release without a change says so and makes nothing', () => {
  using folder = new Folder()
  const copy = copyOfCheckout(folder)
  for (const file of globSync('changes/*__*.md', { cwd: copy })) rmSync(join(copy, file))
  const { status, stderr } = spawnSync('npm', ['run', 'release'], { cwd: copy, encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /release: changes\/ has no release notes: there is nothing to release/)
  assert.ok(!existsSync(join(copy, 'release')))
})

test('a dry run makes package, notes, bill of materials and sums, and changes nothing else', {
  timeout: 300_000,
}, () => {
  using folder = new Folder()
  const copy = copyOfCheckout(folder)
  raiseVersion(copy, '99.0.0')
  writeFileSync(join(copy, 'changes/listener__noted.md'), 'A change of the listener.\n')
  const notes = readdirSync(join(copy, 'changes'))
  const { status, stdout, stderr } = spawnSync('npm', ['run', 'release', '--', '--dry-run'], {
    cwd: copy,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout + stderr)
  const { version } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as { version: string }
  const directory = join(copy, 'release', version)
  const archive = `identity-gateway-${version}.tgz`
  const materials = `identity-gateway-${version}.cdx.json`
  assert.deepEqual(readdirSync(directory).sort(), ['RELEASE-NOTES.md', 'SHA256SUMS', archive, materials].sort())
  assert.equal(spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: directory }).status, 0)
  const bill = JSON.parse(readFileSync(join(directory, materials), 'utf8')) as {
    bomFormat: string
    components: { name: string }[]
  }
  assert.equal(bill.bomFormat, 'CycloneDX')
  const names = bill.components.map(({ name }) => name)
  for (const name of ['ioredis', 'rhea', 'react']) assert.ok(names.includes(name), name)
  assert.ok(!names.includes('@biomejs/biome'))
  const files = execFileSync('tar', ['tzf', join(directory, archive)], { encoding: 'utf8' }).split('\n')
  for (const path of ['bin/gateway', 'dist/main.js', 'deploy/systemd/identity-gateway.service'])
    assert.ok(files.includes(`package/${path}`), path)
  assert.match(
    readFileSync(join(directory, 'RELEASE-NOTES.md'), 'utf8'),
    /^- \*\*Listener:\*\* A change of the listener\.$/m,
  )
  assert.match(
    readFileSync(join(directory, 'RELEASE-NOTES.md'), 'utf8'),
    new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-`),
  )
  assert.deepEqual(readdirSync(join(copy, 'changes')), notes)
})
