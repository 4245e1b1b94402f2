// Dockerfile and compose.yaml, read as text: images can not be built in every environment.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gateway } from '#test/command-line'
import { COMMANDS } from '../../src/cli/commands.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const MANIFEST = JSON.parse(read('package.json')) as { version: string; bin: Record<string, string>; files: string[] }

/** Instructions of a Dockerfile, continuation lines joined. */
const INSTRUCTIONS = read('Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line !== '')
const FINAL = INSTRUCTIONS.slice(INSTRUCTIONS.findLastIndex((line) => line.startsWith('FROM ')))
const the = (keyword: string): string[] =>
  FINAL.filter((line) => line.startsWith(`${keyword} `)).map((line) => line.slice(keyword.length + 1))

test('the image runs the command of the package as a numeric user that is not root', async () => {
  assert.deepEqual(the('USER'), ['10001:10001'])
  assert.deepEqual(the('ENTRYPOINT'), ['["gateway"]'])
  assert.ok(Object.hasOwn(MANIFEST.bin, 'gateway'))
  const [command] = JSON.parse(the('CMD')[0] as string) as [string]
  assert.ok(COMMANDS.some(({ name }) => name === command))
  const [health, ...words] = JSON.parse(the('HEALTHCHECK')[0]?.replace(/^.* CMD /, '') as string) as string[]
  assert.equal(health, 'gateway')
  assert.equal((await gateway([...words, '--help'])).code, 0)
  assert.equal(the('STOPSIGNAL')[0], 'SIGTERM')
})

test('the image sets the directories that the command reads from its environment, and they exist in it', () => {
  const environment = the('ENV').join(' ')
  const directories = ['GATEWAY_INSTANCE_DIR', 'GATEWAY_STATE_DIR'].map((variable) => {
    assert.match(read('src/instance/directories.ts'), new RegExp(`env\\['${variable}'\\]`))
    return new RegExp(`${variable}=(\\S+)`).exec(environment)?.[1] as string
  })
  const built = INSTRUCTIONS.find((line) => line.startsWith('RUN ')) as string
  for (const directory of directories) assert.ok(built.includes(`/image${directory}`), directory)
  assert.deepEqual(the('VOLUME'), [directories[1]])
  assert.match(environment, /PATH=\/opt\/identity-gateway\/bin:/)
})

test('the image has the library of Node that slim images do not have', () => {
  assert.match(the('RUN').join(' '), /apt-get install --yes --no-install-recommends libatomic1 /)
})

test('files that the build of the package needs are not ignored', () => {
  const ignored = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const needed = [
    'package.json',
    'package-lock.json',
    '.npmrc',
    'bin',
    'src',
    'studio',
    'scripts',
    'dev',
    'docs',
    'schemas',
  ]
  for (const path of needed) {
    assert.ok(existsSync(join(ROOT, path)), path)
    assert.ok(!ignored.includes(path), path)
  }
  // Built files of the checkout would be taken instead of those of the image.
  for (const path of ['**/node_modules', '**/dist']) assert.ok(ignored.includes(path), path)
})

test('the services of compose.yaml have read-only root file systems, no capabilities, and the tag of the version', () => {
  const services = read('deploy/compose.yaml')
    .split(/^ {2}(?=\w+:$)/m)
    .slice(1)
    .filter((text) => text.includes('image:'))
  assert.equal(services.length, 2)
  for (const service of services) {
    for (const line of ['read_only: true', 'cap_drop: [ALL]', 'security_opt: ["no-new-privileges:true"]'])
      assert.ok(service.includes(line), line)
    assert.ok(service.includes(`image: identity-gateway:${MANIFEST.version}`))
  }
})

test('the command of the demo in compose.yaml is valid', async () => {
  const words = /command: \[(.*)\]/.exec(read('deploy/compose.yaml'))?.[1]?.replaceAll('"', '').split(', ') as string[]
  assert.equal(words[0], 'demo')
  assert.equal((await gateway([...words, '--help'])).code, 0)
})
