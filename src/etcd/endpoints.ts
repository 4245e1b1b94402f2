/** The endpoints of a cluster, and the one that is used until it fails. */
export class Endpoints {
  readonly #origins: readonly string[]
  #current: number

  /** Begins with a random endpoint, so that many clients spread over the members. */
  constructor(origins: readonly string[], random: () => number) {
    this.#origins = origins
    this.#current = Math.min(origins.length - 1, Math.floor(random() * origins.length))
  }

  get count(): number {
    return this.#origins.length
  }

  get current(): string {
    return this.#origins[this.#current]!
  }

  /** All endpoints, the one in use first. */
  inOrder(): string[] {
    return [...this.#origins.slice(this.#current), ...this.#origins.slice(0, this.#current)]
  }

  /** The next one is used, unless another caller has moved on already. */
  failed(origin: string): void {
    if (origin === this.current) this.#current = (this.#current + 1) % this.#origins.length
  }

  answered(origin: string): void {
    const index = this.#origins.indexOf(origin)
    if (index >= 0) this.#current = index
  }
}
