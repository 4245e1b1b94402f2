/** Thrown where an evaluation reads a value that is not fetched yet; the evaluation is repeated when it is. */
export class PendingValueError extends Error {
  override readonly name = 'PendingValueError'
  readonly ready: Promise<void>

  constructor(ready: Promise<void>) {
    super('the value has to be fetched first')
    this.ready = ready
  }
}

let evaluations = 0

/** From here on `LazyValue.value` throws PendingValueError, so that the evaluation waits for it. */
export function enterEvaluation(): void {
  evaluations += 1
}

export function leaveEvaluation(): void {
  evaluations -= 1
}

/** A value that is fetched on first read by an expression. */
export class LazyValue<T> {
  readonly #fetch: () => Promise<T>
  #fetched: { readonly value: T } | null = null
  #loading: Promise<void> | null = null

  /** A rejection of `fetch` fails the evaluation. */
  constructor(fetch: () => Promise<T>) {
    this.#fetch = fetch
  }

  /** Before it is fetched: throws PendingValueError in an evaluation, null elsewhere. */
  get value(): T | null {
    if (this.#fetched !== null) return this.#fetched.value
    if (evaluations === 0) return null
    throw new PendingValueError(this.load())
  }

  /** Resolves when the value is fetched. */
  load(): Promise<void> {
    this.#loading ??= this.#fetch().then((value) => {
      this.#fetched = { value }
    })
    return this.#loading
  }
}
