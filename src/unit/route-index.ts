import type { ConditionFacts } from '#expression'

/** A candidate; its facts are necessary conditions on the path. */
interface Indexed {
  readonly facts: ConditionFacts | null
}

/**
 * Index of ordered candidates by path: ten thousand routes cost about as much as ten. It excludes only candidates that
 * can not match; the first match is that of a linear search.
 */
export class RouteIndex<T extends Indexed> {
  readonly #items: readonly T[]
  /** Positions of candidates without facts. */
  readonly #anyPath: number[] = []
  readonly #byPath = new Map<string, number[]>()
  readonly #byPrefix = new Map<string, number[]>()
  readonly #prefixLengths: readonly number[]

  constructor(items: readonly T[]) {
    this.#items = items
    const lengths = new Set<number>()
    for (const [position, { facts }] of items.entries()) {
      if (facts?.pathEquals !== undefined) push(this.#byPath, facts.pathEquals, position)
      else if (facts?.pathPrefix !== undefined && facts.pathPrefix !== '') {
        push(this.#byPrefix, facts.pathPrefix, position)
        lengths.add(facts.pathPrefix.length)
      } else this.#anyPath.push(position)
    }
    this.#prefixLengths = [...lengths].sort((a, b) => a - b)
  }

  at(position: number): T {
    return this.#items[position] as T
  }

  /** Positions of the candidates for a path, ascending. */
  positions(path: string): readonly number[] {
    const lists: (readonly number[])[] = this.#anyPath.length > 0 ? [this.#anyPath] : []
    const exact = this.#byPath.get(path)
    if (exact !== undefined) lists.push(exact)
    for (const length of this.#prefixLengths) {
      if (length > path.length) break
      const found = this.#byPrefix.get(path.slice(0, length))
      if (found !== undefined) lists.push(found)
    }
    const [only] = lists
    if (only === undefined) return []
    return lists.length === 1 ? only : merged(lists)
  }
}

function push(map: Map<string, number[]>, key: string, position: number): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [position])
  else list.push(position)
}

function merged(lists: readonly (readonly number[])[]): number[] {
  return lists.flat().sort((a, b) => a - b)
}
