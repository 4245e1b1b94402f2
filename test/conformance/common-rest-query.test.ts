// The specification's "Query parameters": results and rejected queries.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { filled, things } from '#test/crest-collection'

describe('Query: GET /<collection>?<query parameters>', () => {
  const people = [
    { _id: 'a', name: 'Anna', age: 30 },
    { _id: 'b', name: 'Bob', age: 20 },
    { _id: 'c', name: 'Carl', age: 10 },
  ]

  test('the fields of the response', async () => {
    const send = await filled(...people)
    const { status, json } = await send('GET', '/things?_queryFilter=true')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(json), [
      'results',
      'resultCount',
      'pagedResultsCookie',
      'totalPagedResultsPolicy',
      'totalPagedResults',
      'remainingPagedResults',
    ])
    assert.deepEqual([json['resultCount'], json['pagedResultsCookie'], json['totalPagedResults']], [3, null, -1])
  })

  test('clients of a version before 2.2 get the results as result too', async () => {
    const send = await filled(...people)
    for (const query of [
      '_queryFilter=true',
      '_queryFilter=false',
      '_queryFilter=true&_prettyPrint=true&_fields=name',
    ]) {
      const asked = async (version: string) => {
        const headers = { 'Accept-API-Version': version }
        return (await send('GET', `/things?${query}`, { headers })).json
      }
      const { results } = await asked('protocol=2.2')
      for (const version of ['protocol=1.0', 'protocol=2.0,resource=1.0', 'protocol=2.1']) {
        const json = await asked(version)
        assert.deepEqual([json['result'], json['results']], [results, results], `${version} ${query}`)
        assert.deepEqual(Object.keys(json).slice(0, 3), ['result', 'results', 'resultCount'])
      }
      for (const version of ['', 'resource=1.0']) assert.equal('result' in (await asked(version)), false)
    }
  })

  const found: readonly (readonly [string, string])[] = [
    ['_queryFilter=true', 'a b c'],
    ['_queryFilter=false', ''],
    ['_queryFilter=%2Fname+eq+%22anna%22', 'a'],
    ['_queryFilter=_id%20eq%20%22b%22', 'b'],
    ['_queryFilter=%21(age%20ge%2020)', 'c'],
    ['_queryFilter=true&_sortKeys=age', 'c b a'],
    ['_queryFilter=true&_sortKeys=%2Bage', 'c b a'],
    ['_queryFilter=true&_sortKeys=-name', 'c b a'],
    ['_queryFilter=true&_pageSize=2', 'a b'],
    ['_queryFilter=true&_pageSize=2&_pagedResultsOffset=2', 'c'],
    ['_queryFilter=true&_countOnly=true', ''],
    ['_queryFilter=age%20near%2020', ''],
    ['_QUERYFILTER=true', 'a b c'],
  ]
  for (const [parameters, ids] of found) {
    test(`${parameters} returns ${ids || 'nothing'}`, async () => {
      const { json } = await (await filled(...people))('GET', `/things?${parameters}`)
      assert.equal((json['results'] as JsonObject[]).map(({ _id: id }) => id).join(' '), ids)
    })
  }

  test('each page has the cookie of the next; that of the last is null', async () => {
    const send = await filled(...people)
    const first = (await send('GET', '/things?_queryFilter=true&_pageSize=2&_totalPagedResultsPolicy=exact')).json
    assert.deepEqual([first['totalPagedResultsPolicy'], first['totalPagedResults']], ['EXACT', 3])
    const second = (
      await send('GET', `/things?_queryFilter=true&_pageSize=2&_pagedResultsCookie=${first['pagedResultsCookie']}`)
    ).json
    assert.deepEqual([second['resultCount'], second['pagedResultsCookie'], second['totalPagedResults']], [1, null, -1])
  })

  test('_countOnly returns the number without the resources, from protocol 2.2 on', async () => {
    const send = await filled(...people)
    const { json } = await send('GET', '/things?_queryFilter=age+gt+10&_countOnly=true')
    assert.deepEqual([json['results'], json['resultCount']], [[], 2])
    const headers = { 'Accept-API-Version': 'protocol=2.1' }
    assert.equal((await send('GET', '/things?_queryFilter=true&_countOnly=true', { headers })).status, 400)
  })

  const refused: readonly (readonly [string, number])[] = [
    ['', 400],
    ['?_pageSize=1', 400],
    ['?_queryFilter=', 400],
    ['?_queryFilter=a%20eq', 400],
    ['?_queryFilter=true&_queryId=x', 400],
    ['?_queryFilter=true&_queryExpression=x', 400],
    ['?_queryId=unknown', 501],
    ['?_queryExpression=x', 501],
    ['?_queryFilter=true&_queryFilter=true', 400],
    ['?_queryFilter=true&_queryfilter=true', 400],
    ['?_queryFilter=true&_pageSize=x', 400],
    ['?_queryFilter=true&_pageSize=-1', 400],
    ['?_queryFilter=true&_pageSize=1001', 400],
    ['?_queryFilter=true&_pageSize=1&_pagedResultsOffset=x', 400],
    ['?_queryFilter=true&_pagedResultsOffset=1', 400],
    ['?_queryFilter=true&_pagedResultsCookie=x', 400],
    ['?_queryFilter=true&_pageSize=0&_pagedResultsCookie=x', 400],
    ['?_queryFilter=true&_pageSize=1&_pagedResultsCookie=x', 400],
    ['?_queryFilter=true&_pageSize=1&_pagedResultsCookie=x&_pagedResultsOffset=1', 400],
    ['?_queryFilter=true&_totalPagedResultsPolicy=MAYBE', 400],
    ['?_queryFilter=true&_sortKeys=', 400],
    ['?_queryFilter=true&_countOnly=maybe', 400],
    ['?_queryFilter=true&_unknown=1', 400],
    ['?_queryFilter=true&other=1', 400],
    ['?_queryFilter=true&_action=create', 400],
    ['?_queryFilter=true&_mimeType=text/plain', 400],
    ['/a?_queryFilter=true', 400],
    [`?_queryFilter=${'('.repeat(20_000)}`, 400],
    [`?_queryFilter=true&_sortKeys=${'a,'.repeat(10_000)}a`, 400],
    [`?_queryFilter=true&${'a&'.repeat(20_000)}`, 400],
  ]
  for (const [path, status] of refused) {
    test(`GET /things${path.slice(0, 80)} is ${status} with a message`, async () => {
      const { status: got, json } = await (await filled(...people))('GET', `/things${path}`)
      assert.deepEqual([got, json['code'], typeof json['message']], [status, status, 'string'])
    })
  }

  test('stored queries have their own parameters and no sort keys', async () => {
    const send = things({
      queries: { mine: { description: 'Mine.', parameters: [{ name: 'who', description: 'Who.', required: true }] } },
      queryExpressions: true,
      query: async (_, { selector }) => {
        const entries = [{ id: JSON.stringify(selector), revision: null, content: {} }]
        return { entries, cookie: null, countPolicy: 'NONE', total: -1, remaining: -1 }
      },
    })
    const { json } = await send('GET', '/things?_queryId=mine&who=me')
    assert.deepEqual((json['results'] as JsonObject[])[0], { _id: '{"id":"mine","parameters":{"who":"me"}}' })
    assert.equal((await send('GET', '/things?_queryId=mine')).status, 400)
    assert.equal((await send('GET', '/things?_queryId=mine&who=me&_sortKeys=a')).status, 400)
    assert.equal((await send('GET', '/things?_queryExpression=x')).status, 200)
  })
})

describe('Query parameters', () => {
  const numbers = Array.from({ length: 7 }, (_, n) => ({ _id: `n${n}`, n, even: n % 2 === 0, text: `T${6 - n}` }))
  const asked = async (parameters: string, headers: Record<string, string> = {}) => {
    const { status, json } = await (await filled(...numbers))('GET', `/things?${parameters}`, { headers })
    const ids = ((json['results'] ?? []) as JsonObject[]).map(({ _id: id }) => id).join(' ')
    return { status, json, ids }
  }

  test('_queryFilter: returns the entries that match', async () => {
    assert.equal((await asked('_queryFilter=even%20eq%20true')).ids, 'n0 n2 n4 n6')
    assert.equal((await asked('_queryFilter=%2Fn%20gt%203%20and%20!(even%20eq%20true)')).ids, 'n5')
  })

  for (const pair of [
    '_queryFilter=true&_queryId=x',
    '_queryFilter=true&_queryExpression=x',
    '_queryId=x&_queryExpression=x',
  ]) {
    test(`_queryFilter, _queryExpression and _queryId can not be used together: ${pair}`, async () => {
      const { status, json } = await asked(pair)
      assert.equal(status, 400)
      assert.match(String(json['message']), /can not be used together/)
    })
  }

  test('_queryId: names a stored query; an unknown one is 501', async () => {
    assert.equal((await asked('_queryId=unknown')).status, 501)
    assert.equal((await asked('_queryId=toString')).status, 501)
  })

  test('_queryExpression: 501 if the collection does not support it', async () => {
    assert.equal((await asked('_queryExpression=n')).status, 501)
  })

  test('_countOnly: a count without the resources, from protocol 2.2 on', async () => {
    const { json } = await asked('_queryFilter=even%20eq%20true&_countOnly=true&_pageSize=2')
    assert.deepEqual([json['results'], json['resultCount'], json['pagedResultsCookie']], [[], 4, null])
    for (const [protocol, status] of [
      ['2.2', 200],
      ['2.1', 400],
      ['2.0', 400],
      ['2', 400],
      ['1.0', 400],
    ] as const) {
      const headers = { 'Accept-API-Version': `protocol=${protocol}` }
      assert.equal((await asked('_queryFilter=true&_countOnly=true', headers)).status, status, protocol)
    }
    assert.equal(
      (await asked('_queryFilter=true&_countOnly=false', { 'Accept-API-Version': 'protocol=2.1' })).status,
      200,
    )
  })

  test('_pageSize: the maximum of entries; a cookie while there are more', async () => {
    const { ids, json } = await asked('_queryFilter=true&_pageSize=3')
    assert.deepEqual([ids, typeof json['pagedResultsCookie'], json['totalPagedResults']], ['n0 n1 n2', 'string', -1])
    const whole = await asked('_queryFilter=true&_pageSize=7')
    assert.deepEqual([whole.json['resultCount'], whole.json['pagedResultsCookie']], [7, null])
    assert.equal((await asked('_queryFilter=true&_pageSize=0')).json['resultCount'], 7)
  })

  test('_pagedResultsCookie: passed until it is null, each entry is returned once', async () => {
    const send = await filled(...numbers)
    const query = '/things?_queryFilter=true&_pageSize=2&_sortKeys=-text'
    const seen: unknown[] = []
    let { json } = await send('GET', query)
    for (let pages = 1; ; pages++) {
      seen.push(...(json['results'] as JsonObject[]).map(({ _id: id }) => id))
      if (json['pagedResultsCookie'] === null) {
        assert.equal(pages, 4)
        break
      }
      json = (await send('GET', `${query}&_pagedResultsCookie=${json['pagedResultsCookie']}`)).json
    }
    assert.deepEqual(seen, ['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6'])
  })

  test('_pagedResultsCookie: a modified one, or one of another query, is 400', async () => {
    const send = await filled(...numbers)
    const { json } = await send('GET', '/things?_queryFilter=true&_pageSize=2')
    const cookie = json['pagedResultsCookie'] as string
    const status = async (rest: string) => (await send('GET', `/things?_queryFilter=${rest}`)).status
    assert.equal(await status(`true&_pageSize=3&_pagedResultsCookie=${cookie}`), 200)
    for (const [at, unit] of [...cookie].entries()) {
      const other = `${cookie.slice(0, at)}${unit === 'A' ? 'B' : 'A'}${cookie.slice(at + 1)}`
      assert.equal(await status(`true&_pageSize=2&_pagedResultsCookie=${other}`), 400, `character ${at}`)
    }
    assert.equal(await status(`even+pr&_pageSize=2&_pagedResultsCookie=${cookie}`), 400)
    assert.equal(await status(`true&_pageSize=2&_sortKeys=n&_pagedResultsCookie=${cookie}`), 400)
    assert.equal(await status(`true&_pageSize=2&_pagedResultsCookie=`), 400)
  })

  test('_pagedResultsOffset: an index in the result set', async () => {
    assert.equal((await asked('_queryFilter=true&_pageSize=2&_pagedResultsOffset=0')).ids, 'n0 n1')
    assert.equal((await asked('_queryFilter=true&_pageSize=2&_pagedResultsOffset=3')).ids, 'n3 n4')
    assert.equal((await asked('_queryFilter=true&_pageSize=2&_pagedResultsOffset=6')).ids, 'n6')
    assert.equal((await asked('_queryFilter=true&_pageSize=2&_pagedResultsOffset=7')).ids, '')
  })

  const limits = [
    '_pagedResultsCookie=x',
    '_pageSize=0&_pagedResultsCookie=x',
    '_pagedResultsOffset=1',
    '_pageSize=0&_pagedResultsOffset=1',
    '_pageSize=2&_pagedResultsOffset=1&_pagedResultsCookie=x',
  ]
  for (const parameters of limits) {
    test(`Limits, Query paging: ${parameters} is 400`, async () => {
      assert.equal((await asked(`_queryFilter=true&${parameters}`)).status, 400)
    })
  }

  const policies: readonly (readonly [string, readonly [string, number]])[] = [
    ['_pageSize=3', ['NONE', -1]],
    ['_pageSize=3&_totalPagedResultsPolicy=NONE', ['NONE', -1]],
    ['_pageSize=3&_totalPagedResultsPolicy=ESTIMATE', ['ESTIMATE', 7]],
    ['_pageSize=3&_totalPagedResultsPolicy=EXACT', ['EXACT', 7]],
    ['_totalPagedResultsPolicy=EXACT', ['NONE', -1]],
    ['_pageSize=0&_totalPagedResultsPolicy=EXACT', ['NONE', -1]],
  ]
  for (const [parameters, expected] of policies) {
    test(`_totalPagedResultsPolicy: ${parameters} counts ${expected[1]}`, async () => {
      const { json } = await asked(`_queryFilter=true&${parameters}`)
      assert.deepEqual([json['totalPagedResultsPolicy'], json['totalPagedResults']], expected)
    })
  }

  const sorted: readonly (readonly [string, string])[] = [
    ['text', 'n6 n5 n4 n3 n2 n1 n0'],
    ['%2Btext', 'n6 n5 n4 n3 n2 n1 n0'],
    ['-text', 'n0 n1 n2 n3 n4 n5 n6'],
    ['%2Ftext', 'n6 n5 n4 n3 n2 n1 n0'],
    ['even,-n', 'n5 n3 n1 n6 n4 n2 n0'],
    ['-even,n', 'n0 n2 n4 n6 n1 n3 n5'],
    ['even&_sortKeys=-n', 'n5 n3 n1 n6 n4 n2 n0'],
  ]
  for (const [keys, ids] of sorted) {
    test(`_sortKeys: ${keys}`, async () => assert.equal((await asked(`_queryFilter=true&_sortKeys=${keys}`)).ids, ids))
  }
})
