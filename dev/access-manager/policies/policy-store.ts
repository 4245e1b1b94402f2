import { DEFAULT_POLICY_SET, type Policy } from './policy.ts'
import { compilePattern, type ResourceMatcher } from './resource-pattern.ts'

/** Event type of a policy in notifications. */
export type PolicyEvent = 'CREATE' | 'UPDATE' | 'DELETE'

/** A policy with compiled resource patterns. */
export interface CompiledPolicy {
  readonly policy: Policy
  readonly matches: ResourceMatcher
}

const MOST = 1_000

/** The policy sets of one realm, with their policies. */
export class PolicyStore {
  readonly #sets = new Set([DEFAULT_POLICY_SET])
  readonly #policies = new Map<string, CompiledPolicy>()
  readonly #changed: (policy: Policy, event: PolicyEvent) => void

  constructor(changed: (policy: Policy, event: PolicyEvent) => void) {
    this.#changed = changed
  }

  get sets(): ReadonlySet<string> {
    return this.#sets
  }

  get(name: string): Policy | undefined {
    return this.#policies.get(name)?.policy
  }

  list(): Policy[] {
    return [...this.#policies.values()].map(({ policy }) => policy)
  }

  /** The active policies of a set. */
  inForce(set: string): CompiledPolicy[] {
    return [...this.#policies.values()].filter(({ policy }) => policy.active !== false && setOf(policy) === set)
  }

  addSet(name: string): void {
    if (this.#sets.size >= MOST) throw new Error(`more than ${MOST} policy sets`)
    this.#sets.add(name)
  }

  /** Removes a set with its policies; false if it does not exist, or for the default set. */
  removeSet(name: string): boolean {
    if (name === DEFAULT_POLICY_SET || !this.#sets.delete(name)) return false
    for (const policy of this.list()) if (setOf(policy) === name) this.remove(policy.name)
    return true
  }

  put(policy: Policy): void {
    const event = this.#policies.has(policy.name) ? 'UPDATE' : 'CREATE'
    if (event === 'CREATE' && this.#policies.size >= MOST) throw new Error(`more than ${MOST} policies`)
    const matchers = policy.resources.map(compilePattern)
    this.#policies.set(policy.name, { policy, matches: (resource) => matchers.some((matches) => matches(resource)) })
    this.#changed(policy, event)
  }

  remove(name: string): boolean {
    const known = this.#policies.get(name)
    if (known === undefined) return false
    this.#policies.delete(name)
    this.#changed(known.policy, 'DELETE')
    return true
  }
}

/** The policy set of a policy. */
export function setOf({ applicationName }: Policy): string {
  return applicationName ?? DEFAULT_POLICY_SET
}
