import { compileRegex, type Matcher } from '@identity-gateway/regex'
import { isPlainObject, type JsonObject } from '#json'
import type { Logger } from '#logging'
import { Secret, type SharedStore } from '#schema'
import { EVENTS } from '../log-events.ts'

/** A share as it is stored. */
export interface Share {
  readonly id: string
  /** The pattern of its paths, as the resource owner has sent it. */
  readonly path: string
  readonly pattern: Matcher
  readonly pat: Secret
  readonly resourceId: string
  readonly policyUri: string | null
}

/** Members of a stored share. */
interface StoredShare {
  readonly path: string
  readonly pat: string
  readonly resourceId: string
  readonly policyUri: string | null
}

/** The shares of one service in all units, until the gateway ends. */
export class UmaShares {
  readonly #store: SharedStore
  readonly #key: string
  /** Counts the changes of all units: without one, the shares of the last read are used. */
  readonly #changes: Int32Array
  readonly #logger: Logger
  #read: { readonly changes: number; readonly shares: readonly Share[] } | null = null

  constructor(store: SharedStore, key: string, memory: SharedArrayBuffer, logger: Logger) {
    this.#store = store
    this.#key = key
    this.#changes = new Int32Array(memory)
    this.#logger = logger
  }

  static readonly BYTES = Int32Array.BYTES_PER_ELEMENT

  /** Those with the longest pattern first. */
  async all(): Promise<readonly Share[]> {
    const changes = Atomics.load(this.#changes, 0)
    if (this.#read?.changes === changes) return this.#read.shares
    const record = (await this.#store.get(this.#key)) ?? {}
    const shares = Object.entries(record).flatMap(([id, stored]) => shareOf(id, stored))
    shares.sort((a, b) => b.path.length - a.path.length || (a.id < b.id ? -1 : 1))
    this.#read = { changes, shares }
    return shares
  }

  async matching(path: string): Promise<Share | null> {
    return (await this.all()).find((share) => this.#matches(share, path)) ?? null
  }

  async add(id: string, share: StoredShare): Promise<void> {
    await this.#store.update(this.#key, { set: { [id]: { ...share } } }, Number.POSITIVE_INFINITY)
    Atomics.add(this.#changes, 0, 1)
  }

  async remove(id: string): Promise<void> {
    await this.#store.update(this.#key, { remove: [id] }, Number.POSITIVE_INFINITY)
    Atomics.add(this.#changes, 0, 1)
  }

  /** The pattern is that of a resource owner: one that takes too many steps matches nothing, and the path is not shared. */
  #matches({ id, pattern }: Share, path: string): boolean {
    try {
      return pattern.matchWhole(path) !== null
    } catch (error) {
      this.#logger.limited(id).warn({ share: id, reason: (error as Error).message }, EVENTS.SHARE_NOT_MATCHED)
      return false
    }
  }
}

function shareOf(id: string, stored: unknown): Share[] {
  if (!isPlainObject(stored)) return []
  const { path, pat, resourceId, policyUri } = stored as JsonObject & StoredShare
  const secret = new Secret({ secretId: 'uma.pat', bytes: Buffer.from(pat, 'utf8') })
  return [{ id, path, pattern: compileRegex(path), pat: secret, resourceId, policyUri }]
}
