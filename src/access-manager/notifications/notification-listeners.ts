import type { NotificationListener } from '#contracts'
import type { Logger } from '#logging'
import { EVENTS } from '../log-events.ts'

/** Listeners of a feed. One that throws is logged; the others are still called. */
export class NotificationListeners {
  readonly #listeners = new Set<NotificationListener>()
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Returns the function that removes the listener. */
  add(listener: NotificationListener): () => void {
    // An entry of its own, so that the same listener can be added twice.
    const entry: NotificationListener = {
      notified: (notification) => listener.notified?.(notification),
      disconnected: () => listener.disconnected?.(),
      connected: () => listener.connected?.(),
      absent: () => listener.absent?.(),
    }
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  emit(call: (listener: NotificationListener) => void): void {
    for (const listener of [...this.#listeners]) {
      try {
        call(listener)
      } catch (error) {
        this.#logger.limited(error).error({ error }, EVENTS.NOTIFICATION_LISTENER_FAILED)
      }
    }
  }

  clear(): void {
    this.#listeners.clear()
  }
}
