import type { Policy } from './policy.ts'
import { type PolicyEvent, PolicyStore } from './policy-store.ts'

/** The policies of every realm. */
export class RealmPolicies {
  readonly #stores = new Map<string, PolicyStore>()
  readonly #changed: (realm: string, policy: Policy, event: PolicyEvent) => void

  constructor(changed: (realm: string, policy: Policy, event: PolicyEvent) => void) {
    this.#changed = changed
  }

  /** The policies of a realm; the caller has checked that it exists. */
  readonly of = (realm: string): PolicyStore => {
    const known = this.#stores.get(realm)
    if (known !== undefined) return known
    const store = new PolicyStore((policy, event) => this.#changed(realm, policy, event))
    this.#stores.set(realm, store)
    return store
  }
}
