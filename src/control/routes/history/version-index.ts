import type { VersionHead } from './version-file.ts'

/** Limits of the history. */
export interface HistoryLimits {
  /** Versions of one route. */
  readonly versions: number
  /** Versions of all routes together. */
  readonly files: number
  /** Total length of the texts of all versions. */
  readonly bytes: number
}

/** A version in the history. */
export interface StoredVersion {
  readonly head: VersionHead
  /** The name of its file. */
  readonly name: string
  readonly sequence: number
  /** The text of the route; null once it is on disk. */
  text: string | null
}

/** Index of the versions within the limits; the oldest are evicted. */
export class VersionIndex {
  readonly #limits: HistoryLimits
  /** All versions, the oldest first. */
  readonly #all = new Set<StoredVersion>()
  /** Versions of each route, the newest first; by folder, then by id. */
  readonly #routes = new Map<string, Map<string, readonly StoredVersion[]>>()
  #bytes = 0

  constructor(limits: HistoryLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#all.size
  }

  get bytes(): number {
    return this.#bytes
  }

  has(version: StoredVersion): boolean {
    return this.#all.has(version)
  }

  /** The versions of a route, the newest first. */
  versions(folder: string, id: string): readonly StoredVersion[] {
    return this.#routes.get(folder)?.get(id) ?? []
  }

  /** Ids of the routes of a folder that have versions. */
  ids(folder: string): Iterable<string> {
    return this.#routes.get(folder)?.keys() ?? []
  }

  /** Adds a version that is newer than all others; returns the evicted ones. */
  add(version: StoredVersion): readonly StoredVersion[] {
    const { folder, id, bytes } = version.head
    const older = this.versions(folder, id)
    this.#all.add(version)
    this.#bytes += bytes
    this.#setRoute(folder, id, [version, ...older])
    const again = older.filter((other) => isSameText(other, version))
    const gone = [...again, ...older.filter((other) => !again.includes(other)).slice(this.#limits.versions - 1)]
    for (const one of gone) this.remove(one)
    for (const oldest of this.#all) {
      if (this.#all.size <= this.#limits.files && this.#bytes <= this.#limits.bytes) break
      if (oldest === version) break
      this.remove(oldest)
      gone.push(oldest)
    }
    return gone
  }

  remove(version: StoredVersion): void {
    if (!this.#all.delete(version)) return
    const { folder, id, bytes } = version.head
    this.#bytes -= bytes
    this.#setRoute(
      folder,
      id,
      this.versions(folder, id).filter((other) => other !== version),
    )
  }

  #setRoute(folder: string, id: string, versions: readonly StoredVersion[]): void {
    const routes = this.#routes.get(folder) ?? new Map<string, readonly StoredVersion[]>()
    if (versions.length > 0) routes.set(id, versions)
    else routes.delete(id)
    if (routes.size > 0) this.#routes.set(folder, routes)
    else this.#routes.delete(folder)
  }
}

/** Texts of one content may differ in comments; those of earlier releases are known by their content only. */
function isSameText({ head: one }: StoredVersion, { head: other }: StoredVersion): boolean {
  if (one.revision !== other.revision) return false
  return one.sourceRevision === null || one.sourceRevision === other.sourceRevision
}
