import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { pathRoute, RunningGateway } from '#test/gateway'
import { leastCost } from '#test/loop-watch'

const ROUTES = '/api/system/objects/_router/routes'
const PASSWORD = 'correct-horse'

/** Milliseconds of processor time, of a client and a gateway that share a thread here (threats B79). */
const BOUNDS = { total: 100, longest: 50 }

interface Row {
  readonly label: string
  readonly method?: string
  readonly path?: string
  readonly body?: string
  readonly status: number
}

const members = (count: number, name: (n: number) => string) =>
  `{${Array.from({ length: count }, (_, n) => `"${name(n)}":1`).join(',')}}`
const operations = (count: number, operation: (n: number) => object) =>
  JSON.stringify(Array.from({ length: count }, (_, n) => operation(n)))
const numbers = Array.from({ length: 8_000 }, (_, n) => n)

const ROWS: readonly Row[] = [
  { label: 'a body of 10 MB', body: `{"a":"${'x'.repeat(10_000_000)}"}`, status: 413 },
  { label: '1,000,000 times "["', body: '['.repeat(1_000_000), status: 400 },
  { label: '1,000,000 levels, closed', body: '['.repeat(500_000) + ']'.repeat(500_000), status: 400 },
  {
    label: 'lists of 200 levels, very many',
    body: `[${Array(2_500).fill('['.repeat(200) + ']'.repeat(200))}]`,
    status: 400,
  },
  { label: '1,000,000 members', body: members(1_000_000, (n) => `k${n}`), status: 413 },
  { label: '19,000 members', body: members(19_000, (n) => `k${n}`), status: 400 },
  { label: '90,000 members', body: members(90_000, (n) => `k${n}`), status: 400 },
  { label: '9,900 members', body: members(9_900, (n) => `k${n}`), status: 400 },
  { label: '9,900 members with numbers for names', body: members(9_900, (n) => `${n * 7919}`), status: 400 },
  { label: 'a member given twice among 9,900', body: members(9_900, (n) => `k${n % 9_899}`), status: 400 },
  { label: '1e999999', body: '{"a":1e999999}', status: 400 },
  { label: 'a number of 1 MB', body: `{"a":${'1'.repeat(1_000_000)}}`, status: 400 },
  { label: 'a fraction of 1 MB', body: `{"a":0.${'1'.repeat(1_000_000)}}`, status: 400 },
  { label: 'a text of 1 MB', body: `{"a":"${'x'.repeat(1_000_000)}"}`, status: 400 },
  { label: 'a text of 170,000 escapes', body: `{"a":"${'\\u0061'.repeat(170_000)}"}`, status: 400 },
  { label: '1 MB of blanks', body: `{${' '.repeat(1_000_000)}}`, status: 400 },
  { label: 'a mistake after 1,000,000 lines', body: `{${'\n'.repeat(1_000_000)}x`, status: 400 },
  { label: 'a name of 1 MB', body: `{"${'x'.repeat(1_000_000)}":1}`, status: 400 },
  {
    label: 'a route that would be too large for its file',
    body: `{"handler":"x","properties":{"p":${'['.repeat(250)}${'1,'.repeat(9_000)}1${']'.repeat(250)}}}`,
    status: 413,
  },
  { label: 'a filter of 100,000 "("', path: `?_queryFilter=${'('.repeat(100_000)}`, status: 431 },
  { label: 'a filter of 12,000 "("', path: `?_queryFilter=${'('.repeat(12_000)}`, status: 400 },
  { label: 'a filter of 4,000 "!("', path: `?_queryFilter=${'!('.repeat(4_000)}`, status: 400 },
  { label: '1,000,000 sort keys', path: `?_queryFilter=true&_sortKeys=${'a,'.repeat(1_000_000)}a`, status: 431 },
  { label: '7,000 sort keys', path: `?_queryFilter=true&_sortKeys=${'a,'.repeat(7_000)}a`, status: 400 },
  { label: '1,200 lists of sort keys', path: `?_queryFilter=true${'&_sortKeys=a'.repeat(1_200)}`, status: 400 },
  { label: '7,000 fields', path: `?_queryFilter=true&_fields=${'a,'.repeat(7_000)}a`, status: 400 },
  { label: 'a field of 7,000 levels', path: `?_queryFilter=true&_fields=${'a/'.repeat(7_000)}a`, status: 400 },
  {
    label: 'a cookie of 15,000 characters',
    path: `?_queryFilter=true&_pageSize=1&_pagedResultsCookie=${'A'.repeat(15_000)}`,
    status: 400,
  },
  {
    label: '3,000 operations',
    method: 'PATCH',
    path: '/base',
    body: operations(3_000, (n) => ({ operation: 'add', field: `/properties/k${n}`, value: n })),
    status: 400,
  },
  {
    label: 'a list copied into itself 1,000 times',
    method: 'PATCH',
    path: '/base',
    body: operations(1_000, () => ({ operation: 'copy', from: '/properties/list', field: '/properties/list' })),
    status: 400,
  },
  {
    label: 'a long list searched 900 times',
    method: 'PATCH',
    path: '/base',
    body: operations(900, (n) =>
      n === 0
        ? { operation: 'replace', field: '/properties/list', value: numbers }
        : { operation: 'remove', field: '/properties/list', value: -1 },
    ),
    status: 400,
  },
  {
    label: '1,000 fields of 240 levels',
    method: 'PATCH',
    path: '/base',
    body: operations(1_000, (n) => ({ operation: 'add', field: `/properties/${n}${'/a'.repeat(240)}`, value: 1 })),
    status: 400,
  },
]

describe('B79: too large, too deep or too many values are refused in time, and other requests do not wait', () => {
  let gateway: RunningGateway

  before(async () => {
    gateway = await RunningGateway.start({
      files: { 'secrets/gateway.admin.password': PASSWORD },
      routes: { base: pathRoute('/base', 'base', { properties: { list: [1, 2, 3] } }) },
    })
  })

  after(() => gateway[Symbol.asyncDispose]())

  for (const { label, method, path, body, status } of ROWS) {
    test(label, async () => {
      const sent = body === undefined ? undefined : Buffer.from(body)
      const { total, longest } = await leastCost(BOUNDS, async () => {
        const answer = await gateway.askAdmin(`${ROUTES}${path ?? '/new'}`, {
          method: method ?? (sent === undefined ? 'GET' : 'PUT'),
          headers: {
            Authorization: `Bearer ${PASSWORD}`,
            ...(sent !== undefined && { 'Content-Type': 'application/json', 'Content-Length': String(sent.length) }),
          },
          ...(sent !== undefined && { body: sent }),
        })
        assert.equal(answer.status, status, answer.text.slice(0, 200))
        assert.ok(answer.text.length < 1_100_000)
      })
      assert.ok(longest < BOUNDS.longest, `the event loop was blocked for ${longest} ms`)
      assert.ok(total < BOUNDS.total, `${total} ms`)
    })
  }

  test('nothing has changed, and a route is put as before', async () => {
    const { status, text } = await gateway.askAdmin(`${ROUTES}?_queryFilter=true`, {
      headers: { Authorization: `Bearer ${PASSWORD}` },
    })
    const { results } = JSON.parse(text) as { results: { _id: string; properties: unknown }[] }
    assert.deepEqual(
      [status, results.map(({ _id: id, properties }) => [id, properties])],
      [200, [['base', { list: [1, 2, 3] }]]],
    )
  })
})
