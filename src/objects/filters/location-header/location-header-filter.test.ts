import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Body, type Exchange, type Filter, type Handler, respond } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { LocationHeaderFilter } from './location-header-filter.ts'

/** A request to https://www.example.com that is sent to http://app.internal:8080. */
function request(headers: Record<string, string> = {}): Exchange {
  const exchange = exchangeFor('GET', 'https://www.example.com/cart?id=1', { headers })
  exchange.request.uri.scheme = 'http'
  exchange.request.uri.host = 'app.internal'
  exchange.request.uri.port = 8080
  return exchange
}

const redirect =
  (...locations: string[]): Handler =>
  async () =>
    respond(302, { Location: locations })

async function locationFor(config: JsonValue, location: string, exchange = request()): Promise<string | null> {
  await using built = await build<Filter>(LocationHeaderFilter, config)
  return (await built.object(exchange, redirect(location))).headers.get('location')
}

const byDefault: readonly [string, string][] = [
  ['http://app.internal:8080/login?to=%2Fcart#top', 'https://www.example.com/login?to=%2Fcart#top'],
  ['HTTP://APP.internal:8080', 'https://www.example.com'],
  ['http://app.internal:8080?x=http://app.internal:8080/', 'https://www.example.com?x=http://app.internal:8080/'],
  ['https://app.internal:8080/wrong-scheme', 'https://www.example.com/wrong-scheme'],
  ['http://user:secret@app.internal:8080/a', 'https://www.example.com/a'],
  ['//app.internal:8080/a', 'https://www.example.com/a'],
  ['http://www.example.com/from-host', 'https://www.example.com/from-host'],
  ['http://app.internal:8080/caf\u00c3\u00a9', 'https://www.example.com/caf\u00c3\u00a9'],
]

for (const [location, expected] of byDefault) {
  test(`${location} becomes ${expected}`, async () => {
    assert.equal(await locationFor({}, location), expected)
  })
}

const leftAlone = [
  '/relative',
  'also/relative',
  '?query',
  'https://login.example.org/authorize?redirect_uri=http://app.internal:8080/cb',
  'http://app.internal/other-port',
  '//evil.example.org/',
  'http://app.internal:8080@evil.example.org/',
  'http://app.internal:8080\\@evil.example.org/',
  'http:\\\\app.internal:8080/',
  'http://app.internal:8080.evil.example.org/',
  'http://[::bad/',
  'mailto:someone@app.internal',
  'app://app.internal:8080/',
  '',
]

for (const location of leftAlone) {
  test(`leaves ${JSON.stringify(location)} unchanged`, async () => {
    assert.equal(await locationFor({}, location), location)
  })
}

test('baseURI replaces the server; its path is ignored', async () => {
  const config = { baseURI: 'https://shop.example.com:8443/ignored' }
  assert.equal(await locationFor(config, 'http://app.internal:8080/a'), 'https://shop.example.com:8443/a')
  assert.equal(await locationFor(config, 'https://login.example.org/a'), 'https://login.example.org/a')
})

test('baseURI may use request and response', async () => {
  const config = { baseURI: 'https://s${response.status.code}.${request.uri.host}' }
  assert.equal(await locationFor(config, 'http://app.internal:8080/a'), 'https://s302.app.internal/a')
})

test('an empty baseURI changes nothing', async () => {
  assert.equal(await locationFor({ baseURI: '' }, 'http://app.internal:8080/a'), 'http://app.internal:8080/a')
})

test('each of several Location fields is rewritten', async () => {
  await using built = await build<Filter>(LocationHeaderFilter, {})
  const { headers } = await built.object(request(), redirect('http://app.internal:8080/a', 'https://other.example/b'))
  assert.deepEqual(headers.all('location'), ['https://www.example.com/a', 'https://other.example/b'])
})

test('a response without Location passes, and the expression is not evaluated', async () => {
  await using built = await build<Filter>(LocationHeaderFilter, { baseURI: '${request.headers["X-None"][0]}' })
  assert.equal((await built.object(request(), async () => respond(204))).status, 204)
})

test('a null is a fault, and the response is cancelled', async () => {
  await using built = await build<Filter>(LocationHeaderFilter, { baseURI: '${request.headers["X-None"][0]}' })
  const stream = new Readable({ read() {} })
  const answer: Handler = async () => {
    const response = respond(302, { Location: 'http://app.internal:8080/a' })
    response.body = Body.fromStream(stream)
    return response
  }

  await assert.rejects(built.object(request(), answer), /expected a base URI such as .*, got null$/)

  assert.equal(stream.destroyed, true)
})

test('a value of a request that is no base URI is a fault', async () => {
  const config = { baseURI: '${request.headers["X-Base"][0]}' }
  const exchange = request({ 'X-Base': 'javascript:alert(1)' })
  await assert.rejects(locationFor(config, 'http://app.internal:8080/a', exchange), /expected a base URI/)
})

test('refuses a fixed base that is no base URI', async () => {
  await assert.rejects(build(LocationHeaderFilter, { baseURI: '/shop' }), {
    code: 'GW_CONFIG_INVALID',
    message: '/heap/0/config/baseURI: expected a base URI such as "https://app.example.com:8443", got "/shop"',
  })
})

test('applicationNames are rewritten too, with their ports', async () => {
  const applicationNames = ['Old.internal', 'alias.internal:8081', 'https://tls.internal', '[::1]:9000', '${name}/']
  await using built = await build<Filter>(
    LocationHeaderFilter,
    { applicationNames },
    { properties: { name: 'http://by-property.internal:81' } },
  )
  const locationOf = async (location: string) =>
    (await built.object(request(), redirect(location))).headers.get('location')
  const gateway = 'https://www.example.com/a'
  for (const own of [
    'http://old.internal/a',
    'https://old.internal/a',
    'http://alias.internal:8081/a',
    'https://alias.internal:8081/a',
    'https://tls.internal/a',
    'http://[::1]:9000/a',
    'http://by-property.internal:81/a',
  ]) {
    assert.equal(await locationOf(own), gateway, own)
  }
  for (const foreign of [
    'http://old.internal:8080/a',
    'http://alias.internal/a',
    'http://tls.internal/a',
    'http://old.internal.evil.example/a',
    'http://old.internal@evil.example/a',
  ]) {
    assert.equal(await locationOf(foreign), foreign)
  }
})

for (const name of ['', 'http://', 'ftp://app.internal', 'app.internal/path', 'user@app.internal', 'app internal']) {
  test(`refuses ${JSON.stringify(name)} as a name of the application`, async () => {
    await assert.rejects(build(LocationHeaderFilter, { applicationNames: ['fine.example', name] }), {
      code: 'GW_CONFIG_INVALID',
      message: /^\/heap\/0\/config\/applicationNames\/1: expected a name such as/,
    })
  })
}
