import { type AuditTrail, type ConfigChange, configEvent, EventIds } from '#audit'
import type { Clock } from '#schema'

/** Records changes of the configuration: the topic `config`. */
export class ConfigAudit {
  readonly #trail: Pick<AuditTrail, 'append'>
  readonly #clock: Pick<Clock, 'now'>
  readonly #ids = new EventIds()

  constructor(trail: Pick<AuditTrail, 'append'>, clock: Pick<Clock, 'now'>) {
    this.#trail = trail
    this.#clock = clock
  }

  /** Marks the moment of a change; an event recorded later for it has this place in the order. */
  moment(): { readonly id: string; readonly time: number } {
    return { id: this.#ids.next(), time: this.#clock.now() }
  }

  /** Resolves when the event is on the disk, or when it is known that it has to wait; never rejects. */
  record(change: ConfigChange, { id, time } = this.moment()): Promise<void> {
    return this.#trail.append(configEvent(id, time, change))
  }
}
