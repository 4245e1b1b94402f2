import type { FormattedEvent } from '#schema'

/** Events of one service for the writer. Cheap to send to another thread: one text and one array of numbers, whatever their number. */
export interface AuditBatch {
  /** Ids and texts of all events, one behind the other. */
  readonly text: string
  /** For each event: topic, time, length of the id, and the length of each text; -1 for a format without one. */
  readonly numbers: Float64Array
  readonly topics: readonly string[]
  readonly events: number
}

/** Collects events for a batch. */
export class AuditBatchBuilder {
  #text = ''
  #numbers: number[] = []
  readonly #topics: string[] = []
  events = 0

  /** Characters so far. */
  get size(): number {
    return this.#text.length
  }

  add({ topic, id, texts, time }: FormattedEvent): void {
    let index = this.#topics.indexOf(topic)
    if (index < 0) index = this.#topics.push(topic) - 1
    this.#text += id
    this.#numbers.push(index, time, id.length)
    for (const text of texts) {
      this.#numbers.push(text === undefined ? -1 : text.length)
      if (text !== undefined) this.#text += text
    }
    this.events++
  }

  build(): AuditBatch {
    return { text: this.#text, numbers: Float64Array.from(this.#numbers), topics: this.#topics, events: this.events }
  }
}

/** The events of a batch with so many formats. */
export function* eventsOf({ text, numbers, topics, events }: AuditBatch, formats: number): Generator<FormattedEvent> {
  const stride = 3 + formats
  let at = 0
  for (let event = 0; event < events; event++) {
    const first = event * stride
    const idEnd = at + numbers[first + 2]!
    const id = text.slice(at, idEnd)
    at = idEnd
    const texts: (string | undefined)[] = []
    for (let format = 0; format < formats; format++) {
      const length = numbers[first + 3 + format]!
      texts.push(length < 0 ? undefined : text.slice(at, at + length))
      at += Math.max(0, length)
    }
    yield { topic: topics[numbers[first]!]!, time: numbers[first + 1]!, id, texts }
  }
}
