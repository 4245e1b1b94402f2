/** Listeners for changes of secrets. */
export class ChangeListeners {
  readonly #listeners = new Set<() => void>()

  /** Adds a listener; returns the function that removes it. */
  readonly onChange = (listener: () => void): (() => void) => {
    // A listener that was added twice is two listeners: each stops on its own.
    const own = () => listener()
    this.#listeners.add(own)
    return () => this.#listeners.delete(own)
  }

  tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
