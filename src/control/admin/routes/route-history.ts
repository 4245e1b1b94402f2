import type { JsonObject } from '#json'

/** A version of a route that another one has replaced. */
export interface RouteVersion {
  readonly revision: string
  readonly content: JsonObject
  /** When it was replaced or deleted, as ISO text. */
  readonly replacedAt: string
}

const VERSIONS = 10
const ROUTES = 1_000

/** The last versions of routes that were changed over the management API, the newest first. Kept in memory. */
export class RouteHistory {
  readonly #versions = new Map<string, readonly RouteVersion[]>()

  /** Keeps what was replaced. */
  keep(id: string, version: RouteVersion): void {
    const older = this.versions(id).filter(({ revision }) => revision !== version.revision)
    this.#versions.delete(id)
    this.#versions.set(id, [version, ...older].slice(0, VERSIONS))
    // Routes come in the order of their last change: the one that changed longest ago gives way.
    for (const oldest of this.#versions.keys()) {
      if (this.#versions.size <= ROUTES) break
      this.#versions.delete(oldest)
    }
  }

  versions(id: string): readonly RouteVersion[] {
    return this.#versions.get(id) ?? []
  }

  find(id: string, revision: string): RouteVersion | null {
    return this.versions(id).find((version) => version.revision === revision) ?? null
  }
}
