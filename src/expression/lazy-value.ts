/** Thrown where an evaluation reads a value that has to be fetched first; the evaluation is repeated once it is there. */
export class PendingValueError extends Error {
  override readonly name = 'PendingValueError'
  readonly ready: Promise<void>

  constructor(ready: Promise<void>) {
    super('the value has to be fetched first')
    this.ready = ready
  }
}

let evaluations = 0

/** Runs inside an evaluation, so that values that have to be fetched are waited for. */
export function enterEvaluation(): void {
  evaluations += 1
}

export function leaveEvaluation(): void {
  evaluations -= 1
}

/** A value that is fetched when an expression first reads it. */
export class LazyValue<T> {
  readonly #fetch: () => Promise<T>
  #fetched: { readonly value: T } | null = null
  #loading: Promise<void> | null = null

  /** A rejection of `fetch` fails the evaluation. */
  constructor(fetch: () => Promise<T>) {
    this.#fetch = fetch
  }

  /** The value. Throws PendingValueError in an evaluation that comes before it; elsewhere null until it is there. */
  get value(): T | null {
    if (this.#fetched !== null) return this.#fetched.value
    if (evaluations === 0) return null
    throw new PendingValueError(this.load())
  }

  /** Resolves when the value is there. */
  load(): Promise<void> {
    this.#loading ??= this.#fetch().then((value) => {
      this.#fetched = { value }
    })
    return this.#loading
  }
}
