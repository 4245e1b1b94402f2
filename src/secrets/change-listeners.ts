/** Those who want to know that secrets have changed. */
export class ChangeListeners {
  readonly #listeners = new Set<() => void>()

  /** Adds a listener; gives the way to stop listening. */
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
