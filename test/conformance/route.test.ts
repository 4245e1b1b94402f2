// The tables of the spec under 'Route', 'Route ID rules', 'Route metrics' and 'Route dispatch', over a whole gateway.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { pathRoute, RunningGateway, textRoute } from '#test/gateway'

const ROOT = {
  handler: '_router',
  heap: [
    {
      name: '_router',
      type: 'Router',
      config: { scanInterval: 'disabled', defaultHandler: answering('unmatched', 404) },
    },
    { name: 'greeting', ...answering('from config.json') },
    { name: 'stamp', type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Stamp': ['parent'] } } },
  ],
}

let gateway: RunningGateway

before(async () => {
  gateway = await RunningGateway.start({ files: { 'config/config.json': ROOT }, units: 2 })
})

after(() => gateway[Symbol.asyncDispose]())

beforeEach(async () => {
  gateway.instance.remove('config/routes')
  gateway.instance.write('config/routes/.keep', '')
  await gateway.scan()
})

function answering(entity: string, status = 200, headers: Record<string, string[]> = {}) {
  return {
    type: 'StaticResponseHandler',
    config: { status, headers: { 'Content-Type': ['text/plain; charset=UTF-8'], ...headers }, entity },
  }
}

async function text(path: string): Promise<string> {
  return (await gateway.ask(path)).text
}

describe('Route: fields', () => {
  test('handler: required; a route without one is rejected with the reason', async () => {
    await gateway.deploy('a', { condition: '${true}' })
    assert.equal((await gateway.ask('/')).status, 404)
    assert.deepEqual(gateway.problems('a.json'), ['/handler: expected a Handler reference; this field is required'])
  })

  test('handler: may be the name of an object of the heap', async () => {
    await gateway.deploy('a', { handler: 'own', heap: [{ name: 'own', ...answering('own') }] })
    assert.equal(await text('/'), 'own')
  })

  test('heap: objects that are not defined in the route are inherited from the parent', async () => {
    await gateway.deploy('a', { handler: 'greeting' })
    assert.equal(await text('/'), 'from config.json')
  })

  test('heap: an object of the route hides one of the parent that has its name', async () => {
    await gateway.deploy('a', { handler: 'greeting', heap: [{ name: 'greeting', ...answering('from the route') }] })
    assert.equal(await text('/'), 'from the route')
  })

  test('heap: objects of a route are not visible to another route', async () => {
    await gateway.deploy('a', pathRoute('/a', 'A', { heap: [{ name: 'private', ...answering('private') }] }))
    await gateway.deploy('b', { handler: 'private' })
    assert.match(gateway.problems('b.json').join(), /\/handler: no Handler named "private"/)
  })

  test('heap: empty and absent are equivalent', async () => {
    await gateway.deploy('a', pathRoute('/a', 'A', { heap: [] }))
    await gateway.deploy('b', pathRoute('/b', 'B'))
    assert.deepEqual([await text('/a'), await text('/b')], ['A', 'B'])
  })

  test('condition: true dispatches to the route', async () => {
    await gateway.deploy('a', textRoute('A', { condition: '${true}' }))
    assert.equal(await text('/any'), 'A')
  })

  test('condition: false continues with the next route', async () => {
    await gateway.deploy('a', textRoute('A', { condition: '${false}' }))
    await gateway.deploy('b', textRoute('B'))
    assert.equal(await text('/any'), 'B')
  })

  test('condition: absent dispatches unconditionally', async () => {
    await gateway.deploy('a', textRoute('A'))
    assert.equal(await text('/any/where?x=1'), 'A')
  })

  test('condition: one that fails counts as false, with a metric and a warning', async () => {
    await gateway.deploy('a', textRoute('A', { condition: "${integer(request.headers['X-Count'][0]) / 0 == 1}" }))
    await gateway.deploy('b', textRoute('B'))
    const from = gateway.log.lines.length
    const answer = await gateway.ask('/', { headers: { 'X-Count': 'many' } })
    assert.equal(answer.text, 'B')
    const warning = await gateway.log.until(/condition failed: it counts as false/, from)
    assert.equal(warning.logger, 'gateway+_router+a')
    assert.equal(await gateway.metric('gw_route_condition_error_total', { route: 'a' }), 1)
  })

  test('condition: the warning about a failure names the route and is rate-limited', async () => {
    const failing = { condition: "${integer(request.headers['X-Count'][0]) / 0 == 1}" }
    await gateway.deploy('a', textRoute('A', { name: 'The Shop', ...failing }))
    await gateway.deploy('b', textRoute('B', { name: 'The Stock', ...failing }))
    const from = gateway.log.lines.length
    for (let time = 0; time < 20; time++) assert.equal((await gateway.ask('/')).status, 404)
    await gateway.log.until(/"route":"The Stock"/, from)
    const warnings = gateway.log.lines.slice(from).filter((line) => /counts as false/.test(line))
    const routes = warnings.map((line) => (JSON.parse(line) as { route: string }).route)
    assert.deepEqual(new Set(routes), new Set(['The Shop', 'The Stock']))
    assert.ok(routes.length <= 4, 'one of each unit for each route')
    assert.doesNotMatch(warnings.join(), /\bat .*\.ts/, 'no stack')
    assert.equal(await gateway.metric('gw_route_condition_error_total', { route: 'a' }), 20)
  })

  test('condition: a pattern on a header, which is a list, is matched with the text of the list, so that a denying route denies', async () => {
    const denied = { handler: { type: 'StaticResponseHandler', config: { status: 403 } } }
    await gateway.deploy('a', { condition: "${matches(request.headers['X-Role'], 'guest')}", ...denied })
    await gateway.deploy('b', { condition: "${not request.headers['X-Member'][0]}", ...denied })
    await gateway.deploy('c', textRoute('C'))
    const status = async (headers: Record<string, string | string[]>) => (await gateway.ask('/', { headers })).status
    assert.equal(await status({ 'X-Member': 'true', 'X-Role': ['user', 'guest'] }), 403)
    assert.equal(await status({ 'X-Member': 'yes' }), 403)
    assert.equal(await status({}), 403)
    assert.equal(await status({ 'X-Member': 'TRUE', 'X-Role': 'user' }), 200)
  })

  test('condition: one on the reserved administrative path never matches an external request', async () => {
    await gateway.deploy('a', textRoute('A', { condition: "${find(request.uri.path, '^/gateway')}" }))
    for (const path of ['/gateway', '/gateway/', '/gateway/api/info', '/GATEWAY/x', '/%67ateway/x']) {
      const { status, text: body } = await gateway.ask(path)
      assert.deepEqual([path, status, body === 'A'], [path, 404, false])
    }
    assert.equal(await text('/gateways'), 'A')
  })

  test('name: orders the routes, by code unit', async () => {
    await gateway.deploy('z', textRoute('first', { name: 'A' }))
    await gateway.deploy('a', textRoute('second', { name: 'a' }))
    assert.equal(await text('/'), 'first')
    await gateway.deploy('m', textRoute('before both', { name: '10' }))
    assert.equal(await text('/'), 'before both')
    await gateway.deploy('y', textRoute('a dash comes first', { name: '-' }))
    assert.equal(await text('/'), 'a dash comes first')
  })

  test('name: 10 is before 9, since names are compared as text', async () => {
    await gateway.deploy('9', textRoute('nine'))
    await gateway.deploy('10', textRoute('ten'))
    assert.equal(await text('/'), 'ten')
  })

  test('name: by default the route ID', async () => {
    await gateway.deploy('z', textRoute('Z', { _id: 'b' }))
    await gateway.deploy('y', textRoute('Y', { _id: 'c' }))
    assert.equal(await text('/'), 'Z')
  })

  test('auditService: a reference; an object of another type is rejected', async () => {
    await gateway.deploy('a', textRoute('A', { auditService: 'AuditService' }))
    assert.equal(await text('/'), 'A')
    await gateway.deploy('b', textRoute('B', { auditService: 'greeting' }))
    assert.match(gateway.problems('b.json').join(), /\/auditService: expected a.* AuditService, got a Handler/)
  })

  test('globalDecorators: decorate every compatible object of the route', async () => {
    await gateway.deploy('a', {
      globalDecorators: { timer: true },
      handler: { type: 'Chain', config: { filters: ['stamp2'], handler: answering('A') } },
      heap: [{ name: 'stamp2', type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Two': ['2'] } } }],
    })
    const from = gateway.log.lines.length
    assert.equal((await gateway.ask('/')).headers['x-two'], '2')
    await gateway.log.until(/stamp2/, from)
  })

  test('globalDecorators: an unknown decorator is rejected with its location', async () => {
    await gateway.deploy('a', textRoute('A', { globalDecorators: { timmer: true } }))
    assert.match(gateway.problems('a.json').join(), /\/globalDecorators\/timmer: .*did you mean "timer"\?/)
  })

  test('<decorator name>: a top-level key decorates the main handler', async () => {
    await gateway.deploy('a', { handler: 'echo', baseURI: 'http://elsewhere.test:81', heap: [echo('echo')] })
    assert.equal(await text('/x?y=1'), 'at http://elsewhere.test:81/x?y=1')
  })

  test('<decorator name>: an unknown top-level key is rejected; comments are not', async () => {
    await gateway.deploy('a', textRoute('A', { comment: 'fine', _note: 'fine', '//': 'fine' }))
    assert.equal(await text('/'), 'A')
    await gateway.deploy('b', textRoute('B', { conditon: '${true}' }))
    assert.match(gateway.problems('b.json').join(), /\/conditon: unknown field/)
  })

  test('properties: of the route, and of config.json', async () => {
    await gateway.deploy('a', {
      properties: { who: { name: 'Ann' }, greeting: 'Hello &{who.name}' },
      handler: answering('&{greeting} ${who.name}'),
    })
    assert.equal(await text('/'), 'Hello Ann Ann')
  })
})

function echo(name: string) {
  return { name, ...answering('at ${request.uri}') }
}

describe('Route ID rules', () => {
  test('1: the _id of a file is its route ID', async () => {
    await gateway.deploy('some-file', textRoute('A', { _id: 'my-id' }))
    await gateway.ask('/')
    assert.equal(await gateway.metric('gw_route_request_total', { route: 'my-id', name: 'my-id' }), 1)
  })

  test('1: without _id it is the file name', async () => {
    await gateway.deploy('some-file', textRoute('A'))
    await gateway.ask('/')
    assert.equal(await gateway.metric('gw_route_request_total', { route: 'some-file' }), 1)
  })

  test('4: a file named default.json is rejected', async () => {
    await gateway.deploy('default', textRoute('A', { _id: 'other' }))
    assert.deepEqual(gateway.problems('default.json'), [
      'a route file can not be called default.json; give it another name',
    ])
    assert.equal(await text('/'), 'unmatched')
  })

  for (const word of ['default', 'DEFAULT', 'Default']) {
    test(`4: the name and the id can not be ${word}`, async () => {
      await gateway.deploy('a', textRoute('A', { name: word }))
      await gateway.deploy('b', textRoute('B', { _id: word }))
      assert.match(gateway.problems('a.json').join(), /\/name: a route can not be named "default"/)
      assert.match(gateway.problems('b.json').join(), /\/_id: a route can not have the id "default"/)
      assert.equal(await text('/'), 'unmatched')
    })
  }

  test('an id that is not a safe file name is rejected', async () => {
    for (const id of ['', '../x', 'a/b', '.hidden', 'x'.repeat(129), 'a b', 'ä', 7]) {
      await gateway.deploy('a', textRoute('A', { _id: id }))
      assert.match(gateway.problems('a.json').join(), /\/_id: expected an _id of 1 to 128 letters/)
    }
  })

  test('of two files with one id the second is rejected and the first stays loaded', async () => {
    await gateway.deploy('a', textRoute('A', { _id: 'same' }))
    await gateway.deploy('0', textRoute('zero', { _id: 'same', name: 'other' }))
    assert.deepEqual(gateway.problems('0.json'), ['/_id: the id "same" is already taken by a.json'])
    assert.equal(await text('/'), 'A')
  })

  test('of two files with one name the second is rejected and the first stays loaded', async () => {
    await gateway.deploy('b', textRoute('B', { name: 'same' }))
    await gateway.deploy('a', textRoute('A', { name: 'same' }))
    assert.deepEqual(gateway.problems('a.json'), ['/name: the name "same" is already taken by b.json'])
    assert.equal(await text('/'), 'B')
  })

  test('of two duplicates found by one scan the first by file name is loaded', async () => {
    gateway.instance.writeRoute('b', textRoute('B', { _id: 'same' }))
    gateway.instance.writeRoute('a', textRoute('A', { _id: 'same' }))
    await gateway.scan()
    assert.equal(await text('/'), 'A')
    assert.deepEqual(gateway.problems('b.json'), ['/_id: the id "same" is already taken by a.json'])
  })

  test('a rejected duplicate is loaded by the next scan after the other was removed', async () => {
    await gateway.deploy('a', textRoute('A', { _id: 'same' }))
    await gateway.deploy('b', textRoute('B', { _id: 'same' }))
    await gateway.undeploy('a')
    assert.equal(await text('/'), 'B')
    assert.deepEqual(gateway.problems('b.json'), [])
  })
})

describe('Route dispatch', () => {
  test('a request is evaluated against a route, true: dispatched to that route, and no later condition is evaluated', async () => {
    await gateway.deploy('a', textRoute('A', { condition: "${request.uri.path == '/x'}" }))
    await gateway.deploy('b', textRoute('B', { condition: '${1 / 0 == 1}' }))
    assert.equal(await text('/x'), 'A')
    assert.equal(await gateway.metric('gw_route_condition_error_total', { route: 'b' }), 0)
  })

  test('a request is evaluated against a route, false: the condition of the next route is evaluated, to the end', async () => {
    await gateway.deploy('a', pathRoute('/a', 'A'))
    await gateway.deploy('b', textRoute('B', { condition: "${request.method == 'POST'}" }))
    await gateway.deploy('c', textRoute('C', { condition: "${matches(request.uri.path, '^/c')}" }))
    assert.deepEqual([await text('/a'), await text('/c'), await text('/d')], ['A', 'C', 'unmatched'])
    assert.equal((await gateway.ask('/c', { method: 'POST' })).text, 'B')
  })

  test('a condition that reads the body is awaited, and the route gets the complete body', async () => {
    await gateway.deploy('a', textRoute('${request.entity.json.to}', { condition: "${request.entity.json.to == 'a'}" }))
    await gateway.deploy('b', textRoute('to b: ${request.entity.string}'))
    const post = (body: string) => gateway.ask('/', { method: 'POST', body })
    assert.equal((await post('{"to":"a"}')).text, 'a')
    assert.equal((await post('{"to":"b"}')).text, 'to b: {"to":"b"}')
  })
})

describe('Route metrics', () => {
  test('requests, status families, time and errors are counted under name, route and router', async () => {
    await gateway.deploy('a', {
      name: 'my route',
      handler: {
        type: 'DispatchHandler',
        config: {
          bindings: [
            { condition: "${request.uri.path == '/moved'}", handler: answering('', 302) },
            { condition: "${request.uri.path == '/mine'}", handler: answering('', 400) },
            { condition: "${request.uri.path == '/odd'}", handler: answering('', 650) },
            { condition: "${request.uri.path == '/fault'}", handler: answering('${1 / 0}') },
            { handler: answering('fine') },
          ],
        },
      },
    })
    for (const path of ['/', '/', '/moved', '/mine', '/odd', '/fault']) await gateway.ask(path)
    const labels = { name: 'my route', route: 'a', router: 'gateway._router' }
    const family = (name: string) => gateway.metric('gw_route_response_status_total', { ...labels, family: name })
    assert.equal(await gateway.metric('gw_route_request_total', labels), 6)
    assert.equal(await family('Successful'), 2)
    assert.equal(await family('Redirection'), 1)
    assert.equal(await family('Client_error'), 1)
    assert.equal(await family('Server_error'), 1)
    assert.equal(await family('Unknown'), 1)
    assert.equal(await family('Informational'), 0)
    assert.equal(await gateway.metric('gw_route_response_error_total', labels), 1)
    assert.equal(await gateway.metric('gw_route_response_null_total', labels), 0)
    assert.equal(await gateway.metric('gw_route_response_time', labels), 6)
    assert.equal(await gateway.metric('gw_route_request_active', labels), 0)
  })

  test('a default handler publishes its metrics as the route default', async () => {
    const before = await gateway.metric('gw_route_request_total', { route: 'default', name: 'default' })
    await gateway.ask('/nowhere')
    const labels = { route: 'default', name: 'default', router: 'gateway._router' }
    assert.equal(await gateway.metric('gw_route_request_total', labels), before + 1)
  })

  test('the series of a route are removed with it', async () => {
    await gateway.deploy('a', textRoute('A'))
    await gateway.ask('/')
    await gateway.undeploy('a')
    const samples = await gateway.gateway.collect()
    assert.deepEqual(
      samples.filter(({ labels }) => labels['route'] === 'a'),
      [],
    )
  })
})

describe('Router inside a route', () => {
  const nested = (fields: Record<string, unknown> = {}) => ({
    condition: "${find(request.uri.path, '^/inner')}",
    handler: 'inner',
    heap: [{ name: 'inner', type: 'Router', config: { directory: 'inner', scanInterval: 'disabled', ...fields } }],
  })

  test('dispatches to the routes of its own folder, under its own name', async () => {
    gateway.instance.write('config/inner/x.json', pathRoute('/inner/x', 'inner x'))
    await gateway.deploy('outer', nested())
    assert.equal(await text('/inner/x'), 'inner x')
    assert.equal((await gateway.ask('/inner/y')).status, 404)
    const router = 'gateway._router.outer.inner'
    assert.equal(await gateway.metric('gw_route_request_total', { route: 'x', router }), 1)
  })

  test('loads changes of its folder also after the enclosing route was replaced', async () => {
    gateway.instance.write('config/inner/x.json', pathRoute('/inner/x', 'one'))
    await gateway.deploy('outer', nested())
    await gateway.deploy('outer', nested({ scanInterval: '1 hour' }))
    assert.equal(await text('/inner/x'), 'one')
    gateway.instance.write('config/inner/x.json', pathRoute('/inner/x', 'two'))
    await gateway.scan()
    assert.equal(await text('/inner/x'), 'two')
  })

  test('reads its folder again when the route is restored', async () => {
    gateway.instance.write('config/inner/x.json', pathRoute('/inner/x', 'one'))
    await gateway.deploy('outer', nested())
    await gateway.undeploy('outer')
    gateway.instance.write('config/inner/x.json', pathRoute('/inner/x', 'two'))
    await gateway.deploy('outer', nested())
    assert.equal(await text('/inner/x'), 'two')
  })

  test('inherits from the heap of its route', async () => {
    const { heap, ...rest } = nested()
    gateway.instance.write('config/inner/x.json', { handler: 'of the outer route' })
    await gateway.deploy('outer', { ...rest, heap: [...heap, { name: 'of the outer route', ...answering('outer') }] })
    assert.equal(await text('/inner'), 'outer')
  })

  test('is rejected for the folder of its own route', async () => {
    await gateway.deploy('outer', nested({ directory: 'routes' }))
    assert.match(gateway.problems('outer.json').join(), /\/heap\/0\/config\/directory: .*needs a folder of its own/)
    assert.match(gateway.problems('outer.json').join(), /directory/)
  })
})
