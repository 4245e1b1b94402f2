import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { exchangeFor } from '#test/exchange'
import { leastCost } from '#test/loop-watch'
import { memoryCollection } from '#test/memory-collection'
import type { Call } from './protocol/endpoint.ts'
import { commonRest } from './protocol/endpoint-handler.ts'

const COUNT = 10_000

/** Milliseconds of CPU time. */
const BOUNDS = { total: 50, longest: 50 }

describe('a collection of 10,000 resources', () => {
  const description = { id: 'test:things', title: '', description: '', version: '1.0', schema: {}, revisions: true }
  const things = memoryCollection(description, { limit: COUNT })
  const handle = commonRest(things, { base: '/things' })
  const get = async (query: string): Promise<JsonObject> => {
    const response = await handle(exchangeFor('GET', `http://localhost/things?${query}`))
    assert.equal(response.status, 200, response.body.text())
    return JSON.parse(response.body.text()) as JsonObject
  }

  before(async () => {
    for (let n = 0; n < COUNT; n++) {
      const content = {
        name: `Thing ${(n * 7919) % COUNT}`,
        condition: `\${find(request.uri.path, '^/thing/${n}')}`,
        properties: { n, team: `team-${n % 17}`, tags: ['all', `tag-${n % 5}`] },
      }
      await things.create?.({} as Call, `thing-${String(n).padStart(5, '0')}`, content)
    }
  })

  const filter = (text: string) => `_queryFilter=${encodeURIComponent(text)}`
  const rows: readonly (readonly [string, string, number])[] = [
    ['a filter and a page', `${filter('properties/team eq "team-3"')}&_pageSize=50`, 50],
    ['a filter, a page and sort keys', `${filter('name co "99"')}&_pageSize=50&_sortKeys=-properties/n,name`, 50],
    ['everything in order, a page of it', `${filter('true')}&_pageSize=50&_sortKeys=name`, 50],
    [
      'some fields',
      `${filter('properties/tags eq "tag-3"')}&_pageSize=50&_sortKeys=name&_fields=name,properties/n`,
      50,
    ],
    ['an offset', `${filter('true')}&_pageSize=50&_sortKeys=name&_pagedResultsOffset=9000`, 50],
    ['counting exactly', `${filter('true')}&_pageSize=50&_sortKeys=name&_totalPagedResultsPolicy=EXACT`, 50],
    ['counting only', `${filter('properties/n ge 5000')}&_countOnly=true`, 5_000],
  ]
  for (const [label, query, count] of rows) {
    test(`${label} takes less than 50 ms`, async () => {
      const { total } = await leastCost(BOUNDS, async () => {
        assert.equal((await get(query))['resultCount'], count)
      })
      assert.ok(total < BOUNDS.total, `${total} ms`)
    })
  }

  test('a page by its cookie takes less than 50 ms', async () => {
    const query = `${filter('properties/n lt 9000')}&_pageSize=100&_sortKeys=-name`
    const { pagedResultsCookie } = await get(query)
    const { total } = await leastCost(BOUNDS, async () => {
      assert.equal((await get(`${query}&_pagedResultsCookie=${pagedResultsCookie}`))['resultCount'], 100)
    })
    assert.ok(total < BOUNDS.total, `${total} ms`)
  })

  test('long work yields to the event loop', async () => {
    const many = Array.from({ length: 300 }, (_, n) => `name co "${n}x"`).join(' or ')
    for (const query of ['_queryFilter=true', `${filter(`${many} or true`)}&_pageSize=5`]) {
      const { longest } = await leastCost({ total: Number.POSITIVE_INFINITY, longest: 50 }, async () => {
        await get(query)
      })
      assert.ok(longest < 50, `the event loop was blocked for ${longest} ms`)
    }
  })

  test('output written in slices equals output written at once', async () => {
    const response = await handle(exchangeFor('GET', 'http://localhost/things?_queryFilter=true&_prettyPrint=true'))
    const text = response.body.text()
    assert.equal(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`)
    const plain = (await handle(exchangeFor('GET', 'http://localhost/things?_queryFilter=true'))).body.text()
    assert.equal(plain, JSON.stringify(JSON.parse(text)))
    const none = (await handle(exchangeFor('GET', 'http://localhost/things?_queryFilter=false&_prettyPrint=true'))).body
    assert.equal(none.text(), `${JSON.stringify(JSON.parse(none.text()), null, 2)}\n`)
  })
})
