import { digestOf } from './token-tags.ts'

/** Tokens in each generation, and the longest one that is remembered. */
const MAX_TOKENS = 1_000
const MAX_LENGTH = 4_096

/**
 * Digests of the tokens of recent requests: SHA-256 of a JWT costs more than the rest of a cache hit. Tokens are remembered for
 * one to two intervals of `forget`, in two generations, so that a token in use is not forgotten.
 */
export class RecentDigests {
  #recent = new Map<string, string>()
  #older = new Map<string, string>()

  get size(): number {
    return this.#recent.size + this.#older.size
  }

  has(token: string): boolean {
    return this.#recent.has(token) || this.#older.has(token)
  }

  of(token: string): string {
    const known = this.#recent.get(token)
    if (known !== undefined) return known
    const digest = this.#older.get(token) ?? digestOf(token)
    if (token.length > MAX_LENGTH) return digest
    if (this.#recent.size >= MAX_TOKENS) this.forget()
    this.#recent.set(token, digest)
    return digest
  }

  /** Forgets the tokens that were not used since the last call; call it periodically. */
  forget(): void {
    this.#older = this.#recent
    this.#recent = new Map()
  }
}
