/** What may be there at once. */
export type Awaitable<T> = T | Promise<T>

/** Goes on at once with what is there, and later with what is not: a request that finds all it needs costs no promise. */
export function then<T, R>(value: Awaitable<T>, goOn: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value)
}
