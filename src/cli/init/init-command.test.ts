import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'

test('a new instance has all folders, is valid, and its secrets are readable by the owner only', async () => {
  using folder = new Folder()
  const directory = folder.in('new')
  const made = await gateway(['init', directory])
  assert.equal(made.code, 0)
  assert.match(made.stdout, /gateway run --instance .*new\n/)
  assert.deepEqual(readdirSync(directory).toSorted(), [
    'audit-schemas',
    'config',
    'extra',
    'logs',
    'scripts',
    'secrets',
    'tmp',
  ])
  assert.equal(statSync(`${directory}/secrets`).mode & 0o777, 0o700)
  assert.equal(statSync(`${directory}/secrets/gateway.admin.password`).mode & 0o777, 0o600)
  const valid = await gateway(['validate', '--instance', directory])
  assert.deepEqual(valid, { code: 0, stdout: 'valid: 1 route file and the files around them\n', stderr: '' })
})

test('an instance of a newer version is one problem of admin.json, whatever other fields it has', async () => {
  using folder = new Folder()
  const directory = folder.in('new')
  await gateway(['init', directory])
  const admin = readFileSync(`${directory}/config/admin.json`, 'utf8')
  assert.match(admin, /^ {2}"version": 1,$/m)
  writeFileSync(
    `${directory}/config/admin.json`,
    admin.replace('"version": 1', '"version": 2, "fieldOfTheFuture": true'),
  )
  const line =
    /^\S*config\/admin\.json:3:3: \/version: this instance has version 2, and this gateway knows instances up to version 1; run a newer gateway\n$/
  const run = await gateway(['run', '--instance', directory])
  assert.equal(run.code, 78)
  assert.match(run.stderr, line)
  const validate = await gateway(['validate', '--instance', directory])
  assert.equal(validate.code, 78)
  assert.match(validate.stdout, line)
})

test('existing files are not changed', async () => {
  using folder = new Folder({ 'config/admin.json': '{}', 'extra/a.ts': '', 'notes.txt': 'mine' })
  const { code, stdout, stderr } = await gateway(['init', folder.path])
  assert.equal(code, 1)
  assert.equal(stdout, '')
  assert.equal(stderr, `gateway: init: ${folder.path} is not touched: it holds config, extra already\n`)
  assert.equal(folder.read('config/admin.json'), '{}')
  assert.ok(!existsSync(folder.in('secrets')))
})

test('unrelated files are allowed; a file with the name of the directory is an error', async () => {
  using folder = new Folder({ 'there/notes.txt': 'mine', file: '' })
  assert.equal((await gateway(['init', folder.in('there'), '--json'])).code, 0)
  const refused = await gateway(['init', folder.in('file')])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /it holds a file of that name already/)
})

test('the printed commands can be pasted, also if the path needs quotes', async () => {
  using folder = new Folder()
  const directory = folder.in("it's my gateway")
  const { stdout } = await gateway(['init', directory])
  const lines = stdout.split('\n').filter((line) => /^ {2}(?:gateway|curl)/.test(line))
  assert.equal(lines.length, 4)
  // One line for each word of the shell.
  const words = (line: string) =>
    execFileSync('/bin/sh', ['-c', `gateway() { printf '%s\\n' "$@"; }; curl() { printf '%s\\n' "$@"; }; ${line}`], {
      encoding: 'utf8',
    })
  assert.equal(words(lines[0]!), `run\n--instance\n${directory}\n`)
  assert.equal(words(lines[2]!), `validate\n--instance\n${directory}\n`)
  assert.match(words(lines[3]!), /^-u\nadmin:[\w-]{32}\nhttp/)
  const missing = await gateway(['validate', '--instance', `${directory}2`])
  assert.ok(missing.stdout.includes(`gateway init '${folder.path}/it'\\''s my gateway2'`), missing.stdout)
})
