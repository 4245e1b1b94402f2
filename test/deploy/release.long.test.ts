// Makes the files of a release from a copy of the checkout: `npm test -- deploy/release.long`.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs'
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
  // Packages must not look older than the lock file: they would be installed again.
  utimesSync(join(copy, 'package-lock.json'), 0, 0)
  return copy
}

test('a dry run makes package, notes, bill of materials and sums, and changes nothing else', {
  timeout: 300_000,
}, () => {
  using folder = new Folder()
  const copy = copyOfCheckout(folder)
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
    new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-`),
  )
  assert.deepEqual(readdirSync(join(copy, 'changes')), notes)
})
