// JSON numbers that do not fit a double, in scripts: integers are BigInts, others the nearest double, and unchanged values are
// serialised as written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, DEFAULT_ENTITY_LIMITS, type Response } from '#http'
import { JsonNumber, parseJson } from '#json'
import { resultOf, scriptOf } from '#test/evaluate-script'
import { exchangeFor } from '#test/exchange'

const TEXT =
  '{"account":9007199254740993,"twin":9007199254740992,"one":1.0,"zero":0.0,"list":[1e2,5],"deep":{"price":10.50}}'

const exchange = (text = TEXT) =>
  exchangeFor('POST', 'http://a.example.com/', {
    headers: { 'Content-Type': 'application/json' },
    body: Body.of(text),
    // As where a gateway sets a higher limit of digits.
    entityLimits: { ...DEFAULT_ENTITY_LIMITS, digits: 2_000_000 },
  })

const returned = (source: string, text = TEXT) =>
  resultOf(`const json = await request.entity.json(); ${source}`, { exchange: exchange(text) })

/** The entity of the response that a script returns. */
async function sent(source: string, text = TEXT): Promise<string> {
  const script = scriptOf(`const json = await request.entity.json(); ${source}`, { exchange: exchange(text) })
  return ((await script.evaluate('response')) as Response).body.text()
}

test('whole numbers beyond 2^53 are BigInts and keep their value', async () => {
  assert.deepEqual(
    await returned(`return [typeof json.account, String(json.account), \`\${json.account}\`, json.account === 9007199254740993n,
      json.account > json.twin, json.account == json.twin, String(json.account + 1n), typeof json.twin]`),
    ['bigint', '9007199254740993', '9007199254740993', true, true, false, '9007199254740994', 'bigint'],
  )
})

test('different spellings of a number are equal', async () => {
  assert.deepEqual(
    await returned(
      "return [json.one === 1, typeof json.one, json.zero ? 'yes' : 'no', json.list[0] === 100, json.deep.price]",
    ),
    [true, 'number', 'no', true, 10.5],
  )
})

test('a number with too many digits for a BigInt is passed through without conversion cost', async () => {
  const long = `{"long":${'1'.repeat(1_000_000)}}`
  const before = process.threadCpuUsage()
  assert.equal(await sent('return new Response({ entity: json })', long), long)
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 400_000, `took ${user + system} µs`)
  assert.deepEqual(await returned('return [typeof json.long, json.long > 1]', long), ['number', true])
})

test('unchanged numbers are serialised as written, changed ones with their new value', async () => {
  assert.equal(await sent('return new Response({ entity: json })'), TEXT)
  assert.equal(await sent('return new Response({ entity: JSON.stringify(json) })'), TEXT)
  assert.equal(
    await sent('json.one = 2; json.list.push(3); json.account += 1n; return new Response({ entity: json })'),
    TEXT.replace('1.0', '2').replace('1e2,5', '1e2,5,3').replace('0993', '0994'),
  )
  assert.equal(
    await sent('return new Response({ entity: { deep: json.deep, id: 12345678901234567890n } })'),
    '{"deep":{"price":10.50},"id":12345678901234567890}',
  )
})

test('JSON.stringify of a script serialises BigInts as numbers', async () => {
  const source = `return [JSON.stringify({ a: 1, b: [2n] }), JSON.stringify(json.deep, null, 1),
    JSON.stringify(json, ['one', 'list']), JSON.stringify({ a: 5 }, (key, value) => (key === 'a' ? value + 1 : value)),
    JSON.stringify(undefined) ?? 'none', JSON.stringify({ toJSON: () => 7 })]`
  assert.deepEqual(await returned(source), [
    '{"a":1,"b":[2]}',
    '{\n "price": 10.50\n}',
    '{"one":1,"list":[100,5]}',
    '{"a":6}',
    'none',
    '7',
  ])
})

test('headers, attributes and the session accept BigInts', async () => {
  const asked = exchange()
  const script = scriptOf(
    `const json = await request.entity.json()
     request.headers.set('X-Account', json.account)
     attributes.account = json.account
     attributes.all = json
     session.account = json.account
     return [String(attributes.account), String(attributes.all.account), attributes.all.one, String(session.account)]`,
    { exchange: asked },
  )
  const value = await script.evaluate()
  assert.equal(JSON.stringify(value), '["9007199254740993","9007199254740993",1,"9007199254740993"]')
  assert.equal(asked.request.headers.get('x-account'), '9007199254740993')
  assert.deepEqual(asked.attributes['account'], new JsonNumber('9007199254740993'))
  assert.equal(JSON.stringify(asked.attributes['all']), TEXT)
  assert.equal(JSON.stringify(asked.session.get('account')), '9007199254740993')
})

test('arguments and contexts keep their exact numbers', async () => {
  const args = { claims: parseJson(TEXT), id: new JsonNumber('9007199254740993'), rate: new JsonNumber('1.0') }
  const source = 'return [String(claims.account), claims.one, String(id), rate, JSON.stringify(claims)]'
  assert.deepEqual(await resultOf(source, { args }), ['9007199254740993', 1, '9007199254740993', 1, TEXT])
})
