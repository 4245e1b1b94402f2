/** Listeners for changes of secrets. */
export class ChangeListeners {
  readonly #listeners = new Set<() => void>()

  /** Adds a listener; returns the function that removes it. */
  readonly onChange = (listener: () => void): (() => void) => {
    // Wrapped, so that a listener that was added twice can be removed once.
    const own = () => listener()
    this.#listeners.add(own)
    return () => this.#listeners.delete(own)
  }

  tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
