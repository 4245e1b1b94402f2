import { type Call, type Collection, type Description, PageCookies, Refusal } from '#crest'
import { jsonText } from '#logging'
import { type TrailFiles, UnreadableFileError } from '#trail'
import { type ReadEvent, readEvents } from './read-events.ts'
import { queryEvents } from './trail-query.ts'

/** Concurrent queries; over it the response is 503 with Retry-After. */
const MAX_READERS = 8

/**
 * The events of a topic as a collection, to read and to query. A query reads all files of the topic, whose size is
 * bounded; one query at a time, since reading delays the other work of the control plane.
 */
export function trailCollection(files: TrailFiles, description: Description): Collection {
  const cookies = new PageCookies()
  const turns = new Turns()
  return {
    kind: 'collection',
    description: { ...description, revisions: false },
    read: (call, id) =>
      turns.take(async () => {
        for await (const events of whileWanted(call, readEvents(files, { containing: jsonText(id) }))) {
          const found = events.find((event) => event.id === id)
          if (found === undefined) continue
          const { _id: _, _rev: __, ...content } = found.fields
          return { id, revision: null, content }
        }
        return new Refusal(404, 'there is no event of this id; old events give way to new ones')
      }),
    query: (call, query) => turns.take(() => queryEvents(whileWanted(call, readEvents(files)), query, cookies)),
  }
}

/** Reading stops when the request is cancelled. */
async function* whileWanted(
  { exchange }: Call,
  events: AsyncGenerator<readonly ReadEvent[]>,
): AsyncGenerator<readonly ReadEvent[]> {
  for await (const some of events) {
    if (exchange.aborted) return
    yield some
  }
}

function refusedFile(error: unknown): Refusal {
  if (error instanceof UnreadableFileError) return new Refusal(500, error.message)
  throw error
}

/** Runs one query after the other. */
class Turns {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  async take<T>(answer: () => Promise<T | Refusal>): Promise<T | Refusal> {
    if (this.#waiting >= MAX_READERS) {
      return new Refusal(503, 'too many questions about the trail at once; try again', {
        headers: { 'Retry-After': '5' },
      })
    }
    this.#waiting++
    const turn = this.#last.then(answer).catch(refusedFile)
    this.#last = turn.catch(() => {})
    try {
      return await turn
    } finally {
      this.#waiting--
    }
  }
}
