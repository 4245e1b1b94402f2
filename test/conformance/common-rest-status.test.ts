// The specification's "Common REST status codes", "Versioning" and the headers of Common REST.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { commonRest, Refusal } from '#crest'
import { client, description, filled, type RequestContent, revisionOf, things } from '#test/crest-collection'

describe('Common REST status codes', () => {
  test('405 for a method that the path does not support', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const { status, header } = await things()(method, '/things', { body: {} })
      assert.deepEqual([status, header('allow')], [405, 'GET, HEAD, POST'])
    }
  })

  test('501 for an operation that the provider does not implement, and for methods unknown to the protocol', async () => {
    const bare = client(commonRest({ kind: 'collection', description }, { base: '/things' }))
    const rows = [
      ['POST', ''],
      ['GET', '?_queryFilter=true'],
      ['GET', '/a'],
      ['PUT', '/a'],
      ['DELETE', '/a'],
      ['PATCH', '/a'],
      ['OPTIONS', ''],
    ] as const
    for (const [method, path] of rows)
      assert.equal((await bare(method, `/things${path}`, { body: [] })).status, 501, method)
  })

  test('428 if a revision is required', async () => {
    const send = things({}, { requiresRevision: true })
    const rev = revisionOf(await send('PUT', '/things/a', { body: { n: 1 } }))
    assert.equal((await send('PUT', '/things/a', { body: { n: 2 } })).status, 428)
    assert.equal((await send('DELETE', '/things/a')).status, 428)
    assert.equal((await send('PATCH', '/things/a', { body: [] })).status, 428)
    assert.equal((await send('PUT', '/things/a', { headers: { 'If-Match': rev }, body: { n: 2 } })).status, 200)
    assert.equal((await send('DELETE', '/things/a', { headers: { 'If-Match': '*' } })).status, 200)
  })

  for (const status of [401, 403, 404, 409, 410, 412, 500, 503]) {
    test(`${status} returned by a provider, with its detail`, async () => {
      const send = things({ read: async () => new Refusal(status, 'why', { detail: { a: 1 } }) })
      const { json, status: got } = await send('GET', '/things/a')
      assert.equal(got, status)
      assert.deepEqual([json['code'], json['message'], json['detail']], [status, 'why', { a: 1 }])
    })
  }

  test('B86: 500 for an internal error, without details in the response', async () => {
    const send = things({ read: async () => Promise.reject(new Error('/secret/path')) })
    const { status, text } = await send('GET', '/things/a')
    assert.equal(status, 500)
    assert.doesNotMatch(text, /secret|at /)
  })

  const bodies: readonly (readonly [string, RequestContent, number])[] = [
    ['no body', {}, 400],
    ['a list', { body: [] }, 400],
    ['a text', { body: 'x' }, 400],
    ['null', { body: null }, 400],
    ['another media type', { raw: '{}', headers: { 'Content-Type': 'text/plain' } }, 415],
    ['a form', { raw: '{}', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }, 415],
    ['no media type', { raw: '{}' }, 415],
    ['another charset', { raw: '{}', headers: { 'Content-Type': 'application/json; charset=latin1' } }, 415],
    ['the charset', { raw: '{}', headers: { 'Content-Type': 'application/json;charset=UTF-8' } }, 201],
    ['a compressed body', { body: {}, headers: { 'Content-Encoding': 'gzip' } }, 415],
    ['what the client does not take', { body: {}, headers: { Accept: 'text/html' } }, 406],
    ['JSON with q=0', { body: {}, headers: { Accept: '*/*, application/json;q=0' } }, 406],
    ['anything', { body: {}, headers: { Accept: 'text/html, */*;q=0.1' } }, 201],
  ]
  const json = { 'Content-Type': 'application/json' }
  const raws: readonly (readonly [string, string | Uint8Array, number])[] = [
    ['no JSON', '{', 400],
    ['data after the JSON', '{} x', 400],
    ['a comment', '{} // x', 400],
    ['duplicate members', '{"a":1,"a":2}', 400],
    ['a number that is too large', '{"a":1e999999}', 400],
    ['100,000 levels', '['.repeat(100_000), 400],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400],
    ['a byte order mark', '\ufeff{}', 400],
    ['more than 10,000 values', `{"a":[${'1,'.repeat(10_000)}1]}`, 400],
    ['a long text full of commas', `{"a":"${',\\"'.repeat(50_000)}"}`, 201],
    ['more than a mebibyte', `{"a":"${'x'.repeat(1_100_000)}"}`, 413],
  ]
  for (const [what, asked, status] of [
    ...bodies,
    ...raws.map(([what, raw, status]) => [what, { raw, headers: json }, status] as const),
  ]) {
    test(`a create with ${what} is ${status}`, async () => {
      const send = things()
      assert.equal((await send('POST', '/things', asked)).status, status)
      const { json: all } = await send('GET', '/things?_queryFilter=true&_countOnly=true')
      assert.equal(all['resultCount'], status === 201 ? 1 : 0)
    })
  }
})

describe('400 Bad Request: a malformed JSON body is rejected with the position of the error', () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ['{"a":NaN}', /line 1, column 6: /],
    ['{\n  "a": 1,\n}', /line 3, column 1: /],
    ['{"a":1} x', /line 1, column 9: /],
    ['{"a":01}', /line 1, column 7: /],
    ["{'a':1}", /line 1, column 2: /],
    ['{"a":', /line 1, column 6: /],
    ['{"a":1,"a":2}', /line 1, column 8: the member "a" is given twice/],
    ['{} // why', /comments/],
    ['[[['.repeat(100), /nested more than 256 levels/],
  ]
  for (const [raw, message] of rows) {
    test(JSON.stringify(raw.slice(0, 20)), async () => {
      const { status, json } = await things()('POST', '/things', {
        raw,
        headers: { 'Content-Type': 'application/json' },
      })
      assert.equal(status, 400)
      assert.match(String(json['message']), message)
    })
  }
})

describe('Versioning, rules 1 to 3: Accept-API-Version', () => {
  const rows: readonly (readonly [string, number])[] = [
    ['protocol=2.2,resource=1.0', 200],
    ['resource=1.0, protocol=2.1', 200],
    ['protocol=1.0', 200],
    ['protocol=2', 200],
    ['resource=1', 200],
    ['', 200],
    ['protocol=2.3', 406],
    ['protocol=3.0', 406],
    ['resource=1.1', 406],
    ['resource=2.0', 406],
    ['2.0', 400],
    ['protocol=', 400],
    ['protocol=2.x', 400],
    ['protocol=2.1,protocol=2.1', 400],
    ['protocol=2.1,', 400],
    ['version=1', 400],
    ['protocol=2.1;resource=1.0', 400],
  ]
  for (const [value, status] of rows) {
    test(`Accept-API-Version: ${value} is ${status}`, async () => {
      const answer = await (await filled({ _id: 'a' }))('GET', '/things/a', {
        headers: { 'Accept-API-Version': value },
      })
      assert.equal(answer.status, status)
    })
  }

  test('responses have Content-API-Version', async () => {
    const { header } = await (await filled({ _id: 'a' }))('GET', '/things/a')
    assert.equal(header('content-api-version'), 'protocol=2.2,resource=1.0')
  })
})
