/** A path prefix and its replacement; the root is an empty text. */
export interface Mapping {
  readonly from: string
  readonly to: string
}

/** Path prefixes and their replacements, matched by whole segments in both directions. */
export class PathMap {
  readonly #byFrom = new Map<string, Mapping>()
  readonly #byTo = new Map<string, Mapping>()

  /** Of two mappings to the same path, the first is used for responses, unless the other was used for the request. */
  constructor(mappings: Iterable<Mapping>) {
    for (const mapping of mappings) {
      this.#byFrom.set(mapping.from, mapping)
      if (!this.#byTo.has(mapping.to)) this.#byTo.set(mapping.to, mapping)
    }
  }

  /** The mapping with the longest `from` that is a prefix of a path. */
  forward(path: string): Mapping | null {
    return longest(this.#byFrom, path)
  }

  /** The mapping whose `to` is a prefix of a path; `served` is the one used for the request. */
  back(path: string, served: Mapping | null): Mapping | null {
    const found = longest(this.#byTo, path)
    return found !== null && found.to === served?.to ? served : found
  }
}

/** One lookup for each segment: the cost does not depend on the number of mappings. */
function longest(mappings: ReadonlyMap<string, Mapping>, path: string): Mapping | null {
  for (let end = path.length; ; end = path.lastIndexOf('/', end - 1)) {
    const found = mappings.get(path.slice(0, end))
    if (found !== undefined) return found
    if (end <= 0) return null
  }
}
