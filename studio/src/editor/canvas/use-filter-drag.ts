import type { Node, NodeChange } from '@xyflow/react'
import { useMemo, useRef, useState } from 'react'
import { stepsAtDrop } from '../../model/canvas-drop.ts'
import type { Layout } from '../../model/canvas-layout.ts'

/** Moves a filter in its list by dragging it. When dropped, it is again where the layout places it. */
export function useFilterDrag<Drawn extends Node>(
  layout: Layout,
  nodes: Drawn[],
  onMove: (id: string, steps: number) => void,
) {
  const sizes = useRef(new Map<string, { width: number; height: number }>())
  const [dragged, setDragged] = useState<Pick<Node, 'id' | 'position' | 'measured'> | null>(null)
  const drawn = useMemo(
    () => (dragged === null ? nodes : nodes.map((node) => (node.id === dragged.id ? { ...node, ...dragged } : node))),
    [nodes, dragged],
  )
  return {
    nodes: drawn,
    onNodesChange: (changes: NodeChange<Drawn>[]) => {
      for (const change of changes) {
        if (change.type === 'dimensions' && change.dimensions !== undefined) {
          sizes.current.set(change.id, change.dimensions)
        }
      }
    },
    onNodeDrag: (_: unknown, { id, position }: Node) => {
      // A node without its size is hidden until it is measured again.
      const measured = sizes.current.get(id)
      if (measured !== undefined) setDragged({ id, position, measured })
    },
    onNodeDragStop: (_: unknown, { id, position }: Node) => {
      setDragged(null)
      const steps = stepsAtDrop(layout, id, position)
      if (steps !== 0) onMove(id, steps)
    },
  }
}
