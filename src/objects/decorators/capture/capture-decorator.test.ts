import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { FilterKind, HandlerKind } from '#contracts'
import { Body, contextKey, type Exchange, type Filter, type Handler, Headers, respond } from '#http'
import type { JsonValue } from '#json'
import { defineType, type TypeDefinition } from '#schema'
import { type Built, build } from '#test/build'
import { type ExchangeParts, exchangeFor } from '#test/exchange'
import { CaptureDecorator } from './capture-decorator.ts'

const plain: Filter = async (exchange, next) => {
  const request = exchange.request.clone()
  request.headers.set('X-Filter', 'seen')
  const response = await next(exchange.withRequest(request))
  response.headers.set('X-Filter', 'seen')
  return response
}

const PlainFilter = defineType({
  name: 'PlainFilter',
  kind: FilterKind,
  summary: 'Marks what passes.',
  config: {},
  create: () => plain,
})

const handlerOf = (handler: Handler) =>
  defineType({ name: 'PlainHandler', kind: HandlerKind, summary: 'Answers.', config: {}, create: () => handler })

const captured = <T>(definition: TypeDefinition, capture: JsonValue, config: JsonValue = {}) =>
  build<T>(
    definition,
    {},
    {
      types: [CaptureDecorator],
      heap: [{ name: 'capture', type: 'CaptureDecorator', config }],
      decorations: { capture },
      name: 'watched',
    },
  )

interface Entry {
  readonly point: string
  readonly request?: Record<string, unknown>
  readonly response?: Record<string, unknown>
  readonly entity?: unknown
  readonly [name: string]: unknown
}

const entriesOf = ({ log }: Built<unknown>) => log.entries as unknown as Entry[]

const request = (parts: ExchangeParts = {}): Exchange => exchangeFor('GET', 'http://app.example.com/a?x=1', parts)

const answer: Handler = async () => respond(200, { 'X-App': 'yes' }, 'hello')

const points = (capture: JsonValue): [JsonValue, string[], string[]] => {
  const words = [capture].flat().map((word) => String(word).toLowerCase())
  const chosen = (all: string[]) =>
    words.includes('none') ? [] : all.filter((point) => words.includes('all') || words.includes(point))
  return [
    capture,
    chosen(['request', 'filtered_request', 'response', 'filtered_response']),
    chosen(['request', 'response']),
  ]
}

for (const [capture, ofFilter, ofHandler] of [
  points('all'),
  points('request'),
  points('FILTERED_REQUEST'),
  points(['response', 'filtered_response']),
  points(['Request', 'response']),
  points(['all', 'none']),
  points([]),
]) {
  test(`${JSON.stringify(capture)} captures ${ofFilter.join(', ') || 'nothing'} of a filter`, async () => {
    await using built = await captured<Filter>(PlainFilter, capture)
    await built.object(request(), answer)
    assert.deepEqual(
      entriesOf(built).map(({ point }) => point),
      ofFilter,
    )
  })

  test(`${JSON.stringify(capture)} captures ${ofHandler.join(', ') || 'nothing'} of a handler`, async () => {
    await using built = await captured<Handler>(handlerOf(answer), capture)
    await built.object(request())
    assert.deepEqual(
      entriesOf(built).map(({ point }) => point),
      ofHandler,
    )
  })
}

test('each point logs the message in its state at that point', async () => {
  await using built = await captured<Filter>(PlainFilter, 'all')
  await built.object(request(), answer)
  const marks = entriesOf(built).map(({ request, response }) => {
    const headers = (request ?? response)?.['headers'] as Record<string, string>
    return headers['X-Filter'] ?? null
  })
  assert.deepEqual(marks, [null, 'seen', null, 'seen'])
})

test('an entry is structured and has the name of the object as its logger', async () => {
  await using built = await captured<Handler>(handlerOf(answer), 'all')
  const exchange = request({ headers: { Accept: ['text/html', 'text/plain'] } })
  await built.object(exchange)
  const [asked, answered] = entriesOf(built).map(({ time, ...entry }) => entry)
  const about = { level: 'info', logger: 'gateway+watched', transactionId: exchange.transactionId.value }
  assert.deepEqual(asked, {
    ...about,
    message: 'captured request',
    point: 'request',
    request: {
      method: 'GET',
      uri: 'http://app.example.com/a?x=1',
      version: 'HTTP/1.1',
      headers: { Accept: ['text/html', 'text/plain'], Host: 'app.example.com' },
    },
  })
  assert.deepEqual(answered, {
    ...about,
    message: 'captured response',
    point: 'response',
    response: {
      status: 200,
      reason: 'OK',
      headers: {
        'X-App': 'yes',
        'Content-Type': 'text/plain; charset=utf-8',
        'X-Content-Type-Options': 'nosniff',
      },
      entity: '[entity]',
    },
  })
})

test('"none" and an empty list log nothing', async () => {
  for (const capture of ['none', ['all', 'NONE'], []]) {
    await using filter = await captured<Filter>(PlainFilter, capture)
    await filter.object(exchangeFor('GET', 'http://app.example/'), answer)
    assert.deepEqual(filter.log.entries, [])
    await using handler = await captured<Handler>(handlerOf(answer), capture)
    await handler.object(exchangeFor('GET', 'http://app.example/'))
    assert.deepEqual(handler.log.entries, [])
  }
  await using handler = await captured<Handler>(handlerOf(answer), ['filtered_request', 'filtered_response'])
  await handler.object(exchangeFor('GET', 'http://app.example/'))
  assert.deepEqual(handler.log.entries, [])
})

const SECRET = 'S3cr3tS3cr3tS3cr3t'
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.${SECRET}`

test('credentials are masked with any configuration of masks', async () => {
  const config = { captureEntity: true, captureContext: true, masks: { headers: ['X-Mine'] } }
  const handler: Handler = async ({ attributes }) => {
    attributes['openid'] = { access_token: SECRET, name: 'anna' }
    const headers = {
      'Set-Cookie': `session=${SECRET}; HttpOnly`,
      Location: `http://a/cb?code=${SECRET}#access_token=${SECRET}`,
      'X-Auth-Token': SECRET,
      'Content-Type': 'application/json',
    }
    return respond(200, headers, JSON.stringify({ tokenId: SECRET, user: 'anna' }))
  }
  await using built = await captured<Handler>(handlerOf(handler), 'all', config)
  const exchange = exchangeFor('POST', `http://user:${SECRET}@app.example.com/a?access_token=${SECRET}`, {
    headers: {
      Host: 'app.example.com',
      Authorization: `Bearer ${SECRET}`,
      'Proxy-Authorization': `Basic ${SECRET}`,
      Cookie: `session=${SECRET}`,
      DPoP: SECRET,
      'X-Api-Key': SECRET,
      iPlanetDirectoryPro: SECRET,
      Referer: `http://a/?token=${SECRET}`,
      'X-Custom': JWT,
      'X-Mine': SECRET,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: `password=${SECRET}&client_assertion=${JWT}&user=anna`,
  })
  exchange.session.set('login', SECRET)
  const seen = exchange.with(contextKey<{ value: string }>('ssoToken'), { value: SECRET })

  await built.object(seen)

  assert.equal(built.log.lines.length, 2)
  assert.equal(built.log.lines.join('').includes(SECRET), false, built.log.lines.join('\n'))
  assert.match(built.log.lines.join(''), /user=anna/)
})

test('masks apply to further headers, trailers and attributes, ignoring case', async () => {
  const handler: Handler = async ({ attributes }) => {
    attributes['customerNumber'] = '4711'
    attributes['colour'] = 'blue'
    const response = respond(200, { 'X-Customer-Id': ['1', '2'], 'X-Colour': 'blue' })
    response.trailers = new Headers([
      ['X-Checksum', 'abc'],
      ['X-Colour', 'blue'],
    ])
    return response
  }
  const masks = { headers: ['^x-customer'], trailers: ['checksum$'], attributes: ['CUSTOMER'], mask: '###' }
  await using built = await captured<Handler>(handlerOf(handler), 'response', { captureContext: true, masks })

  await built.object(request())

  const [entry] = entriesOf(built)
  assert.deepEqual(entry?.response?.['headers'], { 'X-Customer-Id': ['###', '###'], 'X-Colour': 'blue' })
  assert.deepEqual(entry?.response?.['trailers'], { 'X-Checksum': '###', 'X-Colour': 'blue' })
  const context = entry?.['context'] as Record<string, unknown>
  assert.deepEqual(context['attributes'], { customerNumber: '###', colour: 'blue' })
})

test('the default mask is *****', async () => {
  await using built = await captured<Handler>(handlerOf(answer), 'response', { masks: { headers: ['x-app'] } })
  await built.object(request())
  const [entry] = entriesOf(built)
  assert.equal((entry?.response?.['headers'] as Record<string, string> | undefined)?.['X-App'], '*****')
})

test('of contexts and session only the names are logged', async () => {
  await using built = await captured<Handler>(handlerOf(answer), 'request', { captureContext: true })
  const exchange = request()
  exchange.session.set('cart', ['a'])
  await built.object(exchange.with(contextKey<object>('oauth2'), { token: 't' }).with(contextKey<object>('own'), {}))
  assert.deepEqual(entriesOf(built)[0]?.['context'], {
    client: { remoteAddress: '127.0.0.1', remotePort: 50_000, secure: false },
    originalUri: 'http://app.example.com/a?x=1',
    attributes: {},
    contextNames: ['oauth2', 'own'],
    sessionNames: ['cart'],
  })
})

test('a response is captured and sent unchanged, also from a file', async () => {
  const text = 'x'.repeat(100_000)
  const handler: Handler = async () => {
    const response = respond(200, { 'Content-Type': 'text/plain' })
    response.body = Body.fromStream(Readable.from([Buffer.from(text)]))
    return response
  }
  const config = { captureEntity: true, maxEntityLength: 10 }
  await using built = await captured<Filter>(PlainFilter, ['response', 'filtered_response'], config)

  const response = await built.object(request(), handler)

  const cut = 'xxxxxxxxxx...[the first 10 of 100000 bytes]'
  assert.deepEqual(
    entriesOf(built).map(({ response }) => response?.['entity']),
    [cut, cut],
  )
  assert.equal(response.body.text(), text)
  response.body.cancel()
})

test('a long entity is continued in further entries, completely', async () => {
  const text = Array.from({ length: 30_000 }, (_, at) => `${at} `).join('')
  await using built = await captured<Handler>(handlerOf(answer), 'request', { captureEntity: true })
  const headers = { 'Content-Type': 'text/plain' }
  await built.object(exchangeFor('POST', 'http://app.example.com/', { headers, body: text }))
  const [first, ...more] = entriesOf(built)
  assert.deepEqual(
    more.map(({ part, message }) => [part, message]),
    [
      [2, 'captured request, continued'],
      [3, 'captured request, continued'],
      [4, 'captured request, continued'],
    ],
  )
  assert.equal([first?.request?.['entity'], ...more.map(({ entity }) => entity)].flat().join(''), text)
})

test('a body that exceeds the storage is passed on completely', async () => {
  const tooLong = () => Body.fromStream(Readable.from([Buffer.alloc(1_048_577)]))
  const headers = { 'Content-Type': 'text/plain' }
  const relay: Handler = async (exchange) => {
    const response = respond(200, headers)
    response.body = exchange.request.body
    return response
  }
  for (const point of ['request', 'response']) {
    await using built = await captured<Handler>(handlerOf(relay), point, { captureEntity: true })
    const { body } = await built.object(request({ headers, body: tooLong() }))
    assert.equal((await body.read(2_000_000)).length, 1_048_577)
    assert.match(built.log.lines[0] as string, /entity too long to be kept/)
  }
})

test('a message can not end a log line or start another', async () => {
  const handler: Handler = async () =>
    respond(200, { 'Content-Type': 'text/plain; charset=utf-8' }, 'a\r\n\u001b[31m\u2028b')
  await using built = await captured<Handler>(handlerOf(handler), 'all', { captureEntity: true })
  await built.object(
    exchangeFor('GET', 'http://app.example.com/%0D%0A{"level":"fatal"}', { headers: { 'X-A': 'a\u0085b' } }),
  )
  assert.equal(built.log.lines.length, 2)
  for (const line of built.log.lines) assert.match(line, /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*\n?$/)
})

test('text of a message is not evaluated', async () => {
  await using built = await captured<Handler>(handlerOf(answer), 'request')
  await built.object(request({ headers: { 'X-A': '${env.HOME}' } }))
  assert.match(built.log.lines[0] as string, /\$\{env\.HOME\}/)
})

test('a fault passes through', async () => {
  const fault = new Error('broken')
  await using built = await captured<Handler>(
    handlerOf(() => Promise.reject(fault)),
    'all',
  )
  await assert.rejects(built.object(request()), fault)
})

const CHOICE = 'expected one of "all", "none", "request", "filtered_request", "response", "filtered_response"'
const refusals: readonly [string, JsonValue, JsonValue, string][] = [
  ['a word that is no point', 'everything', {}, `/heap/0/capture: ${CHOICE}, got "everything"`],
  ['a wrong word in a list', ['request', 'reply'], {}, `/heap/0/capture/1: ${CHOICE}, got "reply"`],
  ['a boolean', true, {}, `/heap/0/capture: ${CHOICE}, got true`],
  [
    'no length',
    'all',
    { maxEntityLength: 0 },
    '/heap/1/config/maxEntityLength: expected an integer from 1 to 16777216, got 0',
  ],
  [
    'a mask that does not compile',
    'all',
    { masks: { headers: ['('] } },
    '/heap/1/config/masks/headers/0: expected a regular expression, got "("',
  ],
  [
    'a mask that is no text',
    'all',
    { masks: { attributes: [1] } },
    '/heap/1/config/masks/attributes/0: expected a regular expression, got 1',
  ],
  [
    'a misspelt mask',
    'all',
    { masks: { header: [] } },
    '/heap/1/config/masks/header: unknown field; did you mean "headers"?',
  ],
]

for (const [name, capture, config, message] of refusals) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(captured(PlainFilter, capture, config), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'GW_CONFIG_INVALID')
      assert.equal(error.message.startsWith(message), true, error.message)
      return true
    })
  })
}
