import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'

const HANDLER = '"handler": { "type": "StaticResponseHandler", "config": { "status": 200 } }'

/** The lines of a check, with the folder taken out of them. */
async function validate(folder: Folder, ...words: string[]) {
  const { code, stdout, stderr } = await gateway(['validate', ...words])
  const lines = (text: string) =>
    text
      .replaceAll(`${folder.path}/`, '')
      .split('\n')
      .filter((line) => line !== '')
  return { code, stdout: lines(stdout), stderr: lines(stderr) }
}

test('an instance without a mistake is valid, and routes inside routes are looked at', async () => {
  using folder = new Folder({
    'config/routes/outer.json': '{ "handler": { "type": "Router", "config": { "directory": "inner" } } }',
    'config/inner/one.json': `{ ${HANDLER} }`,
    'config/inner/two.json': `{ ${HANDLER} }`,
  })
  assert.deepEqual(await validate(folder, '--instance', folder.path), {
    code: 0,
    stdout: ['valid: 3 route files and the files around them'],
    stderr: [],
  })
})

test('every problem of every file is told with its place', async () => {
  using folder = new Folder({
    'config/admin.json': '{\n  "conectors": [],\n  "mode": "TEST"\n}',
    'config/routes/a.json':
      '{\n  "condition": "${find(request.uri.path, \'^/x\'}",\n  "handler": { "type": "StaticResponseHandlr" }\n}',
    'config/routes/b.json': '{ "handler": "Nobody" }',
    'config/routes/c.json': '{\n  "handler":\n}',
    'config/routes/d.json': `{ "name": "e", ${HANDLER} }`,
    'config/routes/e.json': `{\n  ${HANDLER}\n}`,
    'config/routes/outer.json': '{ "handler": { "type": "Router", "config": { "directory": "inner" } } }',
    'config/inner/f.json': '{ "handler": 7 }',
  })
  const { code, stdout, stderr } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 78)
  assert.deepEqual(stdout, [
    'config/admin.json:2:3: /conectors: unknown field, and no decorator of that name; did you mean "connectors"?',
    'config/admin.json:3:3: /mode: expected one of "PRODUCTION", "DEVELOPMENT", got "TEST"',
    'config/inner/f.json:1:3: /handler: expected the name of a Handler or an object { "type": ... }, got 7',
    'config/routes/a.json:2:3: /condition: "${find(request.uri.path, \'^/x\'}" is not a valid expression: expected ")", found "}"',
    'config/routes/a.json:3:16: /handler/type: unknown type "StaticResponseHandlr"; did you mean "StaticResponseHandler"?',
    'config/routes/b.json:1:3: /handler: no Handler named "Nobody" in this heap or its parents',
    'config/routes/c.json:3:1: not valid JSON: expected a value, got "}"',
    'config/routes/e.json:1:1: /name: the name "e" is already taken by d.json',
  ])
  assert.deepEqual(stderr, ['8 problems in 6 files'])
})

test('a broken config.json does not hide what is wrong with routes', async () => {
  using folder = new Folder({
    'config/config.json': '{ "handler": { "type": "Routr" } }',
    'config/routes/a.json': '{ "handler": "InTheHeapOfConfig", "timr": true, "capture": "all" }',
  })
  const { stdout } = await validate(folder, '--instance', folder.path)
  assert.deepEqual(stdout, [
    'config/config.json:1:16: /handler/type: unknown type "Routr"; did you mean "Router"?',
    'config/routes/a.json:1:35: /timr: unknown field, and no decorator of that name; did you mean "timer"?',
  ])
})

test('a config.json that is no JSON, and an extension that does not load, are problems too', async () => {
  using folder = new Folder({ 'config/config.json': '{ "handler": }' })
  assert.deepEqual((await validate(folder, '--instance', folder.path)).stdout, [
    'config/config.json:1:14: not valid JSON: expected a value, got "}"',
  ])
  using extended = new Folder({ 'extra/broken.ts': 'export const nothing = 1' })
  const { code, stdout } = await validate(extended, '--instance', extended.path)
  assert.equal(code, 78)
  assert.match(stdout.join('\n'), /^extra: extra\/broken\.ts: expected an exported function types/)
})

test('warnings go to standard error and do not fail', async () => {
  using folder = new Folder({ 'config/routes/a.json': `{\n  "monitor": true,\n  ${HANDLER}\n}` })
  const { code, stderr } = await validate(folder, '--instance', folder.path)
  assert.equal(code, 0)
  assert.deepEqual(stderr, [
    'warning: config/routes/a.json:2:3: /monitor: monitor is no longer used and has no effect; remove it',
  ])
})

test('--json gives the same for programs', async () => {
  using folder = new Folder({ 'config/routes/b.json': '{ "handler": "Nobody" }' })
  const { code, stdout } = await gateway(['validate', '--instance', folder.path, '--json'])
  assert.equal(code, 78)
  assert.deepEqual(JSON.parse(stdout), {
    valid: false,
    problems: [
      {
        file: folder.in('config/routes/b.json'),
        line: 1,
        column: 3,
        pointer: '/handler',
        message: 'no Handler named "Nobody" in this heap or its parents',
      },
    ],
    warnings: [],
  })
})

test('single files are routes of an empty instance, or of the one that is named', async () => {
  using folder = new Folder({
    'one/same.json': '{ "handler": "shared" }',
    'two/same.json': `{ ${HANDLER} }`,
    'config/config.json':
      '{ "handler": "main", "heap": [{ "name": "main", "type": "Router" }, { "name": "shared", "type": "StaticResponseHandler", "config": { "status": 204 } }] }',
    'config/routes/broken.json': '{ does not matter here',
  })
  const files = [folder.in('one/same.json'), folder.in('two/same.json'), folder.in('gone.json')]
  const alone = await validate(folder, ...files)
  assert.equal(alone.code, 78)
  assert.equal(alone.stdout[0], 'one/same.json:1:3: /handler: no Handler named "shared" in this heap or its parents')
  assert.match(alone.stdout[1] ?? '', /^gone\.json: the file can not be read: /)
  assert.equal(alone.stdout.length, 2)
  const inside = await validate(folder, '--instance', folder.path, ...files.slice(0, 2))
  assert.equal(inside.code, 0, inside.stdout.join('\n'))
})

test('a directory that is not there is named, with the way to make one', async () => {
  using folder = new Folder()
  const { code, stdout } = await validate(folder, '--instance', folder.in('gone'))
  assert.equal(code, 78)
  assert.deepEqual(stdout, ['gone: there is no such directory; make one with: gateway init gone'])
})
