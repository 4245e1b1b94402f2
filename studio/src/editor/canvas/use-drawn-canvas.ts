import { type Edge, MarkerType, type Node } from '@xyflow/react'
import { useMemo, useState } from 'react'
import type { Problem } from '../../api/client.ts'
import type { InheritedObject } from '../../api/scope.ts'
import { isOrdered } from '../../model/canvas-drop.ts'
import { layoutOf, NODE_HEIGHT, NODE_WIDTH, type PlacedNode } from '../../model/canvas-layout.ts'
import { canvasModel, inheritedIds } from '../../model/canvas-model.ts'
import { nodeOfProblem } from '../../model/canvas-problems.ts'
import type { ObjectNodeData } from './object-node.tsx'

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
    const nameOf = (id: string) => layout.nodes.find(({ node }) => node.id === id)?.node.name ?? id
    const fold = (id: string) =>
      setFolded((before) =>
        before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
      )
    const nodes = layout.nodes.map(({ node, x, y }: PlacedNode): Node<ObjectNodeData> => {
      const problem = problems.find(({ pointer }) => nodeOfProblem(pointer, ids, entry) === node.id)?.message ?? null
      const mark = marks.get(node.id) ?? null
      const isInherited = inheritedNames.has(node.id)
      const uses = (used.get(node.id) ?? []).map(({ to }) => nameOf(to))
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
          onFold: () => fold(node.id),
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
      ({ from, to, isReference }): Edge => ({ ...lineOf(from, to), animated: isReference }),
    )
    const { response } = layout
    const back: Edge[] = response === null ? [] : [{ ...lineOf(response.from, response.to), type: 'response' }]
    return { model, layout, nodes, edges, drawnEdges: [...edges, ...back] }
  }, [text, inherited, problems, selectionKey, folded, marks, isEditable])
}
