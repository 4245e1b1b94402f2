import { getNodePath, type JSONPath, type Node } from 'jsonc-parser'
import { insertedBeside, isOrdered, type Side } from './canvas-drop.ts'
import { comparePaths, outermost, removed, valueAt } from './canvas-edits.ts'
import { type CanvasModel, type CanvasNode, pointerOf } from './canvas-model.ts'
import { treeOf } from './route-document.ts'
import { sourceAt, type ValueSource, withSource } from './value-source.ts'

/** A place beside an object. */
export interface Beside {
  readonly path: JSONPath
  readonly side: Side
}

/** A text after objects were moved, and where they are now. */
export interface Moved {
  readonly text: string
  readonly paths: readonly JSONPath[]
}

/**
 * Moves filters beside another object, in their order and with their comments; null where that changes nothing or the place is
 * inside one of them.
 */
export function movedBeside(text: string, paths: readonly JSONPath[], { path: target, side }: Beside): Moved | null {
  const distinct = new Map(paths.map((path) => [pointerOf(path), path])).values()
  const sources = outermost([...distinct])
    .filter(isOrdered)
    .toSorted(comparePaths)
  const isInside = sources.some((path) => pointerOf([...target, '']).startsWith(pointerOf([...path, ''])))
  if (sources.length === 0 || isInside) return null
  const raw = sources.map((path) => sourceAt(text, path))
  // Marks keep track of both places while the text changes.
  const from = sources.map((_, index) => markOf(text, `from ${index}`))
  const to = sources.map((_, index) => markOf(text, `to ${index}`))
  let result = sources.reduce(
    (before, path, index) => withSource(before, path, textSource(from[index] as string)),
    text,
  )
  for (const [index, mark] of to.entries()) {
    const previous = index === 0 ? null : pathOfText(result, to[index - 1] as string)
    result = insertedBeside(result, 'Filter', mark, previous ?? target, previous === null ? side : 'after')
  }
  for (const mark of from) result = removed(result, pathOfText(result, mark) ?? [])
  const places = to.map((mark) => pathOfText(result, mark) ?? [])
  for (const [index, place] of places.entries()) result = withSource(result, place, raw[index] as ValueSource)
  const isSame = JSON.stringify(valueAt(result, [])) === JSON.stringify(valueAt(text, []))
  return isSame ? null : { text: result, paths: places }
}

/** Moves an element of any list by one place, with its comments; null where it can not be moved. */
export function movedByStep(text: string, path: JSONPath, by: -1 | 1): Moved | null {
  const index = path.at(-1)
  if (typeof index !== 'number') return null
  const target = [...path.slice(0, -1), index + by]
  if (valueAt(text, path) === undefined || valueAt(text, target) === undefined) return null
  const [source, neighbour] = [sourceAt(text, path), sourceAt(text, target)]
  // Both places stay while their texts are exchanged.
  return { text: withSource(withSource(text, path, neighbour), target, source), paths: [target] }
}

/** The place of a filter one step on in its list. */
export function stepPlace(text: string, paths: readonly JSONPath[], by: -1 | 1): Beside | null {
  const sorted = paths.filter(isOrdered).toSorted(comparePaths)
  const edge = by === -1 ? sorted[0] : sorted.at(-1)
  if (edge === undefined) return null
  const path = [...edge.slice(0, -1), Number(edge.at(-1)) + by]
  return valueAt(text, path) === undefined ? null : { path, side: by === -1 ? 'before' : 'after' }
}

/** The place before the object that an object is inside of; null where that has no list of filters around it. */
export function outerPlace(model: CanvasModel, id: string): Beside | null {
  const around = sequences(model).find(({ nodes }) => nodes.some((node) => node.id === id))?.owner ?? null
  return around === null || around.role === 'object' ? null : { path: around.path, side: 'before' }
}

/** The place at the beginning of the nearest branch: that of an object after, or else before it, in its sequence. */
export function innerPlace(model: CanvasModel, id: string): Beside | null {
  const nodes = sequences(model).find((sequence) => sequence.nodes.some((node) => node.id === id))?.nodes ?? []
  const at = nodes.findIndex((node) => node.id === id)
  const near = [...nodes.slice(at + 1), ...nodes.slice(0, Math.max(0, at)).toReversed()]
  const first = near
    .flatMap(({ branches }) => branches.map(({ nodes: inside }) => inside[0]))
    .find((one) => one !== undefined)
  return first === undefined ? null : { path: first.path, side: 'before' }
}

/** Every sequence of a picture with the object that it is inside of. */
function sequences({ flow, heap }: CanvasModel) {
  const found: { owner: CanvasNode | null; nodes: readonly CanvasNode[] }[] = []
  const visit = (nodes: readonly CanvasNode[], owner: CanvasNode | null): void => {
    found.push({ owner, nodes })
    for (const node of nodes) for (const branch of node.branches) visit(branch.nodes, node)
  }
  visit(flow, null)
  for (const object of heap) visit([object], null)
  return found
}

function textSource(value: string): ValueSource {
  return { text: JSON.stringify(value), indent: '' }
}

/** A string that a text does not have. */
function markOf(text: string, name: string): string {
  let mark = `moved ${name}`
  while (text.includes(mark)) mark += '.'
  return mark
}

function pathOfText(text: string, value: string): JSONPath | null {
  const find = (node: Node | undefined): Node | null => {
    if (node === undefined) return null
    if (node.type === 'string' && node.value === value) return node
    for (const child of node.children ?? []) {
      const found = find(child)
      if (found !== null) return found
    }
    return null
  }
  const node = find(treeOf(text) ?? undefined)
  return node === null ? null : getNodePath(node)
}
