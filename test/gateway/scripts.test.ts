// Scripts in a whole gateway: files that change, scripts that do not end, and their log entries.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gateway as command } from '#test/command-line'
import { Folder } from '#test/folder'
import { pathRoute, RunningGateway } from '#test/gateway'

/** A route for one path whose handler is a script, named `script` in the heap of the route. */
const scripted = (path: string, config: Readonly<Record<string, unknown>>) => ({
  condition: `\${request.uri.path == '${path}'}`,
  heap: [{ name: 'script', type: 'ScriptableHandler', config: { type: 'application/javascript', ...config } }],
  handler: 'script',
})

const answering = (text: string): string => `return new Response({ entity: ${JSON.stringify(text)} })\n`

test('a file that changes is used without a reload, and one that does not compile is not', async () => {
  await using gateway = await RunningGateway.start({
    units: 2,
    files: { 'scripts/javascript/answer.js': answering('one') },
    routes: { r: scripted('/x', { file: 'answer.js' }) },
  })
  assert.equal((await gateway.ask('/x')).text, 'one')

  const taken = /script reloaded.*javascript\/answer\.js|javascript\/answer\.js.*script reloaded/
  const inBothUnits = async (pattern: RegExp, from: number) => {
    await gateway.log.until(pattern, from)
    await gateway.log.until(pattern, gateway.log.lines.findIndex((line, at) => at >= from && pattern.test(line)) + 1)
  }
  let from = gateway.log.lines.length
  gateway.instance.write('scripts/javascript/answer.js', answering('two'))
  await inBothUnits(taken, from)
  assert.equal((await gateway.ask('/x')).text, 'two')

  from = gateway.log.lines.length
  gateway.instance.write('scripts/javascript/answer.js', 'return 1\nreturn ]')
  const refused = /the changed script can not be used; the last good one stays in use/
  await inBothUnits(refused, from)
  const entry = await gateway.log.until(refused, from)
  assert.equal(entry['problem'], "javascript/answer.js:2:8: Unexpected token ']'")
  assert.equal(entry['logger'], 'gateway+_router+r+script')
  assert.equal((await gateway.ask('/x')).text, 'two')

  from = gateway.log.lines.length
  gateway.instance.remove('scripts/javascript/answer.js')
  await inBothUnits(/there is no file/, from)
  assert.equal((await gateway.ask('/x')).text, 'two')

  from = gateway.log.lines.length
  gateway.instance.write('scripts/javascript/answer.js', answering('three'))
  await inBothUnits(taken, from)
  assert.equal((await gateway.ask('/x')).text, 'three')
})

test('a route with a script that does not compile is not loaded', async () => {
  await using gateway = await RunningGateway.start({
    files: { 'scripts/javascript/bad.js': 'const x = 1\nconst y = ;' },
    routes: { r: scripted('/x', { source: answering('good') }) },
  })
  await gateway.deploy('r', scripted('/x', { file: 'bad.js' }))
  assert.deepEqual(gateway.problems('r.json'), ["/heap/0/config/file: javascript/bad.js:2:11: Unexpected token ';'"])
  await gateway.deploy('r', scripted('/x', { file: '../../config/admin.json' }))
  assert.match(gateway.problems('r.json')[0] ?? '', /^\/heap\/0\/config\/file: .* is outside of /)
  assert.equal((await gateway.ask('/x')).text, 'good')
})

test('a script that does not end fails only its own request', async () => {
  await using gateway = await RunningGateway.start({
    admin: { scriptTimeout: '500 ms', scriptDeadline: '2 seconds' },
    routes: {
      first: scripted('/before', { source: 'for (;;);' }),
      second: scripted('/after', { source: 'await 1; for (;;);' }),
      third: scripted('/never', { source: 'await new Promise(() => {})' }),
      other: pathRoute('/other', 'served'),
      good: scripted('/good', { source: answering('good') }),
    },
  })
  const failing = ['/before', '/after', '/never'].map((path) => gateway.ask(path))
  const others = Array.from({ length: 20 }, (_, at) => gateway.ask(at % 2 === 0 ? '/other' : '/good'))
  assert.deepEqual(
    (await Promise.all(failing)).map(({ status }) => status),
    [500, 500, 500],
  )
  assert.ok((await Promise.all(others)).every(({ status }) => status === 200))
  assert.equal((await gateway.ask('/good')).text, 'good')
  const stopped = await gateway.log.until(/stopped: it ran 500 ms without a pause/)
  assert.equal(stopped['message'], 'the request failed')
  await gateway.log.until(/timed out: it did not end within 2000 ms/)
  assert.equal(gateway.gateway.units.length, 1)
  assert.equal(gateway.log.with(/unit.*(?:ended|restart)/).length, 0)
})

test('a script that fails is logged under the name of its object, with line and column', async () => {
  await using gateway = await RunningGateway.start({
    routes: {
      r: scripted('/x', { source: ['const x = null', 'return x.y'] }),
      n: scripted('/null', { source: 'return null' }),
    },
  })
  const answer = await gateway.ask('/x')
  assert.deepEqual([answer.status, answer.text], [500, ''])
  const entry = await gateway.log.until(/the request failed/)
  assert.equal(entry['logger'], 'gateway+_router+r+script')
  assert.match(
    JSON.stringify(entry),
    /source of script:2:10: TypeError: Cannot read properties of null \(reading 'y'\)/,
  )

  assert.equal((await gateway.ask('/null')).status, 500)
  assert.equal(await gateway.metric('gw_route_response_null_total', { route: 'n' }), 1)
})

test('an unhandled rejection of a script does not end the unit', async () => {
  await using gateway = await RunningGateway.start({
    routes: {
      r: scripted('/x', {
        source: ['Promise.reject(new Error("forgotten"))', 'void (async () => { throw 1 })()', answering('served')],
      }),
    },
  })
  assert.equal((await gateway.ask('/x')).text, 'served')
  const entry = await gateway.log.until(/a promise that the script did not wait for has failed/)
  assert.equal(entry['logger'], 'gateway+_router+r+script')
  assert.match(String(entry['problem']), /^Error: forgotten\n {4}at source of script:1:16/)
  assert.equal((await gateway.ask('/x')).text, 'served')
})

test('an unhandled rejection of a promise with another prototype does not end the unit either', async () => {
  const rejected = (prototype: string) =>
    `{ const p = Promise.reject(new Error("x")); Object.setPrototypeOf(p, ${prototype}) }`
  await using gateway = await RunningGateway.start({
    routes: {
      r: scripted('/x', {
        source: [
          'class P extends Promise {} void P.reject(new Error("x"))',
          rejected('null'),
          rejected('new Proxy({}, { getPrototypeOf() { throw new Error("y") } })'),
          answering('served'),
        ],
      }),
    },
  })
  assert.equal((await gateway.ask('/x')).text, 'served')
  await gateway.log.until(/a promise that the script did not wait for has failed/)
  for (let count = 0; count < 3; count += 1) assert.equal((await gateway.ask('/x')).text, 'served')
  assert.equal(gateway.log.with(/unit.*(?:ended|restart)/).length, 0)
})

test('a script that fails before its function runs is a fault of its request', async () => {
  await using gateway = await RunningGateway.start({
    routes: {
      r: scripted('/x', {
        source: ['Array.prototype.map = () => { throw { get stack() { for (;;); } } }', answering('once')],
      }),
    },
  })
  assert.equal((await gateway.ask('/x')).text, 'once')
  assert.equal((await gateway.ask('/x')).status, 500)
  // The stack of what it throws is read under its time limit.
  await gateway.log.until(/source of script: stopped: it ran 1000 ms without a pause/)
})

test('validate compiles scripts and runs none', async () => {
  const route = (config: object) =>
    JSON.stringify({ handler: { type: 'ScriptableHandler', config: { type: 'application/javascript', ...config } } })
  using folder = new Folder({
    'config/routes/good.json': route({ source: 'for (;;);' }),
    'config/routes/bad.json': route({ source: ['return 1', 'return ['] }),
    'config/routes/file.json': route({ file: 'bad.js' }),
    'config/routes/groovy.json': route({ type: 'application/x-groovy', source: ['request.foo()', 'new Nope()'] }),
    'scripts/bad.js': 'await await',
  })
  const { code, stdout } = await command(['validate', '--instance', folder.path])
  assert.equal(code, 78)
  const lines = stdout
    .replaceAll(`${folder.path}/`, '')
    .split('\n')
    .filter((line) => line !== '')
  assert.equal(lines.length, 4, stdout)
  assert.match(
    lines[0]!,
    /^config\/routes\/bad\.json:1:\d+: \/handler\/config\/source\/1: the script can not be compiled: line 2, /,
  )
  assert.match(lines[1]!, /^config\/routes\/file\.json:1:\d+: \/handler\/config\/file: bad\.js:\d+:\d+: /)
  assert.match(
    lines[2]!,
    /^config\/routes\/groovy\.json:1:\d+: \/handler\/config\/source\/0: the script can not be compiled: line 1, column 9: .*Request has no method foo/,
  )
  assert.match(lines[3]!, /\/handler\/config\/source\/1: .* line 2, column 5: unknown class Nope/)
})
