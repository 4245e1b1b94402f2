/** Milliseconds between two questions, of which a quarter is random; with SILENCE the time until a silent store is noticed. */
const INTERVAL = 2_400
/** While the store does not respond: so soon after an outage its state is known. */
const QUICK_INTERVAL = 1_000

/** Questions without a response so far. */
const MAX_OPEN = 4

/** Milliseconds without a response after which the store counts as silent. */
export const SILENCE = 2_500
/** Part of it in which this process has to run: after a pause of the process, responses are there and not read yet. */
const LAST_PART = 500

/** What a heartbeat asks. */
interface HeartbeatInput {
  /** Must not reject. */
  ask(): Promise<void>
  isQuick(): boolean
}

/** Asks the store regularly, also while earlier questions wait for their response. */
export class StoreHeartbeat implements Disposable {
  readonly #input: HeartbeatInput
  #timer: NodeJS.Timeout | undefined
  #open = 0

  constructor(input: HeartbeatInput) {
    this.#input = input
    this.#schedule()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    const interval = this.#input.isQuick() ? QUICK_INTERVAL : INTERVAL
    this.#timer = setTimeout(() => this.#ask(), interval * (1 - Math.random() / 4)).unref()
  }

  #ask(): void {
    this.#schedule()
    if (this.#open >= MAX_OPEN) return
    this.#open++
    void this.#input.ask().finally(() => {
      this.#open--
    })
  }
}

/** Calls back after SILENCE, unless it is disposed before. */
export function onSilence(silent: () => void): Disposable {
  let timer = setTimeout(() => {
    timer = setTimeout(silent, LAST_PART).unref()
  }, SILENCE - LAST_PART).unref()
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
