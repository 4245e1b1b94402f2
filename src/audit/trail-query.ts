import {
  matches,
  type PageCookies,
  type Query,
  type QueryFilter,
  queryResources,
  Refusal,
  type Resource,
  type ResultPage,
} from '#crest'
import { chronologicalKey } from './event.ts'
import type { ReadEvent } from './read-events.ts'

/** Events in memory for one query; larger results need paging. */
const MAX_QUERY_EVENTS = 5_000

/** Bytes of lines in memory for one query. */
const MAX_QUERY_BYTES = 64 * 1024 * 1024

/** Events collected beyond the page before those that can not be on it are dropped. */
const SLACK = 1_000

/**
 * Evaluates a query over a stream of events in any order, which may exceed memory. Each is read
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
    const refused = await gathering.shrink()
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

/** An event that may be on the page. */
interface Candidate extends Resource {
  readonly bytes: number
}

/** Candidates for the page of a query. */
class Gathering {
  readonly #query: Query
  readonly #cookies: PageCookies
  readonly #limit: number
  #kept: Candidate[] = []
  #bytes = 0
  /** Number of matching events, and of those before the page that were dropped. */
  #found = 0
  #dropped = 0

  constructor(query: Query, cookies: PageCookies, limit: number) {
    this.#query = query
    this.#cookies = cookies
    this.#limit = limit
  }

  add({ id, fields, bytes }: ReadEvent): void {
    const { _id: _, _rev: __, ...content } = fields
    this.#kept.push({ id, revision: null, content, bytes })
    this.#bytes += bytes
    this.#found++
  }

  /** Drops events that can not be on the page, once many are held. */
  async shrink(): Promise<Refusal | null> {
    if (this.#kept.length < this.#limit * 2 + SLACK && this.#bytes <= MAX_QUERY_BYTES) return null
    if (this.#query.pageSize === 0) return this.#found > MAX_QUERY_EVENTS ? tooMany() : tooLarge()
    const first = await this.#list({ ...this.#query, offset: 0, pageSize: this.#limit, countPolicy: 'EXACT' })
    if (first instanceof Refusal) return first
    this.#kept = [...(first.entries as readonly Candidate[])]
    this.#bytes = this.#kept.reduce((total, { bytes }) => total + bytes, 0)
    this.#dropped += first.remaining
    return this.#bytes > MAX_QUERY_BYTES ? tooLarge() : null
  }

  async page(): Promise<ResultPage<Resource> | Refusal> {
    const { pageSize, countPolicy } = this.#query
    if (pageSize === 0 && this.#found > MAX_QUERY_EVENTS) return tooMany()
    const page = await this.#list(this.#query)
    if (page instanceof Refusal || countPolicy === 'NONE') return page
    return { ...page, total: this.#found, remaining: page.remaining + this.#dropped }
  }

  #list(query: Query): Promise<ResultPage<Resource> | Refusal> {
    const naturalOrder = ({ id, content }: Resource) => chronologicalKey({ id, timestamp: content['timestamp'] })
    return queryResources(this.#kept, query, { cookies: this.#cookies, naturalOrder })
  }
}

function tooLarge(): Refusal {
  return new Refusal(
    400,
    `the events of a page hold more than ${MAX_QUERY_BYTES} bytes; ask for smaller pages with _pageSize`,
  )
}

function tooMany(): Refusal {
  return new Refusal(400, `more than ${MAX_QUERY_EVENTS} events match; ask for pages with _pageSize, or for fewer`)
}
