import type { JsonObject } from '#json'

/** Events of configuration changes that wait for a unit; the trail of the gateway has them all. */
const MAX_WAITING = 1_000
/** Milliseconds between two attempts. */
const INTERVAL = 100

/** Passes events on in their order. Those that can not be passed on, since no unit serves yet, are passed on later. */
export class WaitingEvents implements Disposable {
  readonly #pass: (event: JsonObject) => boolean
  #waiting: JsonObject[] = []
  #timer: NodeJS.Timeout | null = null

  /** `pass` is false where the event has to wait. */
  constructor(pass: (event: JsonObject) => boolean) {
    this.#pass = pass
  }

  add(event: JsonObject): void {
    if (this.#waiting.length === 0 && this.#pass(event)) return
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(event)
    this.#timer ??= setInterval(() => this.#passAll(), INTERVAL).unref()
  }

  #passAll(): void {
    const waits = this.#waiting.findIndex((event) => !this.#pass(event))
    this.#waiting = waits === -1 ? [] : this.#waiting.slice(waits)
    if (waits === -1) this[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }
}
