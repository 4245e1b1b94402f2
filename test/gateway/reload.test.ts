import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { pathRoute, RunningGateway, textRoute } from '#test/gateway'
import { threadTime } from '#test/loop-watch'
import { PROBE_EXTENSION } from '#test/probe-extension'
import { httpUpstream } from '#test/upstream'

describe('route files', () => {
  let gateway: RunningGateway

  before(async () => {
    gateway = await RunningGateway.start({ units: 2, extra: { 'probe.js': PROBE_EXTENSION } })
  })

  after(() => gateway[Symbol.asyncDispose]())

  beforeEach(async () => {
    gateway.instance.remove('config/routes')
    gateway.instance.write('config/routes/.keep', '')
    await gateway.scan()
  })

  const text = async (path: string): Promise<string> => (await gateway.ask(path)).text

  test('a file that becomes invalid leaves its last good version serving, and the log has file, line and pointer', async () => {
    await gateway.deploy('a', textRoute('good'))
    const from = gateway.log.lines.length
    await gateway.deploy(
      'a',
      '{\n  "handler": {\n    "type": "StaticResponseHandler",\n    "config": { "status": 99 }\n  }\n}',
    )
    assert.equal(await text('/'), 'good')
    const entry = await gateway.log.until(/a\.json:4/, from)
    assert.equal(entry['line'], 4)
    assert.equal(entry['pointer'], '/handler/config/status')
    assert.match(String(entry['file']), /config\/routes\/a\.json$/)
    assert.match(entry.message ?? '', /^a\.json:4:17: \/handler\/config\/status: expected an integer/)
  })

  test('a file that is no longer JSON leaves its last good version serving, with the position of the mistake', async () => {
    await gateway.deploy('a', textRoute('good'))
    await gateway.deploy('a', '{\n  "handler": {,}\n}')
    assert.equal(await text('/'), 'good')
    assert.match(gateway.problems('a.json').join(), /^not valid JSON: /)
    assert.ok(gateway.log.with(/a\.json:2:15/).length > 0)
  })

  test('an invalid file does not affect files before, after or with it', async () => {
    await gateway.deploy('a', pathRoute('/a', 'A'))
    gateway.instance.writeRoute('b', '{')
    gateway.instance.writeRoute('c', pathRoute('/c', 'C'))
    gateway.instance.writeRoute('a', pathRoute('/a', 'A2'))
    await gateway.scan()
    await gateway.deploy('d', pathRoute('/d', 'D'))
    assert.deepEqual([await text('/a'), await text('/c'), await text('/d')], ['A2', 'C', 'D'])
  })

  test('a folder that vanishes takes its routes with it, with a warning; they are back with the folder', async () => {
    await gateway.deploy('a', pathRoute('/a', 'A'))
    const from = gateway.log.lines.length
    gateway.instance.remove('config/routes')
    await gateway.scan()
    assert.equal((await gateway.ask('/a')).status, 404)
    await gateway.scan()
    const warnings = gateway.log.entries.slice(from).filter(({ code }) => code === 'GW_CONTROL_ROUTES_FOLDER_MISSING')
    assert.deepEqual(
      warnings.map(({ level, routes }) => ({ level, routes })),
      [{ level: 'warn', routes: 1 }],
    )
    await gateway.deploy('a', pathRoute('/a', 'A'))
    assert.equal(await text('/a'), 'A')
  })

  test('an object that can not be built fails its route only', async () => {
    await gateway.deploy('a', pathRoute('/a', 'A'))
    await gateway.deploy('b', {
      handler: {
        type: 'Chain',
        config: { filters: [{ type: 'FaultFilter', config: { fault: 'create' } }], handler: 'ClientHandler' },
      },
    })
    assert.match(gateway.problems('b.json').join(), /FaultFilter can not be built: built to fail/)
    assert.equal(await text('/a'), 'A')
  })

  test('edited to an invalid version and back, it serves its content, and is no longer failed', async () => {
    await gateway.deploy('a', textRoute('one'))
    await gateway.deploy('a', 'no json')
    await gateway.deploy('a', textRoute('one'))
    assert.deepEqual(gateway.problems('a.json'), [])
    await gateway.deploy('a', { handler: 'no such object' })
    assert.equal(gateway.problems('a.json').length, 1)
    await gateway.deploy('a', textRoute('two'))
    assert.deepEqual(gateway.problems('a.json'), [])
    assert.equal(await text('/'), 'two')
  })

  test('an unchanged invalid file is logged once over many scans', async () => {
    const from = gateway.log.lines.length
    await gateway.deploy('a', { handler: 'no such object' })
    for (let round = 0; round < 3; round++) await gateway.scan()
    assert.equal(gateway.log.lines.slice(from).filter((line) => /a\.json:2/.test(line)).length, 1)
  })

  test('a removed file removes its route', async () => {
    await gateway.deploy('a', textRoute('A'))
    await gateway.undeploy('a')
    assert.equal((await gateway.ask('/x')).status, 404)
  })

  test('a removed file that was invalid removes its last good version', async () => {
    await gateway.deploy('a', textRoute('A'))
    await gateway.deploy('a', '{')
    await gateway.undeploy('a')
    assert.equal((await gateway.ask('/x')).status, 404)
    assert.deepEqual(gateway.problems('a.json'), [])
  })

  test('a renamed _id replaces the route under its old one', async () => {
    await gateway.deploy('a', textRoute('A', { _id: 'one' }))
    await gateway.deploy('a', textRoute('A', { _id: 'two' }))
    await gateway.ask('/')
    assert.equal(await gateway.metric('gw_route_request_total', { route: 'two' }), 1)
    const ids = (await gateway.gateway.collect()).map(({ labels }) => labels['route'])
    assert.ok(!ids.includes('one'))
  })

  test('two files may swap their ids', async () => {
    await gateway.deploy('a', pathRoute('/a', 'A', { _id: 'one' }))
    await gateway.deploy('b', pathRoute('/b', 'B', { _id: 'two' }))
    gateway.instance.writeRoute('a', pathRoute('/a', 'A2', { _id: 'two' }))
    gateway.instance.writeRoute('b', pathRoute('/b', 'B2', { _id: 'one' }))
    await gateway.scan()
    assert.deepEqual([await text('/a'), await text('/b')], ['A2', 'B2'])
  })

  test('the same content written again changes nothing', async () => {
    await gateway.deploy('a', textRoute('A'))
    const from = gateway.log.lines.length
    await gateway.deploy('a', JSON.stringify(textRoute('A')))
    assert.deepEqual(gateway.log.lines.slice(from), [])
  })

  test('a change with the same time and length is not missed', async () => {
    for (let round = 0; round < 20; round++) {
      await gateway.deploy('a', textRoute(String(round % 10)))
      assert.equal(await text('/'), String(round % 10))
    }
  })

  test('files that are not routes are ignored', async () => {
    gateway.instance.write('config/routes/notes.txt', 'no route')
    gateway.instance.write('config/routes/.hidden.json', '{')
    gateway.instance.write('config/routes/folder.json/x', '')
    await gateway.deploy('a', textRoute('A'))
    assert.equal(await text('/'), 'A')
    assert.deepEqual(gateway.problems('notes.txt'), [])
    assert.deepEqual(gateway.problems('.hidden.json'), [])
    assert.match(gateway.problems('folder.json').join(), /not a regular file/)
  })

  test('a file of 10,000 levels, one of 5 MiB and one that is not UTF-8 are rejected quickly', async () => {
    await gateway.deploy('a', textRoute('A'))
    gateway.instance.writeRoute('deep', `${'['.repeat(10_000)}${']'.repeat(10_000)}`)
    gateway.instance.writeRoute('deeper', `{"handler":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`)
    gateway.instance.writeRoute('large', `{"comment":"${'x'.repeat(5 * 1024 * 1024)}"}`)
    gateway.instance.writeRoute('bytes', Buffer.from(JSON.stringify(textRoute('caf\u00e9')), 'latin1'))
    const start = threadTime()
    await gateway.scan()
    assert.ok(threadTime() - start < 2_000)
    assert.match(gateway.problems('deep.json').join(), /nested more than 256 levels/)
    assert.match(gateway.problems('deeper.json').join(), /nested more than 256 levels/)
    assert.match(gateway.problems('large.json').join(), /larger than 4 MiB/)
    assert.deepEqual(gateway.problems('bytes.json'), ['not valid JSON: the file is not UTF-8 text; save it as UTF-8'])
    assert.equal(await text('/'), 'A')
  })

  test('B76: keys and names that would pollute a prototype are data or rejected', async () => {
    await gateway.deploy('a', '{"__proto__": {"polluted": 1}, "handler": {"type": "ProbeHandler"}}')
    const refusal = gateway.problems('a.json').join()
    await gateway.deploy('b', {
      handler: '__proto__',
      heap: JSON.parse('[{"name": "__proto__", "type": "ProbeHandler"}]') as unknown,
    })
    await gateway.deploy('c', '{"handler": "constructor"}')
    await gateway.deploy(
      'd',
      '{"properties": {"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}, "condition": "${false}", "handler": "ClientHandler"}',
    )
    assert.match(gateway.problems('c.json').join(), /no Handler named "constructor"/)
    const { text: body } = await gateway.ask('/', {
      headers: { constructor: 'y', hasOwnProperty: 'z' },
    })
    const { polluted } = JSON.parse(body) as { polluted: unknown }
    assert.equal(polluted, null, refusal)
  })
})

describe('watching', () => {
  const router = (scanInterval: unknown) => ({
    'config/config.json': { handler: { type: 'Router', name: 'r', config: { scanInterval } } },
  })

  test('a saved file is served without a request or signal', async () => {
    await using gateway = await RunningGateway.start({ files: router('1 hour') })
    const from = gateway.log.lines.length
    gateway.instance.writeRoute('a', textRoute('A'))
    await gateway.log.until(/route loaded/, from)
    assert.equal((await gateway.ask('/')).text, 'A')
    gateway.instance.writeRoute('a', textRoute('A2'))
    await gateway.log.until(/route updated/, from)
    assert.equal((await gateway.ask('/')).text, 'A2')
    gateway.instance.removeRoute('a')
    await gateway.log.until(/route removed/, from)
    assert.equal((await gateway.ask('/')).status, 404)
  })

  test('a routes folder that is created later is found at the next interval', async () => {
    await using gateway = await RunningGateway.start({
      files: {
        'config/config.json': { handler: { type: 'Router', config: { directory: 'later', scanInterval: 0.05 } } },
      },
    })
    gateway.instance.write('config/later/a.json', textRoute('A'))
    await gateway.log.until(/route loaded/)
    assert.equal((await gateway.ask('/')).text, 'A')
  })

  test('scanInterval disabled: only start-up and SIGHUP scan the files, and SIGHUP retries failed ones', async () => {
    await using gateway = await RunningGateway.start({ files: router('disabled'), routes: { a: textRoute('A') } })
    gateway.instance.writeRoute('a', textRoute('A2'))
    assert.equal((await gateway.ask('/')).text, 'A')
    await gateway.gateway.reload()
    assert.equal((await gateway.ask('/')).text, 'A2')
    const location = JSON.stringify(`file://${gateway.instance.directory}/props.json`)
    await gateway.deploy(
      'a',
      `{"properties": {"$location": ${location}}, ${JSON.stringify(textRoute('A3 &{x}')).slice(1)}`,
    )
    assert.match(gateway.problems('a.json').join(), /can not be read/)
    assert.equal((await gateway.ask('/')).text, 'A2')
    gateway.instance.write('props.json', { x: 'yes' })
    assert.equal((await gateway.ask('/')).text, 'A2')
    await gateway.gateway.reload()
    assert.equal((await gateway.ask('/')).text, 'A3 yes')
  })
})

test('a replaced route finishes its request on the old chain, and is disposed after the body has ended, not the head', async () => {
  const { promise: finish, resolve: letFinish } = Promise.withResolvers<void>()
  await using upstream = await httpUpstream(async (request, response) => {
    if (request.url !== '/slow') return void response.end('quick')
    response.write('begin ')
    await finish
    response.end('end')
  })
  const route = (version: string) => ({
    baseURI: upstream.url,
    handler: {
      type: 'Chain',
      config: { filters: [{ type: 'VersionFilter', config: { version } }], handler: 'ReverseProxyHandler' },
    },
  })
  await using gateway = await RunningGateway.start({
    routes: { a: route('one') },
    extra: { 'probe.js': PROBE_EXTENSION },
  })
  const slow = await fetch(`${gateway.url}/slow`)
  assert.equal(slow.headers.get('x-version'), 'one')
  await gateway.deploy('a', route('two'))
  assert.equal((await gateway.ask('/quick')).headers['x-version'], 'two')
  await gateway.gateway.collect()
  assert.deepEqual(gateway.log.with(/disposed one/), [])
  letFinish()
  assert.equal(await slow.text(), 'begin end')
  await gateway.log.until(/disposed one/)
  assert.deepEqual(gateway.log.with(/disposed two/), [])
})

test('a retired route whose disposal fails is logged, and the unit continues', async () => {
  const route = (text: string) => ({
    handler: {
      type: 'Chain',
      config: { filters: [{ type: 'FaultFilter', config: { fault: 'dispose' } }], handler: textRoute(text)['handler'] },
    },
  })
  await using gateway = await RunningGateway.start({
    routes: { a: route('one') },
    extra: { 'probe.js': PROBE_EXTENSION },
  })
  await gateway.deploy('a', route('two'))
  await gateway.log.until(/the retired route could not dispose all of its objects/)
  assert.equal((await gateway.ask('/')).text, 'two')
  assert.equal(gateway.gateway.restarts, 0)
})
