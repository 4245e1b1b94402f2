// Builds the Dockerfile and runs the image: `npm test -- deploy/image.long`. Needs root, buildah and debootstrap, and the ports 8080 and 8085.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Folder } from '#test/folder'

const ROOT = join(import.meta.dirname, '..', '..')
const has = (command: string): boolean => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0
const isPossible = process.getuid?.() === 0 && has('buildah') && has('debootstrap')
const skip = isPossible
  ? false
  : 'NOTICE: needs root, buildah and debootstrap; to have them: apt-get install buildah debootstrap'

/** The files of the checkout that git knows: other ignored files must not decide about the image. */
function contextIn(folder: Folder): string {
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  for (const path of stdout.toString('utf8').split('\0').slice(0, -1)) {
    mkdirSync(dirname(folder.in(`context/${path}`)), { recursive: true })
    cpSync(join(ROOT, path), folder.in(`context/${path}`))
  }
  symlinkSync(join(ROOT, 'node_modules'), folder.in('context/node_modules'))
  return folder.in('context')
}

test('the image starts, serves and drains as another user on a read-only root file system', {
  skip,
  timeout: 900_000,
}, () => {
  using folder = new Folder({ 'scratch/build.log': '' })
  const words = [contextIn(folder), folder.in('scratch')]
  const { status, stdout, stderr } = spawnSync(join(import.meta.dirname, 'image.sh'), words, { encoding: 'utf8' })
  const log = readFileSync(folder.in('scratch/build.log'), 'utf8')
  assert.equal(status, 0, `${stdout}${stderr}${log.slice(-4_000)}`)
  assert.deepEqual(stdout.trim().split('\n'), ['user 10001', 'health UP', 'state tmp', 'exit 0'])
})
