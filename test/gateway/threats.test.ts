// Threats that concern the whole gateway: hostile requests, hostile data in expressions and logs, limits.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { pathRoute, RunningGateway, textRoute } from '#test/gateway'
import { converse, RawClient } from '#test/listening'
import { PROBE_EXTENSION, PROBE_ROUTE, probeUnits } from '#test/probe-extension'
import { Stopwatch } from '#test/stopwatch'
import { silentUpstream } from '#test/upstream'

const ROUTES = {
  '0-probe': PROBE_ROUTE,
  '1-redos': pathRoute('/redos', 'matched', {
    condition: "${request.uri.path == '/redos' && find(request.headers['X-In'][0], '^(a+)+$')}",
  }),
  '1-redos-given': pathRoute('/redos-given', "${find(request.headers['X-In'][0], request.headers['X-Pattern'][0])}"),
  '2-say': pathRoute('/say', "said: ${request.headers['X-Say'][0]} ${request.queryParams['say'][0]}"),
  '2-twice': pathRoute('/twice', "${join(split(request.headers['X-Say'][0], ','), ';')}"),
  '3-json': pathRoute('/json', '${request.entity.json.a}'),
  '3-json-condition': textRoute('chosen by body', {
    condition: "${request.uri.path == '/json-condition' && request.entity.json.a == 'x'}",
  }),
  '4-fault': pathRoute('/fault', '${1 / 0}'),
  '5-gone': {
    condition: "${request.uri.path == '/gone'}",
    baseURI: 'http://127.0.0.1:1',
    handler: 'ReverseProxyHandler',
  },
  '6-quick': pathRoute('/quick', 'quick'),
  '7-closed': {
    condition: "${request.uri.path == '/closed'}",
    handler: {
      type: 'Chain',
      config: {
        filters: [{ type: 'ConditionEnforcementFilter', config: { condition: '${false}' } }],
        handler: 'ClientHandler',
      },
    },
  },
}

describe('one gateway', () => {
  let gateway: RunningGateway

  before(async () => {
    gateway = await RunningGateway.start({
      routes: ROUTES,
      extra: { 'probe.js': PROBE_EXTENSION },
      env: { SECRET_HOME: 'the-home-of-the-gateway' },
    })
  })

  after(() => gateway[Symbol.asyncDispose]())

  const raw = (text: string) => converse(gateway.port, text)

  test('a malformed request is 400 and closes the connection; the next client is served', async () => {
    const garbage = [
      'GET / HTTP/1.1\r\nHost: a\r\nBad Header: x\r\n\r\n',
      'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01',
      'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n',
      'GET / HTTP/1.1\r\n Host: a\r\n\r\n',
    ]
    for (const text of garbage) {
      assert.match(await raw(text), /^HTTP\/1\.1 (400|505) /, JSON.stringify(text))
      assert.equal((await gateway.ask('/quick')).text, 'quick')
    }
  })

  test('B89: headers over the limit are 431, and 2,000 small ones are too', async () => {
    assert.match(await raw(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /)
    assert.match(await raw(`GET / HTTP/1.1\r\nHost: a\r\n${'Cookie: a=b\r\n'.repeat(2_000)}\r\n`), /^HTTP\/1\.1 431 /)
    assert.match(await raw(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`), /^HTTP\/1\.1 (431|414|400) /)
  })

  test('B80: patterns with catastrophic backtracking delay neither their own request nor others', async () => {
    const hostile = `${'a'.repeat(40)}!`
    using time = new Stopwatch()
    const attacks = Array.from({ length: 5 }, () => gateway.ask('/redos', { headers: { 'X-In': hostile } }))
    const given = ['(a*)*b', '(a|a)*b', '(a|aa)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(', '(?<=a)b'].map((pattern) =>
      gateway.ask('/redos-given', { headers: { 'X-In': hostile, 'X-Pattern': pattern } }),
    )
    assert.equal((await gateway.ask('/quick')).text, 'quick')
    for (const { status } of await Promise.all(attacks)) assert.equal(status, 404)
    for (const { status } of await Promise.all(given)) assert.ok(status === 200 || status === 500)
    assert.ok(time.elapsed < 2_000, `took ${time.elapsed} ms`)
    assert.equal((await gateway.ask('/redos', { headers: { 'X-In': 'aaa' } })).text, 'matched')
  })

  test('B81: data of a request is never evaluated', async () => {
    for (const text of [
      '${env.SECRET_HOME}',
      '#{env.SECRET_HOME}',
      '&{secret.home}',
      '${gateway.instanceDirectory}',
      '\\${1+1}',
    ]) {
      const { text: said } = await gateway.ask(`/say?say=${encodeURIComponent(text)}`, { headers: { 'X-Say': text } })
      assert.equal(said, `said: ${text} ${text}`)
      assert.equal((await gateway.ask('/twice', { headers: { 'X-Say': text } })).text, text)
    }
  })

  test('B82: expressions have no access to constructors, prototypes and classes', async () => {
    const attempts = [
      "${''.constructor}",
      "${''.constructor.constructor('return process')()}",
      '${request.__proto__}',
      '${request.constructor}',
      "${request.headers['__proto__']}",
      "${contexts['constructor']}",
      '${request.getClass()}',
      '${attributes.__proto__.polluted}',
      "${request['toString']}",
      '${env.constructor.name}',
    ]
    for (const [at, entity] of attempts.entries())
      await gateway.deploy(`x-${at}`, pathRoute(`/sandbox/${at}`, `[${entity}]`))
    for (const at of attempts.keys()) {
      const { status, text } = await gateway.ask(`/sandbox/${at}`)
      assert.ok(status === 404 || status === 500 || text === '[]', `${attempts[at]} gave ${status} ${text}`)
    }
    const [probe] = await probeUnits((path) => gateway.ask(path), 1)
    assert.equal(probe?.polluted, null)
  })

  test('B79: a body of 10,000 levels that an expression reads fails that request, quickly', async () => {
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
    using time = new Stopwatch()
    const read = await gateway.ask('/json', { method: 'POST', body: deep })
    assert.ok(read.status === 500 || (read.status === 200 && read.text === ''), `${read.status}`)
    assert.equal((await gateway.ask('/json-condition', { method: 'POST', body: deep })).status, 404)
    assert.ok(time.elapsed < 1_000)
    assert.equal((await gateway.ask('/json', { method: 'POST', body: '{"a":"fine"}' })).text, 'fine')
  })

  test('B86: no error reveals internals', async () => {
    const answers = [
      await raw('GET / HTTP/1.1\r\n\r\n'),
      await raw('nonsense\r\n\r\n'),
      await raw(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
      ...(await Promise.all(
        ['/nothing-here', '/fault', '/gone', '/closed', '/gateway/api/info'].map((path) =>
          raw(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
        ),
      )),
    ]
    const statuses = answers.map((answer) => Number(answer.slice(9, 12)))
    assert.deepEqual(statuses, [400, 400, 431, 404, 500, 502, 403, 404])
    for (const answer of answers) {
      assert.doesNotMatch(
        answer,
        /\/(work|tmp|home|usr)\/|\.ts|\bat \w|node|undici|identity|127\.0\.0\.1|Error:/i,
        answer,
      )
      assert.doesNotMatch(answer, /^(Server|X-Powered-By|Via):/im)
    }
  })

  test('B87: with any content of a request, each log entry is one line of JSON', async () => {
    const from = gateway.log.lines.length
    const hostile = '\x1b[31m(\u2028{"level":"info","message":"forged"}\u0085'
    const bytes = Buffer.from(hostile, 'utf8').toString('latin1')
    await raw(
      `GET /redos-given HTTP/1.1\r\nHost: a\r\nX-In: x\r\nX-Pattern: ${bytes}\r\nUser-Agent: ${bytes}\r\nConnection: close\r\n\r\n`,
    )
    await gateway.ask('/fault?%0d%0a{"forged":1}%1b%E2%80%A8')
    await gateway.log.until(/the request failed/, from)
    for (const line of gateway.log.lines.slice(from)) {
      assert.doesNotMatch(line, /[\x00-\x1f\x7f\x80-\x9f\u2028\u2029]/)
      const entry = JSON.parse(line) as { message?: string }
      assert.notEqual(entry.message, 'forged')
    }
  })

  test('B91: after all this there was no unhandled rejection and no restarted unit', async () => {
    const [probe] = await probeUnits((path) => gateway.ask(path), 1)
    assert.equal(probe?.unhandled, 0)
    assert.equal(gateway.gateway.restarts, 0)
  })
})

test('a body over the limit of the temporary storage is 413 when bodies are not streamed, before any filter runs', async () => {
  await using upstream = await silentUpstream()
  await using gateway = await RunningGateway.start({
    admin: { streamingEnabled: false },
    files: {
      'config/config.json': {
        handler: { name: '_router', type: 'Router' },
        temporaryStorage: {
          type: 'TemporaryStorage',
          config: { initialLength: 64, memoryLimit: 128, fileLimit: 1_000 },
        },
      },
    },
    routes: { a: textRoute('${request.entity.string}'), b: { baseURI: upstream.url, handler: 'ReverseProxyHandler' } },
  })
  const post = (length: number) => gateway.ask('/', { method: 'POST', body: 'x'.repeat(length) })
  assert.equal((await post(1_000)).text, 'x'.repeat(1_000))
  assert.equal((await post(1_001)).status, 413)
  await using client = new RawClient(gateway.port)
  client.send('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
  for (let sent = 0; sent < 3; sent++) client.send(`200\r\n${'x'.repeat(512)}\r\n`)
  await client.receives(/^HTTP\/1\.1 413 /)
  assert.equal(upstream.accepted, 0)
  assert.equal((await post(10)).text, 'x'.repeat(10))
})

test('a streamed body over the limit is 413 once an expression reads it', async () => {
  await using gateway = await RunningGateway.start({
    files: {
      'config/config.json': {
        handler: { name: '_router', type: 'Router' },
        temporaryStorage: {
          type: 'TemporaryStorage',
          config: { initialLength: 64, memoryLimit: 128, fileLimit: 1_000 },
        },
      },
    },
    routes: { a: textRoute('${request.entity.string}') },
  })
  assert.equal((await gateway.ask('/', { method: 'POST', body: 'x'.repeat(2_000) })).status, 413)
})
