/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>

/** Calls the continuation synchronously where the value is no promise, so that a request with cached values allocates no promises. */
export function then<T, R>(value: Awaitable<T>, continuation: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(continuation) : continuation(value)
}
