import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '#json'
import { valueAt } from '../pointer.ts'
import type { QueryFilter } from '../query-filter/filter.ts'
import { parseQueryFilter } from '../query-filter/parser.ts'
import { runToEnd } from '../time-slices.ts'
import { PageCookies } from './page-cookies.ts'
import type { Query } from './query.ts'
import { type ListingOptions, pageSteps, type ResultPage } from './result-page.ts'
import { parseSortKeys, printSortKeys, type SortKey } from './sort-keys.ts'

interface Entry {
  readonly id: string
  readonly fields: JsonObject
}

const resultPage = (from: Iterable<Entry>, filter: QueryFilter, query: Query, options: ListingOptions<Entry>) =>
  runToEnd(
    pageSteps(from, filter, query, {
      ...options,
      readerOf:
        (pointer) =>
        ({ fields }) =>
          valueAt(fields, pointer),
    }),
  )

const cookies = new PageCookies()
const everything = parseQueryFilter('true')

function query(parts: Partial<Query> = {}): Query {
  return {
    selector: { filter: everything },
    sortKeys: [],
    pageSize: 0,
    cookie: null,
    offset: 0,
    countPolicy: 'NONE',
    countOnly: false,
    ...parts,
  }
}

const entries = (...fields: JsonObject[]): Entry[] =>
  fields.map((one, at) => ({ id: String(one['_id'] ?? at), fields: one }))

function page(from: readonly Entry[], parts: Partial<Query> = {}, filter = everything): ResultPage<Entry> {
  const found = resultPage(from, filter, query(parts), { cookies })
  assert.notEqual(typeof found, 'string', String(found))
  return found as ResultPage<Entry>
}

const ids = ({ entries: found }: ResultPage<Entry>) => found.map(({ id }) => id).join(' ')
const keys = (text: string) => parseSortKeys(text) as readonly SortKey[]

describe('sort keys', () => {
  const people = entries(
    { _id: 'a', name: 'bob', age: 3 },
    { _id: 'b', name: 'Anna', age: 10 },
    { _id: 'c', age: 3 },
    { _id: 'd', name: ['zoe', 'CARL'], age: null },
    { _id: 'e', name: 5, age: true },
  )
  const rows: readonly (readonly [string, string])[] = [
    ['name', 'e b a d c'],
    ['+name', 'e b a d c'],
    [' name', 'e b a d c'],
    ['-name', 'd a b e c'],
    ['age', 'e a c b d'],
    ['-age', 'b a c e d'],
    ['age,-_id', 'e c a b d'],
    ['missing', 'a b c d e'],
  ]
  for (const [text, expected] of rows) {
    test(`${text} gives ${expected}`, () => assert.equal(ids(page(people, { sortKeys: keys(text) })), expected))
  }

  for (const text of ['', ',', 'a,', '+', '--', 'a~', 'a%', '/', Array(33).fill('a').join(',')]) {
    test(`${JSON.stringify(text.slice(0, 10))} is rejected`, () => {
      if (text === '--') return assert.deepEqual(keys(text), [{ pointer: ['-'], descending: true }])
      assert.match(parseSortKeys(text) as string, /^_sortKeys: /)
    })
  }

  test('printed keys are parsed as the same keys', () => {
    const key = fc.record(
      { pointer: fc.array(fc.string(), { minLength: 1, maxLength: 3 }), descending: fc.boolean() },
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 4 }), (wanted) => {
        assert.deepEqual(parseSortKeys(printSortKeys(wanted)), wanted)
      }),
    )
  })
})

describe('pages', () => {
  const numbers = entries(...Array.from({ length: 10 }, (_, n) => ({ _id: String(n), n, even: n % 2 === 0 })))

  test('without a page size all entries are returned and not counted', () => {
    const all = page(numbers, { countPolicy: 'EXACT' })
    assert.deepEqual([all.entries.length, all.cookie, all.total, all.countPolicy], [10, null, -1, 'NONE'])
  })

  test('a cookie selects the next page, and the last page has none', () => {
    const first = page(numbers, { pageSize: 4 })
    const second = page(numbers, { pageSize: 4, cookie: first.cookie })
    const third = page(numbers, { pageSize: 4, cookie: second.cookie })
    assert.deepEqual([ids(first), ids(second), ids(third), third.cookie], ['0 1 2 3', '4 5 6 7', '8 9', null])
    assert.equal(page(numbers, { pageSize: 5, cookie: page(numbers, { pageSize: 5 }).cookie }).cookie, null)
  })

  test('a small page of many entries equals the start of the sorted result', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(50), { minLength: 40, maxLength: 200 }),
        fc.nat(3),
        fc.integer({ min: 1, max: 3 }),
        (values, offset, pageSize) => {
          const many = values.map((n, at) => ({ id: String(at).padStart(3, '0'), fields: { n } }))
          const all = page(many, { sortKeys: keys('-n') }).entries.map(({ id }) => id)
          const some = page(many, { sortKeys: keys('-n'), pageSize, offset }).entries.map(({ id }) => id)
          assert.deepEqual(some, all.slice(offset, offset + pageSize))
        },
      ),
    )
  })

  test('an offset counts entries', () => {
    assert.equal(ids(page(numbers, { pageSize: 3, offset: 8 })), '8 9')
    assert.equal(ids(page(numbers, { pageSize: 3, offset: 5 })), '5 6 7')
    const beyond = page(numbers, { pageSize: 3, offset: 100, countPolicy: 'EXACT' })
    assert.deepEqual([ids(beyond), beyond.cookie, beyond.total, beyond.remaining], ['', null, 10, 0])
  })

  test('results are not counted by default', () => {
    const counted = (countPolicy: Query['countPolicy']) => {
      const { total, remaining, countPolicy: said } = page(numbers, { pageSize: 4, countPolicy })
      return [total, remaining, said]
    }
    assert.deepEqual(counted('NONE'), [-1, -1, 'NONE'])
    assert.deepEqual(counted('EXACT'), [10, 6, 'EXACT'])
    assert.deepEqual(counted('ESTIMATE'), [10, 6, 'ESTIMATE'])
  })

  test('countOnly returns no entries', () => {
    const {
      entries: none,
      count,
      total,
    } = page(numbers, { countOnly: true, pageSize: 2 }, parseQueryFilter('even eq true'))
    assert.deepEqual([none.length, count, total], [0, 5, 5])
  })

  test('the natural order is by code unit of a field', () => {
    const named = entries(
      { _id: '1', name: 'b' },
      { _id: '2', name: 'B' },
      { _id: '3', name: 'a' },
      { _id: '0', name: 'a' },
    )
    const options = { cookies, naturalOrder: ({ fields }: Entry) => String(fields['name']) }
    assert.equal(ids(resultPage(named, everything, query(), options) as ResultPage<Entry>), '2 0 3 1')
  })

  test('a cookie that was changed, or is of another server or query, is rejected', () => {
    const { cookie } = page(numbers, { pageSize: 2 })
    const changed = `${cookie?.startsWith('A') ? 'B' : 'A'}${cookie?.slice(1)}`
    const read = (parts: Partial<Query>, filter = everything, others = cookies) =>
      resultPage(numbers, filter, query({ pageSize: 2, ...parts }), { cookies: others })
    for (const bad of ['', 'x', `${cookie}A`, changed, '%', 'A'.repeat(100_000)]) {
      assert.match(read({ cookie: bad }) as string, /not a cookie of this server/)
    }
    assert.match(read({ cookie }, everything, new PageCookies()) as string, /not a cookie of this server/)
    assert.match(read({ cookie }, parseQueryFilter('n ge 0')) as string, /another query/)
    assert.match(read({ cookie, sortKeys: keys('n') }) as string, /another query/)
  })

  test('paging returns each remaining entry exactly once while others are added and removed', () => {
    const step = fc.record({ add: fc.array(fc.nat(999)), remove: fc.array(fc.nat(999)) })
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(999), { minLength: 1, maxLength: 60 }),
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom('', 'n', '-n', 'group', '-group,n'),
        (start, steps, pageSize, sort) => {
          const sortKeys = sort === '' ? [] : keys(sort)
          const kept = new Set(start.filter((n) => n % 3 === 0))
          const present = new Set(start)
          const seen: string[] = []
          let cookie: string | null = null
          for (let at = 0; ; at++) {
            const current = [...present].map((n) => ({ id: String(n), fields: { n, group: n % 4 } }))
            const got = page(current, { pageSize, cookie, sortKeys })
            seen.push(...got.entries.map(({ id }) => id))
            cookie = got.cookie
            if (cookie === null) break
            const { add, remove } = steps[at] ?? { add: [], remove: [] }
            for (const n of remove) if (!kept.has(n)) present.delete(n)
            for (const n of add) present.add(n)
          }
          assert.equal(new Set(seen).size, seen.length)
          for (const n of kept) assert.ok(seen.includes(String(n)), `${n} was not visited`)
        },
      ),
    )
  })
})

test('pages of very many entries equal those of few, also at a large offset', () => {
  const many = Array.from({ length: 5_000 }, (_, n) => ({ id: String(n), fields: { n: (n * 7919) % 5_000 } }))
  const sortKeys = keys('-n')
  const all = page(many, { sortKeys }).entries.map(({ fields }) => fields['n'])
  assert.deepEqual(
    all,
    Array.from({ length: 5_000 }, (_, n) => 4_999 - n),
  )
  const seen: unknown[] = []
  for (let cookie: string | null = null; ; ) {
    const got = page(many, { sortKeys, pageSize: 700, cookie })
    seen.push(...got.entries.map(({ fields }) => fields['n']))
    cookie = got.cookie
    if (cookie === null) break
  }
  assert.deepEqual(seen, all)
  const far = page(many, { sortKeys, pageSize: 3, offset: 4_500, countPolicy: 'EXACT' })
  assert.deepEqual(
    far.entries.map(({ fields }) => fields['n']),
    [499, 498, 497],
  )
  assert.deepEqual([far.total, far.remaining], [5_000, 497])
})
