import { type Edge, MarkerType, type Node } from '@xyflow/react'
import { useCallback, useMemo, useRef, useState } from 'react'
import type { Problem } from '../../api/client.ts'
import type { InheritedObject } from '../../api/scope.ts'
import { isOrdered } from '../../model/canvas-drop.ts'
import { layoutOf, NODE_HEIGHT, NODE_WIDTH, type PlacedNode } from '../../model/canvas-layout.ts'
import { canvasModel, inheritedIds } from '../../model/canvas-model.ts'
import { problemsByNode } from '../../model/canvas-problems.ts'
import type { ObjectNodeData } from './object-node.tsx'

/** Class of the line to an object that is referred to: no request passes along it. */
export const REFERENCE = 'reference'

/** Nodes and lines of the picture of a route. */
export function useDrawnCanvas({
  text,
  inherited,
  problems,
  selectionKey,
  marks,
  isEditable,
}: {
  text: string
  inherited: readonly InheritedObject[]
  problems: readonly Problem[]
  /** Ids of the selected objects as JSON. */
  selectionKey: string
  marks: ReadonlyMap<string, string>
  isEditable: boolean
}) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const fold = useCallback((id: string) => setFolded((before) => before.symmetricDifference(new Set([id]))), [])
  const drawn = useRef({ nodes: NO_NODES, edges: NO_EDGES, drawnEdges: NO_EDGES })
  return useMemo(() => {
    const model = canvasModel(text, inherited)
    const layout = layoutOf(model, folded)
    const inheritedNames = inheritedIds(model)
    const selected = new Set(JSON.parse(selectionKey) as string[])
    const ids = layout.nodes.map(({ node }) => node.id)
    const entry = model.flow[0]?.id ?? ''
    const used = Map.groupBy(
      layout.edges.filter(({ isReference }) => isReference),
      ({ from }) => from,
    )
    const branchLabels = new Map(layout.edges.flatMap(({ to, label }) => (label === '' ? [] : [[to, label] as const])))
    const names = new Map(layout.nodes.map(({ node }) => [node.id, node.name]))
    const messages = problemsByNode(problems, ids, entry)
    const nodes = layout.nodes.map(({ node, x, y }: PlacedNode): Node<ObjectNodeData> => {
      const problem = messages.get(node.id) ?? null
      const mark = marks.get(node.id) ?? null
      const isInherited = inheritedNames.has(node.id)
      const uses = (used.get(node.id) ?? []).map(({ to }) => names.get(to) ?? to)
      const words = [
        node.name,
        node.type,
        isInherited ? 'inherited' : null,
        node.origin == null ? null : `inherited from ${node.origin}`,
        ...node.decorators,
        problem === null ? null : 'problem',
        mark,
      ]
      return {
        id: node.id,
        type: 'object',
        position: { x, y },
        // Without a size, each new picture hides its nodes until they are measured, which takes the focus from them.
        initialWidth: NODE_WIDTH,
        initialHeight: NODE_HEIGHT,
        selected: selected.has(node.id),
        ariaLabel: words.filter((word) => word !== null).join(', '),
        ariaRole: 'group',
        draggable: isEditable && isOrdered(node.path),
        domAttributes: {
          ...(mark === null ? {} : { 'aria-current': 'step' as const }),
          ...(uses.length === 0 ? {} : { 'aria-description': `uses ${uses.join(', ')}` }),
        },
        data: {
          ...{ node, problem, mark, isInherited },
          branch: branchLabels.get(node.id) ?? null,
          isFolded: folded.has(node.id),
          onFold: fold,
        },
      }
    })
    const lineOf = (from: string, to: string) => ({
      id: `${from} ${to}`,
      source: from,
      target: to,
      focusable: false,
      markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--edge)' },
    })
    const edges = layout.edges.map(
      ({ from, to, isReference }): Edge => ({ ...lineOf(from, to), className: isReference ? REFERENCE : '' }),
    )
    const { response } = layout
    const back: Edge[] = response === null ? [] : [{ ...lineOf(response.from, response.to), type: 'response' }]
    drawn.current = {
      nodes: withEqualOnes(drawn.current.nodes, nodes, isSameNode),
      edges: withEqualOnes(drawn.current.edges, edges, isSameEdge),
      drawnEdges: withEqualOnes(drawn.current.drawnEdges, [...edges, ...back], isSameEdge),
    }
    return { model, layout, ...drawn.current }
  }, [text, inherited, problems, selectionKey, folded, marks, isEditable, fold])
}

const NO_NODES: Node<ObjectNodeData>[] = []
const NO_EDGES: Edge[] = []

/** Whether two nodes are drawn alike. Their other texts and their branches are not drawn. */
function isSameNode(one: Node<ObjectNodeData>, other: Node<ObjectNodeData>): boolean {
  return (
    // Has the decorators and the origin.
    one.ariaLabel === other.ariaLabel &&
    one.position.x === other.position.x &&
    one.position.y === other.position.y &&
    one.selected === other.selected &&
    one.draggable === other.draggable &&
    one.domAttributes?.['aria-description'] === other.domAttributes?.['aria-description'] &&
    isSameData(one.data, other.data)
  )
}

function isSameData(one: ObjectNodeData, other: ObjectNodeData): boolean {
  return (
    one.problem === other.problem &&
    one.mark === other.mark &&
    one.isInherited === other.isInherited &&
    one.branch === other.branch &&
    one.isFolded === other.isFolded &&
    one.node.role === other.node.role &&
    one.node.name === other.node.name &&
    one.node.type === other.node.type &&
    one.node.branches.length > 0 === other.node.branches.length > 0
  )
}

/** The id has both ends. */
function isSameEdge(one: Edge, other: Edge): boolean {
  return one.className === other.className && one.type === other.type
}

/** A new list with the elements of the one before that are equal; that list itself where all are: React Flow draws new objects again. */
function withEqualOnes<One extends { readonly id: string }>(
  before: One[],
  now: readonly One[],
  isEqual: (one: One, other: One) => boolean,
): One[] {
  const known = new Map(before.map((one) => [one.id, one]))
  const next = now.map((one) => {
    const old = known.get(one.id)
    return old !== undefined && isEqual(old, one) ? old : one
  })
  const isSame = next.length === before.length && next.every((one, at) => one === before[at])
  return isSame ? before : next
}
