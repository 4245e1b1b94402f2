import type { Divergence, Labels, Pointer } from '#releases'
import { wantedRelease } from '#releases'
import { boundedProblems, type InstanceState, type ReleaseProblem } from './instance-status.ts'

/** What this instance should serve, what it serves, and why it does not. */
export class FleetState {
  readonly #labels: Labels
  readonly #clock: { now(): number }
  readonly #changed: () => void
  #pointer: Pointer | null | undefined = undefined
  #divergence: Divergence | null = null
  #served: number | null = null
  #problems: readonly ReleaseProblem[] = []
  #rival: string | null = null
  #since: number
  #described = ''

  constructor(labels: Labels, clock: { now(): number }, changed: () => void) {
    this.#labels = labels
    this.#clock = clock
    this.#changed = changed
    this.#since = clock.now()
  }

  /** Null where the store has no release, undefined while that is not known. */
  get pointer(): Pointer | null | undefined {
    return this.#pointer
  }

  get divergence(): Divergence | null {
    return this.#divergence
  }

  /** The release that this instance should serve; null while that is not known, or undecided. */
  get wanted(): number | null {
    if (this.#divergence !== null || this.#pointer === undefined || this.#pointer === null) return null
    return wantedRelease(this.#pointer, this.#labels)
  }

  /** The last release of which every file is served. */
  get served(): number | null {
    return this.#served
  }

  get problems(): readonly ReleaseProblem[] {
    const { reason } = this.#divergence ?? {}
    const rival = this.#rival === null ? [] : [{ file: '', message: rivalProblem(this.#rival) }]
    return [...rival, ...(reason === undefined ? [] : [{ file: '', message: reason }]), ...this.#problems]
  }

  /** Whether another living gateway has the id of this one. */
  get hasRival(): boolean {
    return this.#rival !== null
  }

  get since(): number {
    return this.#since
  }

  get state(): InstanceState {
    if (this.problems.length > 0) return 'failing'
    // A store that is not reachable leaves the instance with what it serves.
    return this.wanted === null || this.wanted === this.#served ? 'current' : 'behind'
  }

  storeHas(pointer: Pointer | null, divergence: Divergence | null): void {
    this.#pointer = pointer
    this.#divergence = divergence
    this.#note()
  }

  /** Another living gateway has the id of this one, and serves traffic at an address; null: no longer. */
  rivalIs(address: string | null): void {
    this.#rival = address
    this.#note()
  }

  /** A release is served, except the files of the problems. */
  serves(release: number | null, problems: readonly ReleaseProblem[]): void {
    if (problems.length === 0) this.#served = release
    this.#problems = boundedProblems(problems)
    this.#note()
  }

  /** A release can not be served; the one before it is. */
  fails(problems: readonly ReleaseProblem[]): void {
    this.#problems = boundedProblems(problems)
    this.#note()
  }

  #note(): void {
    const described = JSON.stringify([this.wanted, this.#served, this.state, this.problems])
    if (described === this.#described) return
    this.#described = described
    this.#since = this.#clock.now()
    this.#changed()
  }
}

function rivalProblem(address: string): string {
  const place = address === '' ? '' : ` at ${address}`
  return `another gateway${place} has the same instanceId, and overwrites this record; give each its own in admin.json`
}
