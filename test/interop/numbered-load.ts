// A load of numbered requests on a whole gateway, and what became of its events at a consumer.
import assert from 'node:assert/strict'
import { Pool } from 'undici'

/** Numbers of the requests whose responses have arrived. */
export type Responses = Set<number>

const CONNECTIONS = 24

/** Requests the paths `/n/<number>` on several connections until the end, or until the gateway is gone. */
export async function sendNumbered(
  port: number,
  { from, to, responses, onResponse = () => {} }: LoadOptions,
): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS })
  let next = from
  const run = async (): Promise<void> => {
    while (next < to) {
      const number = next++
      try {
        const { statusCode, body } = await pool.request({ method: 'GET', path: `/n/${number}` })
        assert.equal(statusCode, 200)
        await body.dump()
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        return
      }
      responses.add(number)
      onResponse(number)
    }
  }
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, run))
  } finally {
    await pool.destroy()
  }
}

interface LoadOptions {
  readonly from: number
  readonly to: number
  readonly responses: Responses
  readonly onResponse?: (number: number) => void
}

const EVENT = /"_id":"([^"]+)-(\d+)".*?\/n\/(\d+)"/

/** The events that a consumer has received so far, read incrementally. */
export class NumberedEvents {
  /** Ids of events, by the number of the request. */
  readonly ids = new Map<number, string>()
  repeats = 0
  /** Events that arrived before one that their unit made earlier. */
  outOfOrder = 0
  readonly #texts = new Map<string, string>()
  readonly #last = new Map<string, number>()
  #read = 0
  /** How many of the numbers of `hasAll` were found. */
  #found = 0

  read(messages: readonly { readonly text: string }[]): void {
    for (; this.#read < messages.length; this.#read++) this.#add(messages[this.#read]?.text ?? '')
  }

  /** Whether an event of each request is there. */
  hasAll(numbers: readonly number[]): boolean {
    while (this.#found < numbers.length && this.ids.has(numbers[this.#found] as number)) this.#found++
    return this.#found === numbers.length
  }

  #add(text: string): void {
    const [, unit = '', position = '', number = ''] = EVENT.exec(text) ?? assert.fail(`no event: ${text}`)
    const id = `${unit}-${position}`
    const before = this.#texts.get(id)
    if (before !== undefined) {
      assert.equal(withoutElapsedTime(text), withoutElapsedTime(before), 'a repeat with another text')
      this.repeats++
      return
    }
    this.#texts.set(id, text)
    assert.equal(this.ids.get(Number(number)), undefined, `two events with different ids for request ${number}`)
    this.ids.set(Number(number), id)
    // Each unit numbers its events.
    if (Number(position) < (this.#last.get(unit) ?? 0)) this.outOfOrder++
    this.#last.set(unit, Number(position))
  }
}

/** A repeat from the journal has the time when the response was complete, not that when the client had read it. */
function withoutElapsedTime(event: string): string {
  return event.replace(/"elapsedTime":\d+/, '')
}
