import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'
import type { Explanation } from './explanation.ts'

const HANDLER = { type: 'StaticResponseHandler', config: { status: 200 } }

function routes(files: Record<string, unknown>, rest: Record<string, string> = {}): Folder {
  const written = Object.entries(files).map(([name, route]) => [`config/routes/${name}.json`, JSON.stringify(route)])
  return new Folder({ ...Object.fromEntries(written), ...rest })
}

async function explained(folder: Folder, request: string, ...words: string[]): Promise<Explanation> {
  const result = await gateway(['explain', '--instance', folder.path, request, ...words, '--json'])
  assert.equal(result.code, 0, result.stderr)
  return JSON.parse(result.stdout) as Explanation
}

test('routes are tried in order of name until one matches the request', async () => {
  using folder = routes({
    first: { name: 'c', condition: '${request.method == "POST"}', handler: HANDLER },
    second: { name: 'a', condition: '${request.headers["X-Kind"][0] * 2 == 4}', handler: HANDLER },
    third: { name: 'b', condition: '${request.uri.path == "/other"}', handler: HANDLER },
    never: { name: 'd', handler: HANDLER },
  })
  const { tried, route, file } = await explained(folder, 'POST https://app.example.com/x', '-H', 'X-Kind: abc')
  assert.deepEqual(
    tried.map(({ id, value, failure }) => [id, value, failure]),
    [
      ['second', false, 'expected a number, found a string'],
      ['third', false, undefined],
      ['first', true, undefined],
    ],
  )
  assert.equal(route, 'first')
  assert.equal(file, folder.in('config/routes/first.json'))
  assert.equal((await explained(folder, '/x', '-H', 'X-Kind: 2')).route, 'second')
})

test('conditions may read the body', async () => {
  using folder = routes({ express: { condition: '${request.entity.json.express == true}', handler: HANDLER } })
  assert.equal((await explained(folder, 'POST /orders', '-d', '{"express":true}')).route, 'express')
  assert.equal((await explained(folder, 'POST /orders', '-d', '{"express":false}')).route, null)
})

test('the chain is listed in the order of processing, with nested chains flattened', async () => {
  using folder = routes({
    shop: {
      baseURI: 'http://localhost:3000',
      heap: [
        { name: 'guards', type: 'ChainOfFilters', config: { filters: ['stamp', { type: 'LocationHeaderFilter' }] } },
        { name: 'stamp', type: 'HeaderFilter', config: { messageType: 'REQUEST', remove: ['X-A'] }, timer: true },
      ],
      handler: {
        type: 'Chain',
        config: {
          filters: ['guards'],
          handler: {
            type: 'Chain',
            config: {
              filters: [],
              handler: {
                type: 'DispatchHandler',
                config: { bindings: [{ condition: '${request.method == "GET"}', handler: 'ReverseProxyHandler' }] },
              },
            },
          },
        },
      },
    },
  })
  const { chain, decorations } = await explained(folder, '/shop')
  assert.deepEqual(decorations, { baseURI: 'http://localhost:3000' })
  assert.deepEqual(
    chain.map(({ type, name, depth, condition, decorators }) => [type, name, depth, condition, decorators]),
    [
      ['Router', '_router', 0, undefined, []],
      ['HeaderFilter', 'stamp', 0, undefined, ['timer']],
      ['LocationHeaderFilter', null, 0, undefined, []],
      ['DispatchHandler', null, 0, undefined, []],
      ['ReverseProxyHandler', 'ReverseProxyHandler', 1, '${request.method == "GET"}', []],
    ],
  )
  assert.equal(chain[1]?.qualifiedName, 'gateway+_router+shop+stamp')
})

test('routers in routes are included', async () => {
  using folder = routes(
    { outer: { handler: { name: 'inner', type: 'Router', config: { directory: 'inner' } } } },
    {
      'config/inner/no.json': JSON.stringify({ condition: '${false}', handler: HANDLER }),
      'config/inner/yes.json': JSON.stringify({ handler: HANDLER }),
    },
  )
  const { tried, route } = await explained(folder, '/x')
  assert.deepEqual(
    tried.map(({ router, id, value }) => [router, id, value]),
    [
      ['_router', 'outer', true],
      ['inner', 'no', false],
      ['inner', 'yes', true],
    ],
  )
  assert.equal(route, 'yes')
})

test('the normalized path is shown, and so is a refusal of the listener', async () => {
  using folder = routes({ all: { handler: HANDLER } })
  const { stdout } = await gateway(['explain', '--instance', folder.path, 'GET http://localhost/a/../%62?q=%62'])
  assert.match(stdout, /^GET http:\/\/localhost\/b\?q=%62\n {2}the path \/a\/\.\.\/%62 is read as \/b\n/)
  assert.deepEqual((await explained(folder, '/a%2fb')).refused, {
    status: 400,
    reason: 'the path holds an escaped slash',
  })
  assert.deepEqual((await explained(folder, '/gateway/x')).refused, { status: 404, reason: 'a path under /gateway' })
})

test('if no route matches, the default handler is shown', async () => {
  using folder = routes({ never: { condition: '${false}', handler: HANDLER } })
  const { stdout } = await gateway(['explain', '--instance', folder.path, '/x'])
  assert.match(stdout, /Route: none\n/)
  assert.match(stdout, /WelcomeHandler +at defaultHandler\n/)
  assert.match(stdout, /note: no route of the router _router takes it/)
})

test('files with problems are skipped with a warning; an instance that can not be built is an error', async () => {
  using folder = routes({ good: { handler: HANDLER }, bad: { handler: 'Missing' } })
  const result = await gateway(['explain', '--instance', folder.path, '/x'])
  assert.match(result.stderr, /^warning: files with problems are left out; see: gateway validate/)
  assert.match(result.stdout, /Route: good/)
  folder.write('config/config.json', '{ "handler": "Missing" }')
  const broken = await gateway(['explain', '--instance', folder.path, '/x'])
  assert.equal(broken.code, 78)
  assert.match(broken.stderr, /config\.json:1:3: \/handler: no Handler named "Missing"/)
})

test('an invalid request is a usage error', async () => {
  using folder = routes({})
  for (const words of [['GET'], ['GET ftp://x/'], ['/x', '-H', 'no colon']])
    assert.equal((await gateway(['explain', '--instance', folder.path, ...words])).code, 64)
  const { code, stderr } = await gateway(['explain', '--instance', folder.path, '/', '--from', 'notanip'])
  assert.equal(code, 64)
  assert.match(stderr, /^gateway: explain: --from: expected an IP address such as 192\.0\.2\.1, got "notanip"\n/)
})

test('steps before the router are shown as not run', async () => {
  const config = {
    handler: {
      type: 'Chain',
      config: {
        filters: [{ name: 'first', type: 'LocationHeaderFilter' }],
        handler: { type: 'Router', name: 'main' },
      },
    },
  }
  using folder = routes({ all: { handler: HANDLER } }, { 'config/config.json': JSON.stringify(config) })
  const { chain, notes, route } = await explained(folder, '/x')
  assert.equal(route, 'all')
  assert.deepEqual(
    chain.map(({ type }) => type),
    ['LocationHeaderFilter', 'Router', 'StaticResponseHandler'],
  )
  assert.match(notes[0] ?? '', /before the router main is not run here/)
})

test('the value of each part of a condition is shown, with the parts that decide', async () => {
  using folder = routes({
    a: {
      condition:
        "${request.method == 'POST' and find(request.uri.path, '^/a') or not (request.headers['X-Kind'][0] > 3)}",
      handler: HANDLER,
    },
    b: { condition: '${env.SECRET == request.headers["X-Key"][0] ? true : false}', handler: HANDLER },
  })
  const words = ['explain', '--instance', folder.path, '/b', '-H', 'X-Kind: 4', '-H', 'X-Key: k']
  const { stdout } = await gateway(words, { env: { SECRET: 'top' } })
  const lines = stdout.split('\n').filter((line) => /^ {6}/.test(line))
  assert.deepEqual(lines.slice(0, 8), [
    "      (request.method == 'POST') && find(request.uri.path, '^/a')  = false",
    "        request.method == 'POST'                                   = false",
    '          request.method                                           = "GET"',
    "        find(request.uri.path, '^/a')                              = false (not evaluated)",
    '          request.uri.path                                         = "/b" (not evaluated)',
    "      !(request.headers['X-Kind'][0] > 3)                          = false",
    "        request.headers['X-Kind'][0] > 3                           = true",
    '          request.headers[\'X-Kind\'][0]                             = "4"',
  ])
  assert.match(stdout, /env\.SECRET == request\.headers\['X-Key'\]\[0\] +.*= false\n/)
  assert.match(stdout, /env\.SECRET +.*= \(not shown\)\n/)
  assert.doesNotMatch(stdout, /top/)
})

test('a part that fails has its reason', async () => {
  using folder = routes({ a: { condition: '${request.headers["X-Kind"][0] * 2 == 4}', handler: HANDLER } })
  const { tried } = await explained(folder, '/x', '-H', 'X-Kind: abc')
  assert.deepEqual(
    tried[0]?.parts?.map(({ text, value, failure }) => [text, value ?? failure]),
    [
      ["request.headers['X-Kind'][0] * 2", 'expected a number, found a string'],
      ["request.headers['X-Kind'][0]", '"abc"'],
    ],
  )
})

test('a baseURI of the Router, or of a Chain around it, is that of its routes', async () => {
  const router = { type: 'Router', baseURI: 'http://router:81' }
  using folder = routes({
    a: { condition: "${request.uri.path == '/a'}", handler: 'ReverseProxyHandler' },
    b: { condition: "${request.uri.path == '/b'}", baseURI: 'http://route:82', handler: 'ReverseProxyHandler' },
  })
  const targets = async (config: object, path: string): Promise<(string | null)[]> => {
    folder.write('config/config.json', JSON.stringify(config))
    const { chain } = await explained(folder, `GET http://gateway.test${path}`)
    return chain.flatMap(({ target }) => (target === undefined ? [] : [target.uri]))
  }
  assert.deepEqual(await targets({ handler: router }, '/a'), ['http://router:81/a'])
  assert.deepEqual(await targets({ handler: router }, '/b'), ['http://route:82/b'])
  const { baseURI, ...plain } = router
  const around = { type: 'Chain', baseURI, config: { filters: [], handler: plain } }
  assert.deepEqual(await targets({ handler: around }, '/a'), ['http://router:81/a'])
})

test('the target of each ReverseProxyHandler is shown: the innermost baseURI, or the Host of the request', async () => {
  const proxy = (config: object) => ({ type: 'ReverseProxyHandler', ...config })
  using folder = routes({
    a: {
      condition: "${find(request.uri.path, '^/a')}",
      properties: { shop: { url: 'https://shop.example.com:8443' } },
      baseURI: '&{shop.url}',
      handler: {
        type: 'DispatchHandler',
        config: {
          bindings: [
            { condition: "${request.method == 'PUT'}", handler: proxy({ baseURI: "${'http://inner'}:81/ignored" }) },
            { condition: "${request.method == 'POST'}", baseURI: 'http://beside:82', handler: proxy({}) },
            { handler: proxy({}) },
          ],
        },
      },
    },
    b: {
      handler: {
        type: 'Chain',
        config: {
          filters: [
            {
              name: 'rewrite',
              type: 'ScriptableFilter',
              config: { type: 'application/javascript', source: 'return next.handle(context, request)' },
            },
          ],
          handler: 'ReverseProxyHandler',
        },
      },
    },
  })
  const { chain } = await explained(folder, 'GET http://gateway.test/a?x=1')
  assert.deepEqual(
    chain.flatMap(({ target }) => (target === undefined ? [] : [target.uri])),
    ['http://inner:81/a?x=1', 'http://beside:82/a?x=1', 'https://shop.example.com:8443/a?x=1'],
  )
  const { stdout } = await gateway(['explain', '--instance', folder.path, 'GET http://gateway.test/b'])
  assert.match(
    stdout,
    /ReverseProxyHandler +to http:\/\/gateway\.test\/b \(its Host, since no baseURI is set\), unless rewrite sets another\n/,
  )
})
