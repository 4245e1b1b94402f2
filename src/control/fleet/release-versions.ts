import { type Divergence, type Labels, type Pointer, wantedRelease } from '#releases'
import type { CopiedRelease } from './copied-release.ts'
import { boundedProblems, type InstanceState, type ReleaseProblem } from './instance-status.ts'

/** Input of the versions of an instance. */
interface VersionsInput {
  readonly labels: Labels
  readonly clock: { now(): number }
  /** The release that is complete on disk. */
  stored(): CopiedRelease | null
  changed(): void
}

/**
 * The three versions of an instance: the release that it should serve, by the pointer of the store; the one that is complete on its disk; and
 * the one that its units run. With the problems for which they differ.
 */
export class ReleaseVersions {
  readonly #input: VersionsInput
  #pointer: Pointer | null | undefined = undefined
  #divergence: Divergence | null = null
  /** An own write that the store has not shown yet. */
  #unconfirmed = 0
  #running: CopiedRelease | null = null
  #served: number | null = null
  #problems: readonly ReleaseProblem[] = []
  #failure: readonly ReleaseProblem[] = []
  #rival: string | null = null
  #since: number
  #described = ''

  constructor(input: VersionsInput) {
    this.#input = input
    this.#since = input.clock.now()
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
    return wantedRelease(this.#pointer, this.#input.labels)
  }

  /** Whether the files of the instance are to be served, since the store has no release. */
  get wantsLocalFiles(): boolean {
    return this.#pointer === null && this.#divergence === null
  }

  /** The release that is complete on disk; units may not run it. */
  get stored(): CopiedRelease | null {
    return this.#input.stored()
  }

  /** The release that units run; null for the files of the instance. */
  get running(): CopiedRelease | null {
    return this.#running
  }

  /** The last release of which every file is served. */
  get served(): number | null {
    return this.#served
  }

  get problems(): readonly ReleaseProblem[] {
    const { reason } = this.#divergence ?? {}
    const rival = this.#rival === null ? [] : [{ file: '', message: rivalProblem(this.#rival) }]
    const divergence = reason === undefined ? [] : [{ file: '', message: reason }]
    return boundedProblems([...rival, ...divergence, ...this.#failure, ...this.#problems])
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
    this.#divergence = divergence
    // A pointer that was read before an own write is not followed.
    const isOlder = divergence === null && pointer !== null && pointer.last < this.#unconfirmed
    if (!isOlder) {
      this.#pointer = pointer
      this.#unconfirmed = 0
    }
    this.#note()
  }

  /** This instance has made the current release of the store. */
  wrote(release: number): void {
    if (this.#pointer && this.#pointer.last < release) {
      this.#pointer = { ...this.#pointer, release, last: release, staged: null }
      this.#unconfirmed = release
    }
    this.#note()
  }

  /** The store is the truth, also where it has a lower number than this instance. */
  forceSync(pointer: Pointer | null): void {
    this.#unconfirmed = 0
    this.storeHas(pointer, null)
  }

  /** Another living gateway has the id of this one, and serves traffic at an address; null: no longer. */
  rivalIs(address: string | null): void {
    this.#rival = address
    this.#note()
  }

  /** Units run a release, except the files of the problems; null for the files of the instance. */
  runs(release: CopiedRelease | null, problems: readonly ReleaseProblem[]): void {
    this.#running = release
    if (problems.length === 0) this.#served = release?.release ?? null
    this.#problems = problems
    this.#note()
  }

  /** Why the versions differ; empty where they do not any more. */
  fails(problems: readonly ReleaseProblem[]): void {
    this.#failure = problems
    this.#note()
  }

  #note(): void {
    const described = JSON.stringify([this.wanted, this.#served, this.state, this.problems])
    if (described === this.#described) return
    this.#described = described
    this.#since = this.#input.clock.now()
    this.#input.changed()
  }
}

function rivalProblem(address: string): string {
  const place = address === '' ? '' : ` at ${address}`
  return `another gateway${place} has the same instanceId, and overwrites this record; give each its own in admin.json`
}
