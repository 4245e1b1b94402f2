import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handler, Headers } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { type BuildOptions, build, manualClock } from '#test/build'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { ManualExecutor } from '#test/manual-executor'
import { httpUpstream, rawUpstream, type Upstream } from '#test/upstream'
import { ReverseProxyHandler } from '../../handlers/reverse-proxy/reverse-proxy-handler.ts'
import { Base64EncodedSecretStore } from '../../stores/base64-encoded/base64-encoded-secret-store.ts'
import { UpstreamService } from './upstream-service.ts'

const named = (name: string, status = () => 200) =>
  httpUpstream((request, response) => {
    request.resume()
    response.statusCode = status()
    response.end(`${name} ${request.headers.host} ${request.url}`)
  })

/** A server that is gone: its port refuses connections. */
async function refusing(): Promise<string> {
  await using gone = await named('gone')
  return gone.url
}

const entries = (...servers: (Upstream | string)[]) =>
  servers.map((server) => ({ url: typeof server === 'string' ? server : server.url }))

/** A handler over a service, as in a heap. */
function balanced(service: JsonObject, handler: JsonObject = {}, options: BuildOptions = {}) {
  return build<Handler>(
    ReverseProxyHandler,
    { upstream: 'app', ...handler },
    {
      ...options,
      types: [UpstreamService, ...(options.types ?? [])],
      heap: [{ name: 'app', type: 'UpstreamService', config: service }, ...(options.heap ?? [])],
    },
  )
}

async function ask(handler: Handler, method = 'GET') {
  const exchange = exchangeFor(method, 'http://shop.example.com/a%20b?x=1')
  const response = await handler(exchange)
  const text = await textOf(response)
  exchange.complete()
  return { status: response.status, text, headers: response.headers }
}

async function namesOf(handler: Handler, requests: number): Promise<string> {
  const names: string[] = []
  for (let i = 0; i < requests; i++) names.push((await ask(handler)).text.split(' ')[0]!)
  return names.join('')
}

const retrying = (more: JsonObject = {}) => ({ retries: { count: 2, delay: '1 minute', ...more } })

test('requests go to the servers in turn, with path, query and Host of the client', async () => {
  await using a = await named('a')
  await using b = await named('b')
  await using built = await balanced({ servers: entries(a, b) })
  const { text } = await ask(built.object)
  assert.match(text, /^[ab] shop\.example\.com \/a%20b\?x=1$/)
  assert.match(await namesOf(built.object, 4), /^(ab){2}$|^(ba){2}$/)
})

test('the request of filters before the handler keeps its URI', async () => {
  await using a = await named('a')
  await using built = await balanced({ servers: entries(a) })
  const exchange = exchangeFor('GET', 'http://shop.example.com/x')
  await textOf(await built.object(exchange))
  assert.equal(exchange.request.uri.toString(), 'http://shop.example.com/x')
})

test('a retry goes to another server, and at once', async () => {
  await using a = await named('a')
  const gone = await refusing()
  const executor = new ManualExecutor()
  await using built = await balanced({ servers: entries(gone, a) }, retrying(), executor.buildOptions)
  for (let i = 0; i < 4; i++) assert.equal((await ask(built.object, i % 2 === 0 ? 'GET' : 'POST')).status, 200)
  assert.equal(executor.waiting.length, 0)
})

test('a retry after the last server waits for its delay', async () => {
  const executor = new ManualExecutor()
  const servers = entries(await refusing(), await refusing())
  await using built = await balanced({ servers }, retrying(), executor.buildOptions)
  const asked = ask(built.object)
  assert.equal(await executor.next(), 60_000)
  assert.equal((await asked).status, 502)
})

test('a response that the condition selects is retried at another server', async () => {
  await using a = await named('a', () => 503)
  await using b = await named('b')
  const condition = '${response.status.code == 503}'
  const executor = new ManualExecutor()
  await using built = await balanced({ servers: entries(a, b) }, retrying({ condition }), executor.buildOptions)
  assert.equal(await namesOf(built.object, 4), 'bbbb')
})

test('a server is ejected after failures in a row, and gets requests again after its time', async () => {
  let status = 503
  await using a = await named('a', () => status)
  await using b = await named('b')
  const clock = manualClock()
  const outlierDetection = { consecutiveFailures: 3, baseEjectionTime: '10 seconds' }
  await using built = await balanced({ servers: entries(a, b), outlierDetection }, {}, { clock })
  assert.match(await namesOf(built.object, 6), /a.*a.*a/)
  assert.equal(await namesOf(built.object, 6), 'bbbbbb')
  const { level, message } = built.log.entries.at(-1)!
  assert.deepEqual([level, message], ['warn', 'a server was ejected: it gets no requests for a time'])
  status = 200
  clock.advance(10_000)
  assert.match(await namesOf(built.object, 4), /^(ab){2}$|^(ba){2}$/)
})

test('500 is no failure by default, and is where statuses says so', async () => {
  await using a = await named('a', () => 500)
  await using b = await named('b')
  for (const [statuses, ejected] of [
    [undefined, false],
    [['500-599'], true],
  ] as const) {
    const outlierDetection = { consecutiveFailures: 2, ...(statuses && { statuses: [...statuses] }) }
    await using built = await balanced({ servers: entries(a, b), outlierDetection })
    await namesOf(built.object, 6)
    assert.equal((await namesOf(built.object, 4)) === 'bbbb', ejected)
  }
})

test('a connection that is reset after the request counts as a failure', async () => {
  await using a = await rawUpstream((socket) => socket.destroy())
  await using b = await named('b')
  const outlierDetection = { consecutiveFailures: 2 }
  const executor = new ManualExecutor()
  await using built = await balanced({ servers: entries(a, b), outlierDetection }, retrying(), executor.buildOptions)
  assert.equal(await namesOf(built.object, 8), 'bbbbbbbb')
  const accepted = a.accepted
  assert.equal(await namesOf(built.object, 4), 'bbbb')
  assert.equal(a.accepted, accepted)
})

test('the circuit breaker of the handler counts for each server as well', async () => {
  const gone = await refusing()
  await using b = await named('b')
  const executor = new ManualExecutor()
  const circuitBreaker = { maxFailures: 2, openDuration: '1 minute' }
  await using built = await balanced(
    { servers: entries(gone, b) },
    { ...retrying(), circuitBreaker },
    executor.buildOptions,
  )
  assert.equal(await namesOf(built.object, 8), 'bbbbbbbb')
  await using other = await named('gone')
  assert.equal(await namesOf(built.object, 4), 'bbbb', `${other.url} is no server of it`)
})

test('equal values of hashOn get the same server', async () => {
  await using a = await named('a')
  await using b = await named('b')
  const hashOn = "${request.headers['X-User'][0]}"
  await using built = await balanced({ servers: entries(a, b), policy: 'hash', hashOn })
  const namesFor = async (user: string) => {
    const seen = new Set<string>()
    for (let i = 0; i < 6; i++) {
      const exchange = exchangeFor('GET', 'http://shop.example.com/', { headers: { 'X-User': user } })
      seen.add((await textOf(await built.object(exchange))).split(' ')[0]!)
      exchange.complete()
    }
    return [...seen].join('')
  }
  const users: string[] = []
  for (let i = 0; i < 12; i++) users.push(await namesFor(`user-${i}`))
  assert.ok(users.includes('a') && users.includes('b') && users.every((names) => names.length === 1), String(users))
})

const cookieOf = (response: { headers: Headers }) =>
  /^gw_server=([\w-]{22}); /.exec(response.headers.get('set-cookie') ?? '')?.[1]

/** One request of a browser; its cookie is undefined where none was set. */
async function visit(handler: Handler, cookie: string | undefined, uri = 'http://shop.example.com/') {
  const headers = cookie === undefined ? {} : { Cookie: `other=1; gw_server=${cookie}` }
  const exchange = exchangeFor('GET', uri, { headers })
  const response = await handler(exchange)
  const name = (await textOf(response)).split(' ')[0]
  exchange.complete()
  return { name, cookie: cookieOf(response), set: response.headers.get('set-cookie') }
}

test('a browser stays with its server, by a cookie that says nothing of it', async () => {
  await using a = await named('a')
  await using b = await named('b')
  await using built = await balanced({ servers: entries(a, b), sticky: {} })
  const first = await visit(built.object, undefined)
  assert.match(first.set ?? '', /^gw_server=[\w-]{22}; Path=\/; HttpOnly; SameSite=Lax$/)
  for (let i = 0; i < 4; i++) {
    const again = await visit(built.object, first.cookie)
    assert.deepEqual([again.name, again.set], [first.name, null])
  }
  const names = new Set<unknown>()
  for (let i = 0; i < 4; i++) names.add((await visit(built.object, undefined)).name)
  assert.equal(names.size, 2, 'new browsers are spread')
  assert.match((await visit(built.object, 'forged', 'https://shop.example.com/')).set ?? '', /; Secure$/)
  assert.match(built.warnings.join(), /cookies of sticky do not hold over a restart/)
})

test('a retry leaves the server of the cookie, and the cookie names the other one', async () => {
  await using a = await named('a')
  await using b = await named('b')
  const executor = new ManualExecutor()
  const config = { servers: entries(a, b), sticky: {} }
  await using built = await balanced(config, retrying(), executor.buildOptions)
  const first = await visit(built.object, undefined)
  const stopped = first.name === 'a' ? a : b
  await stopped[Symbol.asyncDispose]()
  const next = await visit(built.object, first.cookie)
  assert.notEqual(next.name, first.name)
  assert.ok(next.cookie !== undefined && next.cookie !== first.cookie)
  assert.equal((await visit(built.object, next.cookie)).set, null)
})

test('a gateway with the same secret takes the cookies of another one', async () => {
  await using a = await named('a')
  await using b = await named('b')
  const config = { servers: entries(a, b), sticky: { secretId: 'sticky.key', secretsProvider: 'keys' } }
  const options = {
    types: [Base64EncodedSecretStore],
    heap: [{ name: 'keys', type: 'Base64EncodedSecretStore', config: { secrets: { 'sticky.key': 'YSBrZXk=' } } }],
  }
  await using one = await balanced(config, {}, options)
  await using other = await balanced(config, {}, options)
  const first = await visit(one.object, undefined)
  const again = await visit(other.object, first.cookie)
  assert.deepEqual([again.name, again.set], [first.name, null])
  const unknown = { ...config, sticky: { ...config.sticky, secretId: 'other.key' } }
  await assert.rejects(balanced(unknown, {}, options), /sticky\/secretId/)
})

const refused: readonly (readonly [name: string, servers: JsonValue, message: RegExp])[] = [
  ['no servers', [], /\/config\/servers: expected at least one element/],
  ['a weight of 0 everywhere', [{ url: 'http://a', weight: 0 }], /\/servers: expected a server with a weight above 0/],
  [
    'two equal URLs',
    [{ url: 'http://a' }, { url: 'http://a:80' }],
    /\/servers\/1\/url: expected another server than entry 1/,
  ],
  ['a URL with a path', [{ url: 'http://a/app' }], /\/servers\/0\/url: expected a URL without path/],
  ['a URL with a query', [{ url: 'http://a?x' }], /\/servers\/0\/url: expected a URL without query/],
  [
    'mixed schemes',
    [{ url: 'https://a' }, { url: 'http://b' }],
    /\/servers\/1\/url: expected https as the first server has/,
  ],
  ['another scheme', [{ url: 'ftp://a' }], /\/servers\/0\/url: expected the URL of a server such as/],
  ['credentials', [{ url: 'http://u:p@a' }], /\/servers\/0\/url: expected the URL of a server such as/],
]

for (const [name, servers, message] of refused) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(balanced({ servers }), message)
  })
}

test('refuses a hash without value, and ranges of statuses that are none', async () => {
  const servers = [{ url: 'http://a' }]
  await assert.rejects(balanced({ servers, policy: 'hash' }), /\/hashOn: this field is required with the policy hash/)
  const outlierDetection = { statuses: ['5xx'] }
  await assert.rejects(balanced({ servers, outlierDetection }), /statuses\/0: expected a status or a range/)
})
