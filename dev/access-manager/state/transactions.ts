import { randomUUID } from 'node:crypto'
import type { Clock } from '#schema'
import { BoundedMap } from './bounded-map.ts'

const LIFETIME = 180_000
const MOST = 10_000

interface Transaction {
  /** Audit id of the session that has to approve it. */
  readonly sessionUid: string
  readonly resource: string
  readonly endsAt: number
  approved: boolean
}

/** Approvals, each for one request. */
export class Transactions {
  readonly #clock: Clock
  readonly #transactions = new BoundedMap<string, Transaction>(MOST)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Begins a transaction; returns its id. */
  begin(sessionUid: string, resource: string): string {
    const id = randomUUID()
    this.#transactions.set(id, { sessionUid, resource, endsAt: this.#clock.now() + LIFETIME, approved: false })
    return id
  }

  /** Approves a pending transaction of this session. */
  approve(id: string, sessionUid: string): boolean {
    const found = this.#living(id)
    if (found === undefined || found.sessionUid !== sessionUid) return false
    found.approved = true
    return true
  }

  /** Uses up an approval; false without one for this session and resource. */
  use(id: string, sessionUid: string, resource: string): boolean {
    const found = this.#living(id)
    if (found === undefined || !found.approved) return false
    if (found.sessionUid !== sessionUid || found.resource !== resource) return false
    return this.#transactions.delete(id)
  }

  #living(id: string): Transaction | undefined {
    const found = this.#transactions.get(id)
    return found !== undefined && found.endsAt > this.#clock.now() ? found : undefined
  }
}
