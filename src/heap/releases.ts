/**
 * The releases of the objects of a heap, run in reverse order. A release that is added after the disposal runs at once: its object
 * was created by an abandoned build, or opened a resource for one of the last requests of a retired route.
 */
export class Releases {
  readonly #stack = new AsyncDisposableStack()
  readonly #failed: (error: unknown) => void

  /** @param failed receives errors of releases that are added after the disposal */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  defer(release: () => void | PromiseLike<void>): void {
    if (!this.#stack.disposed) {
      this.#stack.defer(release)
      return
    }
    // Not in this turn: the caller may assign what it releases after this call.
    Promise.resolve().then(release).catch(this.#failed)
  }

  /** Runs all releases, also after one fails. Idempotent. */
  dispose(): Promise<void> {
    return this.#stack.disposeAsync()
  }
}
