import type { Notification, NotificationListener, Notifications } from '#contracts'
import type { JsonObject } from '#json'

/** Notifications that a test sends, over a connection that it closes and restores. */
export class ManualNotifications implements Notifications {
  readonly #listeners = new Set<NotificationListener>()
  #connected = true
  #isAbsent = false

  get connected(): boolean {
    return this.#connected
  }

  get isAbsent(): boolean {
    return this.#isAbsent
  }

  /** Number of listeners. */
  get listeners(): number {
    return this.#listeners.size
  }

  listen(listener: NotificationListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(topic: string, body: JsonObject): void {
    const notification: Notification = { topic, body }
    for (const listener of this.#listeners) listener.notified?.(notification)
  }

  disconnect(): void {
    this.#connected = false
    for (const listener of this.#listeners) listener.disconnected?.()
  }

  /** The server has no notifications. */
  vanish(): void {
    this.#connected = false
    this.#isAbsent = true
    for (const listener of this.#listeners) listener.absent?.()
  }

  connect(): void {
    this.#connected = true
    this.#isAbsent = false
    for (const listener of this.#listeners) listener.connected?.()
  }
}
