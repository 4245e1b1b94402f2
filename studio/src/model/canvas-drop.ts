import type { JSONPath } from 'jsonc-parser'
import { inserted, type ObjectValue, valueAt, withChain } from './canvas-edits.ts'
import { GAP, type Layout, NODE_HEIGHT, NODE_WIDTH, ROW } from './canvas-layout.ts'
import { type CanvasNode, isObject, pointerOf } from './canvas-model.ts'
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

/** A place for filters beside an object, and where that is in the picture. */
export interface DropPlace {
  readonly path: JSONPath
  readonly side: Side
  readonly x: number
  readonly y: number
}

/** The nearest place for filters at a point of the picture, beside objects that are not moved; null far from all. */
export function placeAtPoint(
  layout: Layout,
  point: { readonly x: number; readonly y: number },
  moved: ReadonlySet<string>,
): DropPlace | null {
  let best: DropPlace | null = null
  for (const { node, x, y } of layout.nodes) {
    if (moved.has(node.id)) continue
    for (const side of sidesOf(node)) {
      const place = { path: node.path, side, x: side === 'before' ? x - GAP / 2 : x + NODE_WIDTH + GAP / 2, y }
      if (Math.abs(point.y - y - NODE_HEIGHT / 2) > ROW / 2 || Math.abs(point.x - place.x) > NODE_WIDTH) continue
      if (best === null || distance(point, place) < distance(point, best)) best = place
    }
  }
  return best
}

/** Sides of an object on which a filter can be. */
function sidesOf({ role, path }: CanvasNode): readonly Side[] {
  if (role === 'entry') return ['after']
  if (isOrdered(path)) return ['before', 'after']
  return role === 'handler' && path.at(-1) === 'handler' ? ['before'] : []
}

function distance(point: { readonly x: number; readonly y: number }, { x, y }: DropPlace): number {
  return Math.hypot(point.x - x, point.y - y - NODE_HEIGHT / 2)
}
