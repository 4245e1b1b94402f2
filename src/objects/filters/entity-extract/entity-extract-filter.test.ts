import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, type Filter, Headers, Response } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { EntityExtractFilter } from './entity-extract-filter.ts'

const PAGE = '<form><input name="nonce" value="a&b"><input name="next" value=""></form>'
const target = '${attributes.found}'
const bindings = [
  { key: 'nonce', pattern: 'name="nonce" value="([^"]*)"', template: 'n=$1' },
  { key: 'whole', pattern: '<form>' },
  { key: 'missing', pattern: 'name="other"' },
]

async function found(
  config: Record<string, JsonValue>,
  request: string | Uint8Array,
  response: string | Uint8Array = '',
) {
  await using built = await build<Filter>(EntityExtractFilter, { target, bindings, ...config } as JsonValue)
  const exchange = exchangeFor('POST', 'http://app.example/', { body: request })
  const answer = await built.object(exchange, async () => new Response(200, { body: Body.of(response) }))
  return { value: exchange.attributes['found'] as Record<string, unknown>, answer, exchange }
}

for (const messageType of ['REQUEST', 'RESPONSE']) {
  test(`${messageType}: the texts of the patterns are stored by key, null for one that is not found`, async () => {
    const { value } = await found(
      { messageType },
      ...((messageType === 'REQUEST' ? [PAGE] : (['', PAGE] as const)) as [string, string?]),
    )
    assert.deepEqual({ ...value }, { nonce: 'n=a&b', whole: '<form>', missing: null })
  })
}

test('the content stays readable', async () => {
  const { answer, exchange } = await found({ messageType: 'RESPONSE' }, 'sent', PAGE)
  assert.equal(Buffer.from(answer.body.bytes()).toString(), PAGE)
  assert.equal(Buffer.from(exchange.request.body.bytes()).toString(), 'sent')
})

test('charset replaces the encoding of the message', async () => {
  const bytes = Buffer.from('é', 'latin1')
  const config = { messageType: 'REQUEST', charset: 'iso-8859-1', bindings: [{ key: 'e', pattern: 'é' }] }
  assert.equal((await found(config, bytes)).value['e'], 'é')
})

test('a key named __proto__ is data', async () => {
  const config = { messageType: 'REQUEST', bindings: [{ key: '__proto__', pattern: '.' }] }
  assert.equal(Object.getOwnPropertyDescriptor((await found(config, 'x')).value, '__proto__')?.value, 'x')
})

test('a group that does not exist, and an unknown charset, are rejected', async () => {
  const base = { messageType: 'REQUEST', target }
  await assert.rejects(
    build(EntityExtractFilter, { ...base, bindings: [{ key: 'a', pattern: 'x', template: '$1' }] }),
    /\/bindings\/0\/template: .*group 1, which does not exist/,
  )
  await assert.rejects(build(EntityExtractFilter, { ...base, charset: 'latin-17' }), /expected a character encoding/)
})

const UNSEARCHABLE: readonly (readonly [string, Record<string, string>, Buffer, number])[] = [
  ['text over the limit', {}, Buffer.alloc(1_100_000, 'a'), 413],
  ['text that is too long for the pattern', {}, Buffer.alloc(300_000, 'a'), 413],
  ['an unknown content coding', { 'Content-Encoding': 'weird' }, Buffer.from('a'), 415],
  ['content that is not of its coding', { 'Content-Encoding': 'gzip' }, Buffer.from('a'), 415],
  ['an unknown character encoding', { 'Content-Type': 'text/html; charset=klingon' }, Buffer.from('a'), 415],
]

for (const [name, headers, body, status] of UNSEARCHABLE) {
  test(`${name} is ${status} for a request and 502 for a response, with a warning`, async () => {
    const fields = { target, bindings: [{ key: 'a', pattern: '(?=b)c' }] }
    await using request = await build<Filter>(EntityExtractFilter, { ...fields, messageType: 'REQUEST' })
    const sent = exchangeFor('POST', 'http://app.example/', { headers, body })
    assert.equal((await request.object(sent, () => assert.fail('was passed on'))).status, status)
    await using response = await build<Filter>(EntityExtractFilter, { ...fields, messageType: 'RESPONSE' })
    const received = new Response(200, { headers: new Headers(Object.entries(headers)), body: Body.of(body) })
    assert.equal((await response.object(exchangeFor('GET', 'http://app.example/'), async () => received)).status, 502)
    for (const { log } of [request, response]) assert.match(log.lines.join(), /GW_FILTER_CONTENT_NOT_SEARCHED/)
  })
}
