import {
  listResources,
  matches,
  type PageCookies,
  type Query,
  type QueryFilter,
  Refusal,
  type Resource,
  type ResultPage,
} from '#crest'
import { chronologicalKey } from './event.ts'
import type { ReadEvent } from './trail-reader.ts'

/** Events in memory for one query; larger results need paging. */
const MAX_QUERY_EVENTS = 5_000

/** Events collected beyond the page before those that can not be on it are dropped. */
const SLACK = 1_000

/**
 * Answers a query over a stream of events in any order, which may exceed memory. Each is read
 * once; only candidates for the page are retained.
 */
export async function queryEvents(
  events: AsyncIterable<readonly ReadEvent[]>,
  query: Query,
  cookies: PageCookies,
): Promise<ResultPage<Resource> | Refusal> {
  const { selector, pageSize, offset, countOnly } = query
  if (!('filter' in selector)) return new Refusal(501, 'only _queryFilter is supported here')
  const wanted = pageSize === 0 ? MAX_QUERY_EVENTS : offset + pageSize
  if (wanted > MAX_QUERY_EVENTS) {
    return new Refusal(
      400,
      `_pagedResultsOffset: at most ${MAX_QUERY_EVENTS} events can be reached; use _pagedResultsCookie`,
    )
  }
  if (countOnly) return counted(await count(events, selector.filter))
  const gathering = new Gathering(query, cookies, wanted + 1)
  for await (const some of events) {
    for (const event of some) if (matches(selector.filter, event.fields)) gathering.add(event)
    const refused = gathering.refused
    if (refused !== null) return refused
  }
  return gathering.page()
}

async function count(events: AsyncIterable<readonly ReadEvent[]>, filter: QueryFilter): Promise<number> {
  let found = 0
  for await (const some of events) for (const { fields } of some) if (matches(filter, fields)) found++
  return found
}

function counted(count: number): ResultPage<Resource> {
  return { entries: [], cookie: null, countPolicy: 'EXACT', total: count, remaining: -1, count }
}

/** Candidates for the page of a query. */
class Gathering {
  readonly #query: Query
  readonly #cookies: PageCookies
  readonly #limit: number
  #kept: Resource[] = []
  /** How many were found in all, and how many of those ahead of the page's beginning were let go. */
  #found = 0
  #dropped = 0
  refused: Refusal | null = null

  constructor(query: Query, cookies: PageCookies, limit: number) {
    this.#query = query
    this.#cookies = cookies
    this.#limit = limit
  }

  add({ id, fields }: ReadEvent): void {
    const { _id: _, _rev: __, ...content } = fields
    this.#kept.push({ id, revision: null, content })
    this.#found++
    if (this.#kept.length < this.#limit * 2 + SLACK) return
    this.refused ??= this.#letGo()
  }

  page(): ResultPage<Resource> | Refusal {
    const { pageSize, countPolicy } = this.#query
    if (pageSize === 0 && this.#found > MAX_QUERY_EVENTS) return tooMany()
    const page = this.#list(this.#query)
    if (page instanceof Refusal || countPolicy === 'NONE') return page
    return { ...page, total: this.#found, remaining: page.remaining + this.#dropped }
  }

  /** Retains the first events in the order of the query, after the position of its cookie. */
  #letGo(): Refusal | null {
    if (this.#query.pageSize === 0) return tooMany()
    const first = this.#list({ ...this.#query, offset: 0, pageSize: this.#limit, countPolicy: 'EXACT' })
    if (first instanceof Refusal) return first
    this.#kept = [...first.entries]
    this.#dropped += first.remaining
    return null
  }

  #list(query: Query): ResultPage<Resource> | Refusal {
    const naturalOrder = ({ id, content }: Resource) => chronologicalKey({ id, timestamp: content['timestamp'] })
    return listResources(this.#kept, query, { cookies: this.#cookies, naturalOrder })
  }
}

function tooMany(): Refusal {
  return new Refusal(400, `more than ${MAX_QUERY_EVENTS} events match; ask for pages with _pageSize, or for fewer`)
}
