import type { JSONPath } from 'jsonc-parser'
import { isObject, pointerOf } from './canvas-model.ts'
import { exactValue, isExactNumber } from './exact-values.ts'
import { treeOfAny } from './route-document.ts'

/** A difference between two routes. */
export interface StructureChange {
  readonly kind: 'added' | 'removed' | 'changed' | 'moved'
  /** JSON pointer in the later route; of what was removed, in the earlier one. */
  readonly pointer: string
  /** The object that was added, removed or moved, or whose field has changed; null for a field of the route itself. */
  readonly object: string | null
  /** Pointer of what was moved in the earlier route. */
  readonly from?: string
  /** Values of a changed field; undefined where it did not exist. */
  readonly before?: unknown
  readonly after?: unknown
}

/** A value that one of the routes has. */
interface Located {
  readonly value: unknown
  readonly path: JSONPath
  readonly owner: string | null
}

/** Pairs of removed and added values that are compared; beyond, none of them is found to have moved. */
const MAX_PAIRS = 2_500

/** Differences of two routes as objects and fields; null where one of the texts is not an object of JSON. */
export function structureDiff(before: string, after: string): readonly StructureChange[] | null {
  const [left, right] = [routeOf(before), routeOf(after)]
  if (!isObject(left) || !isObject(right)) return null
  const comparison = new Comparison()
  comparison.compare(left, right, [], [], null)
  return comparison.changes()
}

function routeOf(text: string): unknown {
  const tree = treeOfAny(text)
  return tree === null ? null : exactValue(text, tree)
}

class Comparison {
  readonly #changes: StructureChange[] = []
  readonly #removed: Located[] = []
  readonly #added: Located[] = []

  /** Values that were removed in one place and added in another one are moved. */
  changes(): readonly StructureChange[] {
    while (this.#removed.length * this.#added.length <= MAX_PAIRS) {
      const pair = this.#movedPair()
      if (pair === null) break
      const [from, to] = pair
      this.#moved(from, to)
      this.compare(from.value, to.value, from.path, to.path, labelOf(to.value))
    }
    const report = (kind: 'added' | 'removed', { value, path, owner }: Located) => {
      const object = labelOf(value)
      const field = kind === 'added' ? { after: value } : { before: value }
      this.#changes.push({ kind, pointer: pointerOf(path), object: object ?? owner, ...(object === null ? field : {}) })
    }
    for (const one of this.#removed) report('removed', one)
    for (const one of this.#added) report('added', one)
    return this.#changes.toSorted((left, right) => compareText(left.pointer, right.pointer))
  }

  compare(left: unknown, right: unknown, from: JSONPath, to: JSONPath, owner: string | null): void {
    if (isSame(left, right)) return
    if (Array.isArray(left) && Array.isArray(right)) {
      this.#lists(left, right, from, to, owner)
      return
    }
    if (!isObject(left) || !isObject(right)) {
      if (labelOf(left) === null && labelOf(right) === null) {
        this.#changes.push({ kind: 'changed', pointer: pointerOf(to), object: owner, before: left, after: right })
        return
      }
    } else if (left['type'] === right['type'] || !(isDeclared(left) || isDeclared(right))) {
      const around = labelOf(right) ?? owner
      for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
        const [earlier, later] = [
          [...from, name],
          [...to, name],
        ]
        if (!Object.hasOwn(right, name)) this.#removed.push({ value: left[name], path: earlier, owner: around })
        else if (!Object.hasOwn(left, name)) this.#added.push({ value: right[name], path: later, owner: around })
        else this.compare(left[name], right[name], earlier, later, around)
      }
      return
    }
    this.#removed.push({ value: left, path: from, owner })
    this.#added.push({ value: right, path: to, owner })
  }

  /** Elements of lists of objects and names are the same by name, or else by type; those out of order have moved. */
  #lists(
    left: readonly unknown[],
    right: readonly unknown[],
    from: JSONPath,
    to: JSONPath,
    owner: string | null,
  ): void {
    const isOfObjects = [...left, ...right].every((item) => isDeclared(item) || typeof item === 'string')
    if (!isOfObjects && left.length === right.length) {
      for (const [at, item] of left.entries()) this.compare(item, right[at], [...from, at], [...to, at], owner)
      return
    }
    if (!isOfObjects || ![...left, ...right].some(isDeclared)) {
      this.#changes.push({ kind: 'changed', pointer: pointerOf(to), object: owner, before: left, after: right })
      return
    }
    const [earlier, later] = [indexes(left), indexes(right)]
    const kept = new Set(
      longestIncreasing([...later.keys()].map((identity) => earlier.get(identity) ?? -1).filter((at) => at >= 0)),
    )
    for (const [identity, at] of earlier) {
      if (!later.has(identity)) this.#removed.push({ value: left[at], path: [...from, at], owner })
    }
    for (const [identity, at] of later) {
      const origin = earlier.get(identity) ?? -1
      const [start, end] = [
        [...from, origin],
        [...to, at],
      ]
      if (origin === -1) {
        this.#added.push({ value: right[at], path: end, owner })
        continue
      }
      if (!kept.has(origin)) this.#moved({ value: left[origin], path: start }, { value: right[at], path: end })
      this.compare(left[origin], right[at], start, end, owner)
    }
  }

  #moved(from: Pick<Located, 'value' | 'path'>, to: Pick<Located, 'value' | 'path'>): void {
    const object = labelOf(to.value)
    this.#changes.push({ kind: 'moved', pointer: pointerOf(to.path), object, from: pointerOf(from.path) })
  }

  /** Takes an object that is among the removed and the added values, or inside one of them, out of both. */
  #movedPair(): [Located, Located] | null {
    for (const [index, removed] of this.#removed.entries()) {
      for (const [at, added] of this.#added.entries()) {
        const insideRemoved = isDeclared(added.value) ? objectIn(removed, added.value) : null
        const insideAdded = isDeclared(removed.value) ? objectIn(added, removed.value) : null
        if (insideRemoved === null && insideAdded === null) continue
        const [from, to] = insideAdded === null ? [insideRemoved as Located, added] : [removed, insideAdded]
        // The outer value of the two stays listed.
        if (from === removed) this.#removed.splice(index, 1)
        if (to === added) this.#added.splice(at, 1)
        return [from, to]
      }
    }
    return null
  }
}

/** An object in a value, the value itself included, that is another object by name, or by content where it has no name. */
function objectIn(outer: Located, sought: unknown): Located | null {
  if (isDeclared(outer.value) && isSameObject(outer.value, sought)) return outer
  if (typeof outer.value !== 'object' || outer.value === null) return null
  for (const [key, value] of Object.entries(outer.value)) {
    const path = [...outer.path, Array.isArray(outer.value) ? Number(key) : key]
    const found = objectIn({ value, path, owner: outer.owner }, sought)
    if (found !== null) return found
  }
  return null
}

function isSameObject(left: unknown, right: unknown): boolean {
  if (!isObject(left) || !isObject(right) || left['type'] !== right['type']) return false
  return typeof left['name'] === 'string' ? left['name'] === right['name'] : isSame(left, right)
}

function isDeclared(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && typeof value['type'] === 'string'
}

/** An object by type and name; null for a value that is none. */
function labelOf(value: unknown): string | null {
  if (!isDeclared(value)) return null
  return typeof value['name'] === 'string' ? `${value['type']} "${value['name']}"` : String(value['type'])
}

/** Indexes by a text for each element: the same in another list means the same element. */
function indexes(list: readonly unknown[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  return new Map(
    list.map((item, at) => {
      const base = typeof item === 'string' ? `name ${item}` : (labelOf(item) ?? JSON.stringify(item))
      const count = (counts.get(base) ?? 0) + 1
      counts.set(base, count)
      return [`${base} ${count}`, at]
    }),
  )
}

/** A longest increasing subsequence of different numbers, by patience sorting: the elements that stay in order. */
function longestIncreasing(values: readonly number[]): readonly number[] {
  /** The smallest end of a run of each length. */
  const ends: number[] = []
  const previous = new Map<number, number | undefined>()
  for (const value of values) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] as number) < value) low = middle + 1
      else high = middle
    }
    ends[low] = value
    previous.set(value, ends[low - 1])
  }
  const longest: number[] = []
  for (let value = ends.at(-1); value !== undefined; value = previous.get(value)) longest.unshift(value)
  return longest
}

function isSame(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (Array.isArray(left) || Array.isArray(right)) {
    const isEach = Array.isArray(left) && Array.isArray(right) && left.length === right.length
    return isEach && left.every((item, at) => isSame(item, right[at]))
  }
  if (isExactNumber(left) && isExactNumber(right)) return left.rawJSON === right.rawJSON
  if (!isObject(left) || !isObject(right)) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]))
  )
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
