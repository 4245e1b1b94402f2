// Content of error responses that the gateway itself makes.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { RunningGateway } from '#test/gateway'
import { H2Client } from '#test/h2-client'
import { httpUpstream, silentUpstream } from '#test/upstream'
import { once } from '#test/waiting'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const at = (path: string, filters: readonly unknown[], handler: unknown = 'ReverseProxyHandler'): JsonObject => ({
  condition: `\${request.uri.path == '${path}'}`,
  handler: { type: 'Chain', config: { filters: [...filters], handler } } as JsonObject,
  baseURI: 'http://127.0.0.1:1',
})

const THROWING = {
  type: 'ScriptableFilter',
  config: { type: 'application/javascript', source: 'throw new Error("in /srv/secret/path.js")' },
}
const STATIC = {
  type: 'StaticResponseHandler',
  config: { status: 403, headers: { 'Content-Type': ['text/plain'] }, entity: 'mine' },
}

const ROUTES = {
  refused: at('/refused', [
    { type: 'AllowOnlyFilter', config: { rules: [{ from: [{ ip: { list: ['10.0.0.1'] } }] }] } },
  ]),
  throttled: at('/throttled', [
    { type: 'ThrottlingFilter', config: { rate: { numberOfRequests: 1, duration: '1 hour' } } },
    { type: 'ConditionEnforcementFilter', config: { condition: '${false}' } },
  ]),
  fault: at('/fault', [THROWING]),
  gone: at('/gone', []),
  own: at('/own', [], STATIC),
}

test('auto: HTML for browsers, problem details for JSON clients, unchanged plain text for others', async () => {
  await using gateway = await RunningGateway.start({ routes: ROUTES })
  await gateway.ask('/throttled')
  for (const [path, status] of [
    ['/nowhere', 404],
    ['/refused', 401],
    ['/throttled', 429],
    ['/fault', 500],
    ['/gone', 502],
    ['/gateway/x', 404],
  ] as const) {
    const plain = await gateway.ask(path)
    assert.equal(plain.status, status, path)
    assert.doesNotMatch(`${plain.headers['content-type'] ?? ''} ${plain.text}`, /html|json|\{/, path)
    const anything = await gateway.ask(path, { headers: { Accept: '*/*' } })
    assert.equal(anything.text, plain.text)

    const page = await gateway.ask(path, { headers: { Accept: BROWSER } })
    assert.equal(page.status, status)
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(page.headers['cache-control'], 'no-store')
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
    assert.match(page.text, new RegExp(`<h1>${status} `))
    assert.ok(page.text.includes(String(page.headers['x-vendor-transactionid'])), page.text)

    const json = await gateway.ask(path, { headers: { Accept: 'application/json' } })
    assert.equal(json.headers['content-type'], 'application/problem+json')
    const problem = JSON.parse(json.text) as JsonObject
    assert.deepEqual([problem['type'], problem['status']], ['about:blank', status])
    assert.equal(problem['transactionId'], json.headers['x-vendor-transactionid'])
    for (const { text } of [page, json]) assert.doesNotMatch(text, /secret|\.js|Error:/)
  }
  const throttled = await gateway.ask('/throttled', { headers: { Accept: BROWSER } })
  assert.ok(Number(throttled.headers['retry-after']) > 0)
})

test('responses of a StaticResponseHandler and of an application are not changed', async () => {
  await using upstream = await httpUpstream((_request, response) => {
    response.statusCode = 500
    response.end('theirs')
  })
  await using gateway = await RunningGateway.start({
    admin: { errors: 'html' },
    routes: { own: ROUTES.own, theirs: { ...at('/theirs', []), baseURI: upstream.url } },
  })
  assert.equal((await gateway.ask('/own', { headers: { Accept: BROWSER } })).text, 'mine')
  assert.equal((await gateway.ask('/theirs', { headers: { Accept: BROWSER } })).text, 'theirs')
})

test('html, json and none apply to every client, also to refusals of the listener', async () => {
  for (const [errors, type] of [
    ['html', 'text/html; charset=utf-8'],
    ['json', 'application/problem+json'],
    ['none', undefined],
  ] as const) {
    await using gateway = await RunningGateway.start({ admin: { errors } })
    const missing = await gateway.ask('/nowhere')
    assert.equal(missing.headers['content-type'], type)
    if (errors === 'none') assert.deepEqual([missing.text, missing.headers['content-length']], ['', '0'])
    const trace = await gateway.ask('/', { method: 'TRACE' })
    assert.deepEqual([trace.status, trace.headers['content-type']], [405, type])
    assert.equal(trace.headers['allow']?.includes('GET'), true)
    const socket = connect(gateway.port, '127.0.0.1')
    let raw = ''
    socket.setEncoding('latin1').on('data', (text: string) => {
      raw += text
    })
    socket.write('nonsense\r\n\r\n')
    await once(socket, 'close')
    assert.match(raw, /^HTTP\/1\.1 400 /)
    if (type !== undefined) assert.ok(raw.includes(`Content-Type: ${type}\r\n`), raw)
  }
})

test('what a client sends is never in a page', async () => {
  await using gateway = await RunningGateway.start({ admin: { errors: 'html', trustTransactionHeader: true } })
  const hostile = '<script>alert(1)</script>'
  const { text } = await gateway.ask(`/${encodeURIComponent(hostile)}?${hostile.replaceAll(' ', '')}`, {
    headers: { Accept: BROWSER, 'X-Vendor-TransactionId': hostile, Referer: hostile, 'User-Agent': hostile },
  })
  assert.doesNotMatch(text, /alert/)
})

test('an upstream that does not answer: 504 as a page, over HTTP/2 too; HEAD has no content', async () => {
  await using silent = await silentUpstream()
  const handler = { type: 'ReverseProxyHandler', config: { soTimeout: '100 ms' } }
  await using gateway = await RunningGateway.start({
    routes: { slow: { ...at('/slow', [], handler), baseURI: silent.url } },
  })
  await using client = new H2Client(gateway.port, {}, 'http')
  const answer = await client.ask('/slow', { headers: { accept: BROWSER } })
  assert.deepEqual([answer.status, answer.headers['content-type']], [504, 'text/html; charset=utf-8'])
  const head = await gateway.ask('/nowhere', { method: 'HEAD', headers: { Accept: BROWSER } })
  assert.equal(head.text, '')
  assert.ok(Number(head.headers['content-length']) > 100)
})

test('a handler makes the content; status and challenges stay', async () => {
  const errors = {
    type: 'StaticResponseHandler',
    config: {
      status: 200,
      headers: { 'Content-Type': ['text/html; charset=utf-8'], 'X-Brand': ['shop'] },
      entity: '<h1>Shop</h1> ${contexts.error.status} ${contexts.error.reason} ${contexts.error.transactionId}',
    },
  }
  await using gateway = await RunningGateway.start({
    admin: { errors: 'Brand', heap: [{ name: 'Brand', ...errors }] },
    routes: ROUTES,
  })
  const { status, text, headers } = await gateway.ask('/nowhere')
  assert.equal(status, 404)
  assert.equal(text, `<h1>Shop</h1> 404 Not Found ${headers['x-vendor-transactionid']}`)
  assert.equal(headers['x-brand'], 'shop')
  await gateway.ask('/throttled')
  assert.ok((await gateway.ask('/throttled')).headers['retry-after'])
})

test('a handler that fails leaves the content of the gateway and a warning', async () => {
  const errors = { type: 'ReverseProxyHandler' }
  await using gateway = await RunningGateway.start({ admin: { errors } })
  const { status, text } = await gateway.ask('/nowhere', { headers: { Host: '127.0.0.1:1', Accept: BROWSER } })
  assert.equal(status, 404)
  assert.match(text, /<h1>404 Not Found<\/h1>/)
  await gateway.log.until(/GW_UNIT_ERROR_PAGE_FAILED/)
})

test('errors that is neither a format nor a handler is an error at the start', async () => {
  await assert.rejects(RunningGateway.start({ admin: { errors: 'htlm' } }), { message: /\/errors: .*htlm/ })
})
