import type { Node, NodeChange } from '@xyflow/react'
import { useCallback, useMemo, useRef, useState } from 'react'
import { type DropPlace, placeAtPoint } from '../../model/canvas-drop.ts'
import { type Layout, NODE_HEIGHT, NODE_WIDTH } from '../../model/canvas-layout.ts'
import { useStable } from '../../ui/use-stable.ts'

type DraggedNode = Pick<Node, 'id' | 'position' | 'measured'>

const NONE: readonly DraggedNode[] = []

/** Moves filters by dragging: one, or all that are selected. When dropped, they are again where the layout places them. */
export function useFilterDrag<Drawn extends Node>({
  layout,
  nodes,
  idsOf,
  onPlace,
  onDrop,
}: {
  layout: Layout
  nodes: Drawn[]
  /** The objects that are dragged with one. */
  idsOf: (id: string) => readonly string[]
  /** Called with the place where they would be dropped. */
  onPlace: (place: DropPlace | null) => void
  onDrop: (ids: readonly string[], place: DropPlace) => void
}) {
  const sizes = useRef(new Map<string, { width: number; height: number }>())
  const [dragged, setDragged] = useState(NONE)
  const drawn = useMemo(() => {
    if (dragged.length === 0) return nodes
    const byId = new Map(dragged.map((one) => [one.id, one]))
    return nodes.map((node) => ({ ...node, ...byId.get(node.id) }))
  }, [nodes, dragged])
  const placeOf = ({ id, position: { x, y } }: Node) =>
    placeAtPoint(layout, { x: x + NODE_WIDTH / 2, y: y + NODE_HEIGHT / 2 }, new Set(idsOf(id)))
  const onNodesChange = useCallback((changes: NodeChange<Drawn>[]) => {
    for (const change of changes) {
      if (change.type === 'dimensions' && change.dimensions !== undefined) {
        sizes.current.set(change.id, change.dimensions)
      }
    }
  }, [])
  const onNodeDrag = useStable((_: unknown, node: Node, together: readonly Node[]) => {
    const ids = idsOf(node.id)
    const following = together.flatMap(({ id, position }): DraggedNode[] => {
      // A node without its size is hidden until it is measured again.
      const measured = sizes.current.get(id)
      return measured === undefined || !ids.includes(id) ? [] : [{ id, position, measured }]
    })
    setDragged(following)
    onPlace(placeOf(node))
  })
  const onNodeDragStop = useStable((_: unknown, node: Node) => {
    const place = placeOf(node)
    setDragged(NONE)
    onPlace(null)
    if (place !== null) onDrop(idsOf(node.id), place)
  })
  return { nodes: drawn, onNodesChange, onNodeDrag, onNodeDragStop }
}
