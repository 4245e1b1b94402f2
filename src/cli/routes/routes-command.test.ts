import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'
import { pathRoute, RunningGateway } from '#test/gateway'
import { freePort } from '#test/nginx'
import type { ListedRouter } from './listed-routes.ts'

const OUTER = { handler: { name: 'inner', type: 'Router', config: { directory: 'inner', order: 'file' } } }
const INNER = {
  'config/inner/a.json': JSON.stringify(pathRoute('/a', 'a', { name: 'z' })),
  'config/inner/b.json': JSON.stringify({ handler: { type: 'WelcomeHandler' }, name: 'b' }),
}

let running: RunningGateway

before(async () => {
  running = await RunningGateway.start({
    env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' },
    routes: {
      hello: pathRoute('/hello', 'hello', { name: '10-hello' }),
      broken: { _id: 'other', name: '05', handler: 'Missing' },
      outer: { ...OUTER, name: '90' },
    },
    files: INNER,
  })
})

after(() => running[Symbol.asyncDispose]())

const list = (...words: string[]) => gateway(['routes', '--gateway', running.adminUrl, ...words])

test('routes of a running gateway are listed in the order in which they are tried, with their problems', async () => {
  const { code, stdout } = await list()
  assert.equal(code, 0)
  assert.equal(
    stdout,
    `_router config/routes
ORDER  ID     NAME      STATE   ERRORS  CONDITION
-      other  05        failed  1       (every request)
1      hello  10-hello  loaded  0       \${request.uri.path == '/hello'}
2      outer  90        loaded  0       (every request)

broken.json: /handler: no Handler named "Missing" in this heap or its parents

_router/routes/outer/objects/inner config/inner
ORDER  ID  NAME  STATE   ERRORS  CONDITION
1      a   z     loaded  0       \${request.uri.path == '/a'}
2      b   b     loaded  0       (every request)
`,
  )
})

test('a failed route whose last good version is served has a position', async () => {
  const good = pathRoute('/hello', 'hello', { name: '10-hello' })
  await running.deploy('hello', '{ "handler": }')
  const { routers } = JSON.parse((await list('--json')).stdout) as { routers: ListedRouter[] }
  await running.deploy('hello', good)
  const hello = routers[0]?.routes.find(({ id }) => id === 'hello')
  assert.deepEqual([hello?.order !== null, hello?.state, hello?.file], [true, 'failed', 'hello.json'])
  assert.match(hello?.errors[0] ?? '', /^not valid JSON: /)
})

test('--folder lists the files without a gateway', async () => {
  using folder = new Folder({
    ...INNER,
    'config/routes/one.json': JSON.stringify(OUTER),
    'config/routes/bad.json': '{',
    'config/routes/zero.json': JSON.stringify({ handler: 'Missing' }),
  })
  const { code, stdout } = await gateway(['routes', '--folder', '--instance', folder.path, '--json'])
  assert.equal(code, 0)
  const { source, routers } = JSON.parse(stdout) as { source: string; routers: ListedRouter[] }
  assert.equal(source, 'folder')
  const main = routers.find(({ directory }) => directory === folder.in('config/routes'))
  assert.deepEqual(
    main?.routes.map(({ order, id, state, errors }) => [order, id, state, errors.length]),
    [
      [1, 'one', 'loaded', 0],
      [null, 'bad', 'failed', 1],
      [null, 'zero', 'failed', 1],
    ],
  )
  const inner = routers.find(({ directory }) => directory === folder.in('config/inner'))
  assert.deepEqual(
    inner?.routes.map(({ order, id, condition }) => [order, id, condition]),
    [
      [1, 'a', "${request.uri.path == '/a'}"],
      [2, 'b', ''],
    ],
  )
  folder.write('config/config.json', '{ "handler": 1 }')
  assert.equal((await gateway(['routes', '--folder', '--instance', folder.path])).code, 78)
  assert.equal((await gateway(['routes', '--folder', '--instance', folder.in('none')])).code, 78)
})

test('a gateway that does not run exits with 69 and the remedy', async () => {
  const { code, stderr } = await gateway(['routes', '--gateway', `http://127.0.0.1:${await freePort()}`])
  assert.equal(code, 69)
  assert.match(stderr, /^gateway: routes: .*ECONNREFUSED/)
})

test('on a terminal lines fit its width, and control characters are escaped', async () => {
  await running.deploy('escape', { ...pathRoute('/escape', 'x'), name: 'a\u001b[31mred' })
  const { stdout } = await gateway(['routes', '--gateway', running.adminUrl], {
    terminal: true,
    env: { NO_COLOR: '1' },
  })
  await running.undeploy('escape')
  assert.match(stdout, /a\\u001b\[31mred/)
  assert.ok(stdout.split('\n').every((line) => line.length <= 80))
})
