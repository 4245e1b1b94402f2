import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'
import { RunningGateway } from '#test/gateway'
import { freePort } from '#test/nginx'
import type { Comparison } from './comparison.ts'

const ROUTES = 'config/routes'

let running: RunningGateway

const route = (path: string, entity: string) => `{
  // ${entity}
  "condition": "\${request.uri.path == '${path}'}",
  "handler": { "type": "StaticResponseHandler", "config": { "status": 200, "entity": "${entity}" } }
}
`

before(async () => {
  running = await RunningGateway.start({
    routes: {
      one: route('/one', 'one'),
      two: route('/two', 'two'),
      outer: { handler: { name: 'inner', type: 'Router', config: { directory: 'inner' } } },
    },
    files: {
      'secrets/gateway.admin.password': 'the admin password\n',
      'config/config.json': '{ "handler": { "type": "Router", "name": "_router" } }',
      'config/inner/leaf.json': route('/leaf', 'leaf'),
    },
  })
})

after(() => running[Symbol.asyncDispose]())

/** A copy of the instance, as a checkout of it elsewhere. */
function checkout(): Folder {
  const folder = new Folder()
  for (const part of ['config', 'secrets'])
    cpSync(`${running.instance.directory}/${part}`, folder.in(part), { recursive: true })
  return folder
}

const diff = (folder: Folder, ...words: string[]) =>
  gateway(['diff', folder.path, '--gateway', running.adminUrl, ...words])

async function compared(folder: Folder, ...words: string[]): Promise<Comparison> {
  const { stdout, stderr } = await diff(folder, ...words, '--json')
  assert.equal(stderr, '')
  return JSON.parse(stdout) as Comparison
}

test('a folder that the gateway runs has no difference, folders of nested routers included', async () => {
  using folder = checkout()
  assert.deepEqual(await diff(folder), { code: 0, stdout: 'same: 6 files\n', stderr: '' })
})

test('added, removed and changed routes are shown from the running version to the file', async () => {
  using folder = checkout()
  folder.write(`${ROUTES}/one.json`, route('/one', 'first'))
  folder.write(`${ROUTES}/three.json`, '{ "handler": "WelcomeHandler" }')
  folder.write('config/inner/leaf.json', route('/leaf', 'other'))
  rmSync(folder.in(`${ROUTES}/two.json`))
  const { code, stdout, stderr } = await diff(folder)
  assert.deepEqual([code, stderr], [1, '4 files of 7 differ\n'])
  const [one, three, two, leaf] = stdout.split(/^(?=config\/.*: \w+, route)/m)
  assert.equal(
    one,
    `config/routes/one.json: changed, route one of _router
--- running/config/routes/one.json
+++ folder/config/routes/one.json
@@ -4,7 +4,7 @@
     "type": "StaticResponseHandler",
     "config": {
       "status": 200,
-      "entity": "one"
+      "entity": "first"
     }
   }
 }
`,
  )
  assert.match(
    three ?? '',
    /^config\/routes\/three\.json: added, .*\n--- \/dev\/null\n\+\+\+ folder\/.*\n@@ -0,0 \+1,3 @@\n\+\{/,
  )
  assert.match(
    two ?? '',
    /^config\/routes\/two\.json: removed, .*\n--- running\/.*\n\+\+\+ \/dev\/null\n@@ -1,10 \+0,0 @@\n-\{/,
  )
  assert.match(
    leaf ?? '',
    /^config\/inner\/leaf\.json: changed, route leaf of _router\/routes\/outer\/objects\/inner\n/,
  )
})

test('comments, white space, the order of members and file names are differences with --text only', async () => {
  using folder = checkout()
  folder.write(`${ROUTES}/one.json`, route('/one', 'one').replace('// one', '// another comment'))
  folder.write(
    `${ROUTES}/renamed.json`,
    '{ "_id": "two", "handler": { "config": { "entity": "two", "status": 200 }, "type": "StaticResponseHandler" }, "condition": "${request.uri.path == \'/two\'}" }',
  )
  rmSync(folder.in(`${ROUTES}/two.json`))
  const { differences } = await compared(folder)
  // The id is in the content now, and a different value.
  assert.deepEqual(
    differences.map(({ file, change, hunks }) => [file, change, hunks.filter((line) => /^[+-]/.test(line))]),
    [['config/routes/renamed.json', 'changed', ['+  "_id": "two",']]],
  )
  const { differences: texts } = await compared(folder, '--text')
  assert.deepEqual(texts[0]?.hunks.slice(0, 4), ['@@ -1,5 +1,5 @@', ' {', '-  // one', '+  // another comment'])
})

test('a file that is not a route is compared with the version that is served', async () => {
  using folder = checkout()
  folder.write(`${ROUTES}/one.json`, '{ "handler": ')
  const { differences } = await compared(folder)
  assert.deepEqual(
    differences.map(({ file, route, change, notes }) => ({ file, route, change, notes })),
    [
      {
        file: 'config/routes/one.json',
        route: { router: '_router', id: 'one' },
        change: 'changed',
        notes: ['not a route: not valid JSON: expected a value, got the end of the text'],
      },
    ],
  )
})

test('a change that the gateway rejects is a difference, with the reason', async () => {
  const good = route('/one', 'one')
  running.instance.writeRoute('one', good.replace('StaticResponseHandler', 'NoSuchHandler'))
  await running.scan()
  const { code, stdout } = await gateway([
    'diff',
    '--instance',
    running.instance.directory,
    '--gateway',
    running.adminUrl,
  ])
  running.instance.writeRoute('one', good)
  await running.scan()
  assert.equal(code, 1)
  assert.match(
    stdout,
    /^config\/routes\/one\.json: changed, route one of _router\n {2}the gateway rejects it: \/handler\/type: .*NoSuchHandler/,
  )
  assert.match(stdout, /^-.*"StaticResponseHandler",\n\+.*"NoSuchHandler",$/m)
})

test('config.json and admin.json differ until a restart; the content of admin.json is not shown', async () => {
  using folder = checkout()
  folder.write('config/config.json', '{ "handler": { "type": "Router", "name": "_router" }, "properties": { "a": 1 } }')
  folder.write('config/admin.json', '{ "prefix": "changed" }')
  const { differences } = await compared(folder)
  assert.deepEqual(
    differences.map(({ file, notes, hunks }) => [file, notes, hunks.filter((line) => /^[+-]/.test(line))]),
    [
      [
        'config/admin.json',
        ['not the one that the gateway has read at its start; it takes effect when the gateway is restarted'],
        [],
      ],
      [
        'config/config.json',
        ['takes effect when the gateway is restarted'],
        ['+  },', '+  "properties": {', '+    "a": 1'],
      ],
    ],
  )
})

test('without --gateway, the address is that of admin.json', async () => {
  using folder = checkout()
  folder.write('config/admin.json', JSON.stringify({ adminConnector: { port: running.gateway.adminPort } }))
  const { code, stdout } = await gateway(['diff', folder.path])
  assert.equal(code, 1)
  assert.match(stdout, /^config\/admin\.json: changed\n.*\n$/)
})

test('a gateway that can not be reached, or a wrong password, exits with 69 and the remedy', async () => {
  using folder = checkout()
  const port = await freePort()
  const unreachable = await gateway(['diff', folder.path, '--gateway', `http://127.0.0.1:${port}`])
  assert.equal(unreachable.code, 69)
  assert.match(
    unreachable.stderr,
    /^gateway: diff: http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED .*; start the gateway, or name its management connector with --gateway URL\n$/,
  )
  folder.write('wrong', 'guess')
  const rejected = await diff(folder, '--password-file', folder.in('wrong'))
  assert.equal(rejected.code, 69)
  assert.match(
    rejected.stderr,
    /: 401: this needs the admin credentials; name the file of the admin password with --password-file FILE\n$/,
  )
  const random = await gateway(['diff', folder.path])
  assert.equal(random.code, 69)
  assert.match(random.stderr, /the port of adminConnector in admin\.json is 0; name the address with --gateway URL/)
  assert.equal((await gateway(['diff', folder.in('missing')])).code, 78)
  assert.equal((await diff(folder, '--instance', folder.path)).code, 64)
  assert.equal((await gateway(['diff', folder.path, '--gateway', 'https://admin:secret@127.0.0.1'])).code, 64)
})
