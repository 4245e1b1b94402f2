// Warnings of validate about routes whose requests would be sent back to the gateway.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validateWarnings as warnings } from '#test/validate-warnings'

const NONE = 'no baseURI names a server for this'
const proxy = { type: 'ReverseProxyHandler' }
const chain = (handler: unknown, ...filters: unknown[]) => ({ type: 'Chain', config: { filters, handler } })
const header = { type: 'HeaderFilter', config: { messageType: 'REQUEST', remove: ['A'] } }

test('a handler without a baseURI causes a warning with file and position', async () => {
  const found = await warnings({
    'routes/a.json': { name: 'a', handler: proxy },
    'routes/b.json': { name: 'b', handler: chain('ReverseProxyHandler', header) },
    'routes/c.json': { name: 'c', heap: [{ name: 'own', ...proxy }], handler: chain(chain('own')) },
    'routes/d.json': { name: 'd', handler: { type: 'ClientHandler' } },
    'routes/e.json': {
      name: 'e',
      handler: {
        type: 'DispatchHandler',
        config: {
          bindings: [
            { condition: '${true}', baseURI: 'http://app.example.com', handler: proxy },
            { handler: { name: 'bare', ...proxy } },
          ],
        },
      },
    },
  })
  assert.equal(found.length, 5, found.join('\n'))
  for (const [at, start] of [
    `routes/a.json:3:2: /handler: ${NONE} ReverseProxyHandler`,
    `routes/b.json:17:4: /handler/config/handler: ${NONE} ReverseProxyHandler`,
    `routes/c.json:4:3: /heap/0: ${NONE} ReverseProxyHandler`,
    `routes/d.json:3:2: /handler: ${NONE} ClientHandler`,
    `routes/e.json:15:6: /handler/config/bindings/1/handler: ${NONE} ReverseProxyHandler`,
  ].entries()) {
    assert.ok(found[at]?.startsWith(start), `expected ${start}\ngot ${found[at]}`)
  }
})

test('an object that may set the server suppresses the warning', async () => {
  const assign = { type: 'AssignmentFilter', config: { onRequest: [{ target: '${request.uri}', value: 'http://a' }] } }
  const script = {
    type: 'ScriptableFilter',
    config: { type: 'application/javascript', source: 'return next.handle(context, request)' },
  }
  const fixed = { type: 'StaticRequestFilter', config: { method: 'GET', uri: 'http://app.example.com/' } }
  const baseURI = 'http://app.example.com'
  const handlers: Record<string, object> = {
    route: { baseURI, handler: proxy },
    expression: { baseURI: '${request.headers["X-App"][0]}', handler: proxy },
    meant: { baseURI: false, handler: proxy },
    handler: { handler: { ...proxy, baseURI } },
    chain: { handler: { ...chain('ReverseProxyHandler', header), baseURI } },
    filter: { handler: chain('ReverseProxyHandler', { ...header, baseURI }) },
    global: { globalDecorators: { baseURI }, handler: proxy },
    assign: { handler: chain(proxy, assign) },
    script: { handler: chain(proxy, script) },
    fixed: { handler: chain(proxy, header, fixed) },
    within: { handler: chain(proxy, { type: 'ConditionalFilter', config: { condition: '${true}', delegate: fixed } }) },
    answer: { handler: { type: 'StaticResponseHandler', config: { status: 204 } } },
    asked: {
      handler: {
        type: 'ScriptableHandler',
        config: {
          type: 'application/javascript',
          source: 'return new Response(Status.OK)',
          clientHandler: 'ClientHandler',
        },
      },
    },
  }
  const files = Object.fromEntries(
    Object.entries(handlers).map(([name, route]) => [`routes/${name}.json`, { name, ...route }]),
  )
  assert.deepEqual(await warnings(files), [])
})

test('objects that enclose a router apply to its routes', async () => {
  const routes = { 'routes/a.json': { name: 'a', handler: proxy } }
  const router = { type: 'Router' }
  assert.equal((await warnings({ ...routes, 'config.json': { handler: router } })).length, 1)
  const around = { handler: { ...router, baseURI: 'http://app.example.com' } }
  assert.deepEqual(await warnings({ ...routes, 'config.json': around }), [])
  const heap = [{ name: 'ReverseProxyHandler', ...proxy, baseURI: 'http://app.example.com' }]
  assert.deepEqual(
    await warnings({
      'config.json': { heap, handler: router },
      'routes/a.json': { name: 'a', handler: 'ReverseProxyHandler' },
    }),
    [],
  )
})

test('a baseURI with a connector of the gateway causes a warning, by address and by localhost', async () => {
  const files = (host: string, baseURI: string) => ({
    'admin.json': { connectors: [{ port: 8080, host }, { port: 8443 }] },
    'routes/a.json': { name: 'a', baseURI, handler: proxy },
  })
  for (const baseURI of [
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'https://[::1]:8443',
    'ws://127.0.0.1:8080',
  ]) {
    const [warning = '', ...others] = await warnings(files('0.0.0.0', baseURI))
    assert.deepEqual(others, [])
    assert.ok(
      warning.startsWith(
        `routes/a.json:3:2: /baseURI: ${baseURI.replace('ws:', 'http:')} is a connector of this gateway`,
      ),
      warning,
    )
  }
  for (const baseURI of ['http://localhost:8081', 'http://app.example.com:8080', 'http://127.0.0.1']) {
    assert.deepEqual(await warnings(files('0.0.0.0', baseURI)), [])
  }
  assert.deepEqual(await warnings(files('192.0.2.1', 'http://127.0.0.1:8080')), [])
})

test('the baseURI of a binding with a connector of the gateway causes a warning', async () => {
  const bindings = [{ baseURI: 'http://localhost:8080/x', handler: proxy }]
  const [warning = ''] = await warnings({
    'admin.json': { connectors: [{ port: 8080 }] },
    'routes/a.json': { name: 'a', handler: { type: 'DispatchHandler', config: { bindings } } },
  })
  assert.match(warning, /^routes\/a\.json:3:2: \/handler: bindings\/0\/baseURI: http:\/\/localhost:8080 is a connector/)
})
