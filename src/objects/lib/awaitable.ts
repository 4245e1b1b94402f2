/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>

/** Continues without a promise where the value is there: a request whose values are all cached costs no promise. */
export function then<T, R>(value: Awaitable<T>, goOn: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value)
}
