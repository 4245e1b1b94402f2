import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { commonRest } from '#crest'
import type { JsonObject } from '#json'
import { jsonText } from '#logging'
import { fileEnv, filePlan } from '#test/audit-files'
import { exchangeFor } from '#test/exchange'
import { Folder } from '#test/folder'
import { NO_ROTATION, TopicFile } from '#trail'
import { CONFIG_TOPIC } from './config-event.ts'
import { trailCollection } from './trail-collection.ts'

const BASE = '/api/audit/config'

interface Page {
  readonly status: number
  readonly json: JsonObject
  readonly ids: string[]
}

/** A trail of so many events in several files, and the way to ask about it. */
async function trailOf(folder: Folder, events: number, maxBytes = 8 * 1024 * 1024) {
  const trail = new TopicFile(
    filePlan(folder.path, { rotation: { ...NO_ROTATION, maxFileSize: maxBytes } }),
    'config',
    fileEnv(),
  )
  let lines: string[] = []
  for (let n = 1; n <= events; n++) {
    const timestamp = new Date(1_700_000_000_000 + Math.floor(n / 3)).toISOString()
    lines.push(
      jsonText({
        _id: `p-${n}`,
        timestamp,
        n,
        parity: n % 2 === 0 ? 'even' : 'odd',
        user: { name: `u${n % 7}` },
      }),
    )
    if (n % 100 !== 0 && n !== events) continue
    await trail.append(lines)
    lines = []
  }
  await trail.close()
  const serve = commonRest(trailCollection(trail.files, CONFIG_TOPIC), { base: BASE })
  return async (target: string, method = 'GET'): Promise<Page> => {
    const response = await serve(exchangeFor(method, `http://localhost${BASE}${target}`))
    const json = JSON.parse(Buffer.from(await response.body.read(1e8)).toString('utf8') || '{}') as JsonObject
    const ids = ((json['results'] ?? []) as JsonObject[]).map(({ _id: id }) => String(id).slice(2))
    return { status: response.status, json, ids }
  }
}

describe('the collection of a topic', () => {
  test('without sort keys events come in the order in which they happened, over all files', async () => {
    using folder = new Folder()
    const ask = await trailOf(folder, 250, 10_000)
    const { ids } = await ask('?_queryFilter=true')
    assert.deepEqual(
      ids,
      Array.from({ length: 250 }, (_, n) => String(n + 1)),
    )
  })

  test('a file that can not be read is named, since events are missing then', async () => {
    using folder = new Folder()
    const ask = await trailOf(folder, 2)
    folder.write('config.audit.json-2026.01.02-03.04.05.gz', 'not compressed')
    const { status, json } = await ask('?_queryFilter=true')
    assert.equal(status, 500)
    assert.match(
      String(json['message']),
      /config\.audit\.json-2026\.01\.02-03\.04\.05\.gz can not be read to its end: /,
    )
  })

  test('filters, sort keys, fields and counts work', async () => {
    using folder = new Folder()
    const ask = await trailOf(folder, 20)
    assert.deepEqual((await ask('?_queryFilter=n+gt+17')).ids, ['18', '19', '20'])
    assert.deepEqual((await ask('?_queryFilter=user/name+eq+%22u3%22&_sortKeys=-n')).ids, ['17', '10', '3'])
    assert.deepEqual((await ask('?_queryFilter=true&_countOnly=true')).json['resultCount'], 20)
    const { json } = await ask('?_queryFilter=n+eq+1&_fields=user/name')
    assert.deepEqual(json['results'], [{ _id: 'p-1', user: { name: 'u1' } }])
  })

  test('pages by cookie visit every event once, with their counts, also where few can be held at a time', async () => {
    using folder = new Folder()
    const ask = await trailOf(folder, 6_000, 100_000)
    for (const sort of ['', '&_sortKeys=parity,-n']) {
      const seen: string[] = []
      let cookie = ''
      for (;;) {
        const page = await ask(`?_queryFilter=true&_pageSize=900&_totalPagedResultsPolicy=EXACT${sort}${cookie}`)
        seen.push(...page.ids)
        assert.deepEqual(
          [page.json['totalPagedResults'], page.json['remainingPagedResults']],
          [6_000, 6_000 - seen.length],
        )
        if (page.json['pagedResultsCookie'] === null) break
        cookie = `&_pagedResultsCookie=${page.json['pagedResultsCookie']}`
      }
      const all = Array.from({ length: 6_000 }, (_, n) => n + 1)
      const sorted = [...all.filter((n) => n % 2 === 0).reverse(), ...all.filter((n) => n % 2 === 1).reverse()]
      assert.deepEqual(seen, (sort === '' ? all : sorted).map(String))
    }
  })

  test('an offset reaches as far as the bound, and a query for everything is refused beyond it', async () => {
    using folder = new Folder()
    const ask = await trailOf(folder, 5_001)
    assert.deepEqual((await ask('?_queryFilter=true&_pageSize=2&_pagedResultsOffset=4998')).ids, ['4999', '5000'])
    const beyond = await ask('?_queryFilter=true&_pageSize=2&_pagedResultsOffset=4999')
    assert.deepEqual([beyond.status, /use _pagedResultsCookie/.test(String(beyond.json['message']))], [400, true])
    const everything = await ask('?_queryFilter=true')
    assert.deepEqual([everything.status, /_pageSize/.test(String(everything.json['message']))], [400, true])
    assert.equal((await ask('?_queryFilter=n+le+5000')).ids.length, 5_000)
    assert.equal((await ask('?_queryFilter=true&_countOnly=true')).json['resultCount'], 5_001)
  })

  test('an event is read by its id; one that is not there is 404', async () => {
    using folder = new Folder()
    const ask = await trailOf(folder, 300, 10_000)
    const { status, json } = await ask('/p-7')
    assert.deepEqual([status, json['_id'], json['n'], Object.hasOwn(json, '_rev')], [200, 'p-7', 7, false])
    assert.equal((await ask('/p-301')).status, 404)
    assert.equal((await ask('/p-7?_fields=parity')).json['n'], undefined)
  })

  test('it can not be changed', async () => {
    using folder = new Folder()
    const ask = await trailOf(folder, 1)
    for (const [method, target, status] of [
      ['PUT', '/p-1', 501],
      ['DELETE', '/p-1', 501],
      ['PATCH', '/p-1', 501],
      ['POST', '?_action=create', 501],
      ['DELETE', '', 405],
      ['PUT', '', 405],
    ] as const) {
      assert.equal((await ask(target, method)).status, status, `${method} ${target}`)
    }
  })

  test('a trail without files is an empty collection', async () => {
    using folder = new Folder()
    const ask = await trailOf(folder, 0)
    assert.deepEqual((await ask('?_queryFilter=true')).ids, [])
  })

  test('of many concurrent queries some get 503 with Retry-After', async () => {
    using folder = new Folder()
    const ask = await trailOf(folder, 10)
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('?_queryFilter=true')))
    const statuses = answers.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 200).length, 8)
    assert.equal(statuses.filter((status) => status === 503).length, 12)
    assert.equal((await ask('?_queryFilter=true')).status, 200)
  })

  test('events that are too large for one page are refused, and found with smaller pages', async () => {
    using folder = new Folder()
    const trail = new TopicFile(filePlan(folder.path), 'config', fileEnv())
    for (let n = 0; n < 70; n++)
      await trail.append([jsonText({ _id: `p-${n}`, timestamp: `${n}`, text: 'x'.repeat(1e6) })])
    await trail.close()
    const serve = commonRest(trailCollection(trail.files, CONFIG_TOPIC), { base: BASE })
    const ask = async (query: string) => serve(exchangeFor('GET', `http://localhost${BASE}${query}`))
    assert.equal((await ask('?_queryFilter=true')).status, 400)
    assert.equal((await ask('?_queryFilter=true&_pageSize=5&_fields=_id')).status, 200)
    const count = JSON.parse(
      Buffer.from(await (await ask('?_queryFilter=true&_countOnly=true')).body.read(1e6)).toString(),
    )
    assert.equal(count.resultCount, 70)
  })
})
