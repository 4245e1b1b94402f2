import { type ConfigChange, configRecord } from '#audit'
import type { Delivery } from '#durable-queue'
import { SerialIds } from '#http'
import type { JsonObject } from '#json'
import type { Clock } from '#schema'

/** Milliseconds that a change waits for an unresponsive disk. */
const WRITE_LIMIT = 2_000

/** Records changes of the configuration: the topic `config`. */
export class ConfigAudit {
  readonly #trail: Pick<Delivery, 'add' | 'attempt'>
  readonly #clock: Pick<Clock, 'now'>
  readonly #ids = new SerialIds()
  readonly #publish: (event: JsonObject) => void

  /** `publish` gets each event for the audit services that handle the topic. */
  constructor(
    trail: Pick<Delivery, 'add' | 'attempt'>,
    clock: Pick<Clock, 'now'>,
    publish: (event: JsonObject) => void = () => {},
  ) {
    this.#trail = trail
    this.#clock = clock
    this.#publish = publish
  }

  /** Time and id of a change; an event recorded later keeps this position in the order. */
  moment(): { readonly id: string; readonly time: number } {
    return { id: this.#ids.next().text, time: this.#clock.now() }
  }

  /** Resolves when the event is on the disk, or when it is known that it has to wait; never rejects. */
  async record(change: ConfigChange, { id, time } = this.moment()): Promise<void> {
    const record = configRecord(id, time, change)
    this.#trail.add([record])
    this.#publish(JSON.parse(record.text) as JsonObject)
    await this.#trail.attempt(WRITE_LIMIT)
  }
}
