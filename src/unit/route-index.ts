import type { ConditionFacts } from '#expression'

/** Something that is tried in order, unless its facts rule it out. */
interface Indexed {
  readonly facts: ConditionFacts | null
}

/**
 * Finds which of many ordered candidates can match a path, so that ten thousand routes cost about as much as ten.
 * It only leaves out what can not match: the order, and who wins, stay exactly those of trying one after the other.
 */
export class RouteIndex<T extends Indexed> {
  readonly #items: readonly T[]
  /** Positions of those that nothing is known of. */
  readonly #anywhere: number[] = []
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
      } else this.#anywhere.push(position)
    }
    this.#prefixLengths = [...lengths].sort((a, b) => a - b)
  }

  at(position: number): T {
    return this.#items[position] as T
  }

  /** Positions of the candidates for a path, ascending. */
  positions(path: string): readonly number[] {
    const lists: (readonly number[])[] = this.#anywhere.length > 0 ? [this.#anywhere] : []
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
