/** One path prefix and what stands in its place; the root is an empty text. */
export interface Mapping {
  readonly from: string
  readonly to: string
}

/** Path prefixes and their replacements, found by whole segments in both directions. */
export class PathMap {
  readonly #byFrom = new Map<string, Mapping>()
  readonly #byTo = new Map<string, Mapping>()

  /** Of two mappings to one path, the first is used on the way back unless the other served the request. */
  constructor(mappings: Iterable<Mapping>) {
    for (const mapping of mappings) {
      this.#byFrom.set(mapping.from, mapping)
      if (!this.#byTo.has(mapping.to)) this.#byTo.set(mapping.to, mapping)
    }
  }

  /** The mapping with the longest `from` that a path starts with. */
  forward(path: string): Mapping | null {
    return longest(this.#byFrom, path)
  }

  /** The mapping whose `to` a path starts with; `served` is the one that the request took. */
  back(path: string, served: Mapping | null): Mapping | null {
    const found = longest(this.#byTo, path)
    return found !== null && found.to === served?.to ? served : found
  }
}

/** Looks up one prefix for each segment, so that many mappings cost no more than few. */
function longest(mappings: ReadonlyMap<string, Mapping>, path: string): Mapping | null {
  for (let end = path.length; ; end = path.lastIndexOf('/', end - 1)) {
    const found = mappings.get(path.slice(0, end))
    if (found !== undefined) return found
    if (end <= 0) return null
  }
}
