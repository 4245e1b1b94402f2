import type { CanvasModel, CanvasNode } from './canvas-model.ts'

/** An object with its place in the picture. */
export interface PlacedNode {
  readonly node: CanvasNode
  readonly x: number
  readonly y: number
}

/** A line between two objects. */
export interface PlacedEdge {
  readonly from: string
  readonly to: string
  readonly label: string
  /** Of a reference to an object of the heap. */
  readonly isReference: boolean
}

/** A picture: left to right as a request passes, branches below the object that they belong to. */
export interface Layout {
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly PlacedEdge[]
  /** The way back of the response, from the last handler to the entry; null for a route without a handler. */
  readonly response: { readonly from: string; readonly to: string } | null
}

export const NODE_WIDTH = 170
/** Of a node without badges. */
export const NODE_HEIGHT = 44
/** Between two nodes of a row. */
export const GAP = 44
const COLUMN = NODE_WIDTH + GAP
export const ROW = 90

/** Places the objects of a picture; those inside folded ones are left out. */
export function layoutOf(model: CanvasModel, folded: ReadonlySet<string>): Layout {
  const nodes: PlacedNode[] = []
  const edges: PlacedEdge[] = []
  let height = placeSequence(model.flow, 0, 0)
  for (const object of model.heap) height += placeSequence([object], 0, height)
  placeInherited()
  linkReferences()
  const [entry, last] = [model.flow[0], model.flow.at(-1)]
  const isWhole = entry !== undefined && last !== undefined && entry !== last
  return { nodes, edges, response: isWhole ? { from: last.id, to: entry.id } : null }

  /** Returns the rows that a sequence takes. */
  function placeSequence(sequence: readonly CanvasNode[], column: number, row: number): number {
    let rows = 1
    let previous: CanvasNode | null = null
    for (const [index, node] of sequence.entries()) {
      nodes.push({ node, x: (column + index) * COLUMN, y: row * ROW })
      if (previous !== null) edges.push({ from: previous.id, to: node.id, label: '', isReference: false })
      previous = node
      if (folded.has(node.id)) continue
      for (const { label, nodes: inside } of node.branches) {
        const [first] = inside
        if (first === undefined) continue
        edges.push({ from: node.id, to: first.id, label, isReference: false })
        rows += placeSequence(inside, column + index + 1, row + rows)
      }
    }
    return rows
  }

  /** Inherited objects are below their first use, and below all others of its column. */
  function placeInherited(): void {
    for (const node of model.inherited) {
      const x = nodes.find((one) => namesIn(one.node).includes(node.name ?? ''))?.x ?? 0
      const lowest = Math.max(0, ...nodes.filter((one) => one.x === x).map(({ y }) => y))
      nodes.push({ node, x, y: lowest + ROW })
    }
  }

  function linkReferences(): void {
    const declared = [...model.inherited, ...model.heap]
    const byName = new Map(declared.flatMap(({ name, id }) => (name === null ? [] : [[name, id] as const])))
    for (const { node } of nodes) {
      for (const name of namesIn(node)) {
        const target = byName.get(name)
        if (target !== undefined && target !== node.id)
          edges.push({ from: node.id, to: target, label: '', isReference: true })
      }
    }
  }
}

/** Texts of an object that may name others. */
function namesIn({ name, type, names }: CanvasNode): readonly string[] {
  return type === null ? [name ?? ''] : names
}
