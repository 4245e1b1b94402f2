import type { JSONPath } from 'jsonc-parser'
import { inserted, type ObjectValue, valueAt, withChain } from './canvas-edits.ts'
import { type Layout, ROW } from './canvas-layout.ts'
import { isObject, pointerOf } from './canvas-model.ts'
import { withElement, withValue } from './route-document.ts'

/** Side of an object on which another one is dropped. */
export type Side = 'before' | 'after'

/** Inserts an object that was dropped on another one: a filter beside it, all others as `inserted` does. */
export function insertedBeside(
  text: string,
  kind: string | null,
  value: ObjectValue,
  target: JSONPath,
  side: Side,
): string {
  if (kind !== 'Filter') return inserted(text, kind, value, target)
  const index = target.at(-1)
  if (typeof index === 'number' && target.at(-2) === 'filters') {
    return withElement(text, [...target.slice(0, -1), side === 'before' ? index : index + 1], value)
  }
  // Beside the condition is before the first object of the route.
  if (pointerOf(target) === '/condition') return withFirstFilter(text, value)
  if (index !== 'handler') return inserted(text, kind, value, target)
  const filters = [...target.slice(0, -1), 'filters']
  const list = valueAt(text, filters)
  if (Array.isArray(list)) return withElement(text, [...filters, list.length], value)
  return withChain(text, target, value)
}

function withFirstFilter(text: string, value: ObjectValue): string {
  const handler = valueAt(text, ['handler'])
  const isChain = isObject(handler) && handler['type'] === 'Chain'
  const filters = ['handler', 'config', 'filters']
  if (isChain && Array.isArray(valueAt(text, filters))) return withElement(text, [...filters, 0], value)
  return isChain ? withValue(text, filters, [value]) : withChain(text, ['handler'], value)
}

/** Whether the order of an object in its list is the order in which a request passes. */
export function isOrdered(path: JSONPath): boolean {
  return typeof path.at(-1) === 'number' && path.at(-2) === 'filters'
}

/** Places by which a filter dropped at a point moves in its list; 0 where the point is off the row of the list. */
export function stepsAtDrop(layout: Layout, id: string, point: { readonly x: number; readonly y: number }): number {
  const dropped = layout.nodes.find(({ node }) => node.id === id)
  if (dropped === undefined || !isOrdered(dropped.node.path) || Math.abs(point.y - dropped.y) > ROW) return 0
  const list = pointerOf(dropped.node.path.slice(0, -1))
  const others = layout.nodes.filter(({ node }) => node.id !== id && pointerOf(node.path.slice(0, -1)) === list)
  // Each filter that it has passed is one place.
  const passedRight = others.filter(({ x }) => x > dropped.x && x < point.x).length
  const passedLeft = others.filter(({ x }) => x < dropped.x && x > point.x).length
  return passedRight - passedLeft
}
