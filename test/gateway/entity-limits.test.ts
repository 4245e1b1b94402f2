// Limits of bodies that expressions and scripts read, in the whole gateway: a few bytes of a client or an application
// must not keep a unit busy (threats B88), and `entityLimits` of admin.json sets the limits.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import zlib from 'node:zlib'
import { RunningGateway, textRoute } from '#test/gateway'
import { httpUpstream, type Upstream } from '#test/upstream'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' }
const MEBIBYTE = 1_048_576

const list = (values: number) => `[${'1,'.repeat(values - 2)}1]`
const form = (fields: number) => Array.from({ length: fields }, (_, at) => `f${at}=1`).join('&')

/** A route whose response depends on the request body. */
const about = (path: string, text: string) => textRoute(text, { condition: `\${request.uri.path == '${path}'}` })

const script = (path: string, lines: string[]) => ({
  condition: `\${request.uri.path == '${path}'}`,
  handler: { type: 'ScriptableHandler', config: { type: 'application/javascript', source: lines } },
})

const ROUTES = {
  string: about('/string', '${length(request.entity.string)}'),
  json: about('/json', '${length(request.entity.json)}'),
  form: about('/form', '${length(request.form)}'),
  bytes: about('/bytes', '${length(request.entity.bytes)}'),
  script: script('/script', ['return new Response({ entity: String((await request.entity.json()).length) })']),
  'script-form': script('/script-form', [
    'const fields = await request.entity.form()',
    'return new Response({ entity: String(Object.keys(fields).length) })',
  ]),
  'script-own': script('/script-own', [
    "const made = new Response({ entity: 'x'.repeat(3000000) })",
    'return new Response({ entity: String((await made.entity.string()).length) })',
  ]),
  many: about('/many', Array.from({ length: 50 }, (_, at) => `\${request.entity.json[${at}]}`).join('')),
}

describe('entityLimits by default', () => {
  let gateway: RunningGateway
  let upstream: Upstream
  let answer: { headers: Record<string, string>; body: Uint8Array | string } = { headers: {}, body: '' }

  before(async () => {
    upstream = await httpUpstream((_request, response) => {
      response.writeHead(200, answer.headers)
      response.end(answer.body)
    })
    const looking = {
      type: 'HeaderFilter',
      config: { messageType: 'RESPONSE', add: { 'X-Length': ['${length(response.entity.json)}'] } },
    }
    gateway = await RunningGateway.start({
      routes: {
        ...ROUTES,
        'a-condition': textRoute('first', {
          condition: "${request.uri.path == '/condition' and request.entity.json[0] == 1}",
        }),
        'b-condition': textRoute('second', { condition: "${request.uri.path == '/condition'}" }),
        response: {
          condition: "${request.uri.path == '/response'}",
          baseURI: upstream.url,
          handler: { type: 'Chain', config: { filters: [looking], handler: 'ReverseProxyHandler' } },
        },
      },
    })
  })

  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  const post = (path: string, headers: Record<string, string>, body: string | Uint8Array) =>
    gateway.ask(path, { method: 'POST', headers, body })

  test('content at the limits is read, beyond them the evaluation fails', async () => {
    const rows: [string, Record<string, string>, string, number][] = [
      ['/string', JSON_TYPE, 'x'.repeat(MEBIBYTE), 200],
      ['/string', JSON_TYPE, 'x'.repeat(MEBIBYTE + 1), 500],
      ['/bytes', JSON_TYPE, 'x'.repeat(MEBIBYTE + 1), 500],
      ['/json', JSON_TYPE, list(10_000), 200],
      ['/json', JSON_TYPE, list(10_001), 500],
      ['/form', FORM_TYPE, form(10_000), 200],
      ['/form', FORM_TYPE, form(10_001), 500],
      ['/script', JSON_TYPE, list(10_000), 200],
      ['/script', JSON_TYPE, list(10_001), 500],
      ['/script', JSON_TYPE, `"${'x'.repeat(MEBIBYTE)}"`, 500],
      ['/script-form', FORM_TYPE, form(10_001), 500],
    ]
    for (const [path, headers, body, expected] of rows) {
      assert.equal((await post(path, headers, body)).status, expected, `${path} ${body.length}`)
    }
    await gateway.log.until(
      /JSON of more than 10000 values: over the limit for expressions and scripts; see entityLimits of admin\.json/,
    )
  })

  test('a script may read an entity that it has set itself', async () => {
    assert.equal((await gateway.ask('/script-own')).text, '3000000')
  })

  test('a condition on a larger body is false', async () => {
    assert.equal((await post('/condition', JSON_TYPE, list(10_000))).text, 'first')
    assert.equal((await post('/condition', JSON_TYPE, list(10_001))).text, 'second')
  })

  test('B88: bombs in every coding cost next to nothing, as requests and as responses', async () => {
    const wide = Buffer.from(`[${'[],'.repeat(5_000_000)}1]`)
    const coded: Record<string, Uint8Array> = {
      br: zlib.brotliCompressSync(wide),
      gzip: zlib.gzipSync(wide),
      zstd: zlib.zstdCompressSync(wide),
    }
    assert.ok((coded['br'] as Uint8Array).length < 200)
    const began = performance.now()
    for (const [coding, body] of Object.entries(coded)) {
      for (let time = 0; time < 10; time++) {
        const headers = { ...JSON_TYPE, 'Content-Encoding': coding }
        assert.equal((await post('/json', headers, body)).status, 500)
        answer = { headers, body }
        assert.equal((await gateway.ask('/response')).status, 500)
      }
    }
    // One of them blocked a unit for two seconds.
    assert.ok(performance.now() - began < 15_000, `${performance.now() - began} ms`)
  })

  test('many expressions on one body parse it once', async () => {
    const body = `[${Array.from({ length: 9_999 }, (_, at) => `"${at}${'x'.repeat(90)}"`).join()}]`
    const [one, fifty] = [[] as number[], [] as number[]]
    for (let time = 0; time < 5; time++) {
      for (const [path, times] of [
        ['/json', one],
        ['/many', fifty],
      ] as const) {
        const began = performance.now()
        assert.equal((await post(path, JSON_TYPE, body)).status, 200)
        times.push(performance.now() - began)
      }
    }
    assert.ok(Math.min(...fifty) < 10 * Math.min(...one), `${Math.min(...fifty)} ms against ${Math.min(...one)} ms`)
  })

  test('40 MB of plain JSON are not parsed', async () => {
    answer = { headers: JSON_TYPE, body: `[${'1,'.repeat(20 * MEBIBYTE)}1]` }
    assert.equal((await gateway.ask('/response')).status, 500)
  })
})

test('entityLimits of admin.json sets the limits, for requests, responses and scripts', async () => {
  await using gateway = await RunningGateway.start({
    admin: { entityLimits: { bytes: 3 * MEBIBYTE, values: 20_000 } },
    routes: ROUTES,
  })
  const post = async (path: string, headers: Record<string, string>, body: string) =>
    (await gateway.ask(path, { method: 'POST', headers, body })).status
  assert.equal(await post('/string', JSON_TYPE, 'x'.repeat(3 * MEBIBYTE)), 200)
  assert.equal(await post('/string', JSON_TYPE, 'x'.repeat(3 * MEBIBYTE + 1)), 500)
  assert.equal(await post('/json', JSON_TYPE, list(20_000)), 200)
  assert.equal(await post('/json', JSON_TYPE, list(20_001)), 500)
  assert.equal(await post('/form', FORM_TYPE, form(20_000)), 200)
  assert.equal(await post('/script', JSON_TYPE, list(20_000)), 200)
  assert.equal(await post('/script', JSON_TYPE, list(20_001)), 500)
})
