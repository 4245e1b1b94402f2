import { findNodeAtLocation, type JSONPath } from 'jsonc-parser'
import { isObject } from './canvas-model.ts'
import { type ChainRole, indexInOrder } from './chain-order.ts'
import { exactValue } from './exact-values.ts'
import { treeOf, withElement, withValue } from './route-document.ts'
import { sourceAt, withSource } from './value-source.ts'

/** A value at a path, with exact numbers; undefined where there is none. */
export function valueAt(text: string, path: JSONPath): unknown {
  const tree = treeOf(text)
  const node = tree === null ? undefined : findNodeAtLocation(tree, path)
  return node === undefined ? undefined : exactValue(text, node)
}

/** Removes an object: an element of a list, or the object of a field. */
export function removed(text: string, path: JSONPath): string {
  return withValue(text, path, undefined)
}

/** Removes several objects: the last first, so that the paths of the others stay valid. */
export function removedAll(text: string, paths: readonly JSONPath[]): string {
  return outermost(paths).toSorted(comparePaths).reduceRight(removed, text)
}

/** Paths without those inside another one of them. */
export function outermost(paths: readonly JSONPath[]): readonly JSONPath[] {
  const isInside = (path: JSONPath, other: JSONPath) =>
    path.length > other.length && other.every((step, index) => step === path[index])
  return paths.filter((path) => !paths.some((other) => isInside(path, other)))
}

/** Order in a list by number; objects of different lists in any order, but always the same. */
export function comparePaths(left: JSONPath, right: JSONPath): number {
  for (const [index, step] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 1
    if (step === other) continue
    return typeof step === 'number' && typeof other === 'number' ? step - other : String(step) < String(other) ? -1 : 1
  }
  return left.length - right.length
}

/** An object declared in place, or the name of one. */
export type ObjectValue = object | string

/**
 * Inserts an object where its kind fits: as a filter after the selected object, or nearest to that where its type works, as handler
 * in its place, else in the heap.
 */
export function inserted(
  text: string,
  kind: string | null,
  value: ObjectValue,
  selected: JSONPath | null,
  roles: readonly ChainRole[] = [],
): string {
  if (kind === 'Filter') return withFilter(text, value, selected, roles)
  if (kind === 'Handler') return withHandler(text, value, selected)
  return withHeapObject(text, value)
}

function withFilter(text: string, value: ObjectValue, selected: JSONPath | null, roles: readonly ChainRole[]): string {
  const within = (list: JSONPath, wanted: number): string => {
    const filters = valueAt(text, list)
    const type = isObject(value) ? String(value['type']) : ''
    const order = { heap: valueAt(text, ['heap']), roles }
    return withElement(text, [...list, indexInOrder(type, filters as readonly unknown[], wanted, order)], value)
  }
  const place = selected === null ? null : filterListOf(text, selected)
  if (place !== null) return within(place.slice(0, -1), place.at(-1) as number)
  const handler = valueAt(text, ['handler'])
  if (isObject(handler) && handler['type'] === 'Chain') {
    const filters = valueAt(text, ['handler', 'config', 'filters'])
    if (Array.isArray(filters)) return within(['handler', 'config', 'filters'], filters.length)
    return withValue(text, ['handler', 'config', 'filters'], [value])
  }
  return withChain(text, ['handler'], value)
}

/** Puts a Chain with one filter around a handler, whose text stays as it is. */
export function withChain(text: string, path: JSONPath, filter: ObjectValue): string {
  const chain = { type: 'Chain', config: { filters: [filter], handler: 'ReverseProxyHandler' } }
  const chained = withValue(text, path, chain)
  return valueAt(text, path) === undefined
    ? chained
    : withSource(chained, [...path, 'config', 'handler'], sourceAt(text, path))
}

/** Where a filter is inserted after the selected one; null where the selected object is not in a list of filters. */
export function filterListOf(text: string, selected: JSONPath): JSONPath | null {
  const index = selected.at(-1)
  const isElement = typeof index === 'number' && selected.at(-2) === 'filters'
  if (isElement) return [...selected.slice(0, -1), index + 1]
  if (selected.at(-1) !== 'handler') return null
  const filters = valueAt(text, [...selected.slice(0, -1), 'filters'])
  return Array.isArray(filters) ? [...selected.slice(0, -1), 'filters', filters.length] : null
}

function withHandler(text: string, value: ObjectValue, selected: JSONPath | null): string {
  if (selected !== null && selected.at(-1) === 'handler') return withValue(text, selected, value)
  const handler = valueAt(text, ['handler'])
  const isChain = isObject(handler) && handler['type'] === 'Chain'
  return withValue(text, isChain ? ['handler', 'config', 'handler'] : ['handler'], value)
}

function withHeapObject(text: string, value: ObjectValue): string {
  const heap = valueAt(text, ['heap'])
  if (!Array.isArray(heap)) return withValue(text, ['heap'], [value])
  return withElement(text, ['heap', heap.length], value)
}
