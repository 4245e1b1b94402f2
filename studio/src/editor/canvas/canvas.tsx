import {
  Background,
  Controls,
  MiniMap,
  type Node,
  Panel,
  ReactFlow,
  type ReactFlowInstance,
  ViewportPortal,
} from '@xyflow/react'
import '@xyflow/react/dist/style.css'
import type { JSONPath } from 'jsonc-parser'
import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react'
import type { Problem } from '../../api/client.ts'
import type { InheritedObject } from '../../api/scope.ts'
import type { DropPlace } from '../../model/canvas-drop.ts'
import { removedAll } from '../../model/canvas-edits.ts'
import { pointerOf } from '../../model/canvas-model.ts'
import { useStable } from '../../ui/use-stable.ts'
import { ObjectNode, type ObjectNodeData } from './object-node.tsx'
import { ResponseEdge } from './response-edge.tsx'
import { useCanvasClipboard } from './use-canvas-clipboard.ts'
import { useCanvasDrop } from './use-canvas-drop.ts'
import { useCanvasMove } from './use-canvas-move.ts'
import { useDrawnCanvas } from './use-drawn-canvas.ts'
import { useFilterDrag } from './use-filter-drag.ts'
import { fitOptions, useFittedView } from './use-fitted-view.ts'
import { useMultiSelection } from './use-multi-selection.ts'

const NODE_TYPES = { object: ObjectNode }
const EDGE_TYPES = { response: ResponseEdge }
const NO_OBJECTS: readonly InheritedObject[] = []
const NO_MARKS: ReadonlyMap<string, string> = new Map()
const MAP = { width: 130, height: 80 }
/** Frames in which a moved object is drawn at its new place. */
const FOCUS_FRAMES = 20

/** The route as a picture, left to right. */
export function Canvas({
  text,
  problems,
  selected,
  inherited = NO_OBJECTS,
  marks = NO_MARKS,
  onSelect,
  onChange,
}: {
  text: string
  problems: readonly Problem[]
  selected: JSONPath | null
  /** Objects of the heaps around the route. */
  inherited?: readonly InheritedObject[]
  /** Objects on the way of a request, by id, each with its time. */
  marks?: ReadonlyMap<string, string>
  onSelect: (path: JSONPath | null) => void
  /** Absent where the picture can not be changed. */
  onChange?: (text: string) => void
}) {
  const canvas = useRef<HTMLElement>(null)
  const flow = useRef<ReactFlowInstance<Node<ObjectNodeData>> | null>(null)
  const [place, setPlace] = useState<DropPlace | null>(null)
  const selection = useMultiSelection(text, selected, onSelect)
  const isEditable = onChange !== undefined
  const { model, layout, nodes, edges, drawnEdges } = useDrawnCanvas({
    ...{ text, inherited, problems, marks, isEditable },
    selectionKey: selection.key,
  })
  /** Null for an object that the route inherits: it has no place in the text. */
  const pathOf = (id: string) => {
    const node = nodes.find((one) => one.id === id)?.data.node
    return node === undefined || node.role === 'inherited' ? null : node.path
  }
  /** An action on an object that is selected concerns all that are; on another one, that one alone. */
  const idsOf = (id: string | null) => (id === null || selection.ids.includes(id) ? selection.ids : [id])
  const pathsOf = (focused: Element | null) =>
    idsOf(idOf(focused))
      .map(pathOf)
      .filter((path) => path !== null)
  const elementOf = (id: string) =>
    canvas.current?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`) ?? null
  const focus = (id: string, frames = 0) => {
    const element = elementOf(id)
    if (element !== null) element.focus()
    else if (frames > 0) requestAnimationFrame(() => focus(id, frames - 1))
  }
  const { move, moveTo } = useCanvasMove({
    ...{ text, model, idsOf, pathOf, onChange },
    focusedId: () => idOf(document.activeElement) ?? selection.ids[0] ?? null,
    onMoved: (ids, next, paths) => {
      if (ids.some((id) => selection.ids.includes(id))) selection.all(next, paths)
      // The object at the new place is another one until the text is drawn.
      requestAnimationFrame(() => focus(pointerOf(paths[0] ?? []), FOCUS_FRAMES))
    },
  })
  useCanvasClipboard({ canvas, text, pathsOf, selected, onChange })
  const drop = useCanvasDrop({ text, layout, edges, flow, pathOf, selected, onPlace: setPlace, onChange })
  const drag = useFilterDrag({ layout, nodes, idsOf, onPlace: setPlace, onDrop: moveTo })
  /** Moves the focus to the next or previous object, and with Shift the selection too. */
  const step = (id: string, by: number, isExtended: boolean) => {
    const next = nodes[nodes.findIndex((node) => node.id === id) + by]
    if (next === undefined) return
    const path = pathOf(next.id)
    if (isExtended && path !== null && !selection.ids.includes(next.id)) selection.toggle(next.id, path)
    focus(next.id)
  }
  const select = (id: string, isAdded: boolean) => {
    const path = pathOf(id)
    if (isAdded && path !== null) selection.toggle(id, path)
    else selection.only(path)
  }
  const press = (event: KeyboardEvent) => {
    const focused = event.target as HTMLElement
    const id = idOf(focused)
    if (id === null || focused.closest('button') !== null) return
    const arrow = ARROWS[event.key]
    if (event.key === 'Enter' || event.key === ' ') select(id, event.shiftKey || event.ctrlKey || event.metaKey)
    else if (arrow !== undefined && !event.altKey) step(id, arrow.by, event.shiftKey)
    else if (onChange === undefined) return
    else if (event.key === 'Delete' || event.key === 'Backspace') onChange(removedAll(text, pathsOf(focused)))
    else if (arrow !== undefined) move(id, arrow.direction)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  useFittedView(canvas, flow, layout)
  const onInit = useStable((instance: ReactFlowInstance<Node<ObjectNodeData>>) => {
    flow.current = instance
  })
  const onNodeClick = useStable((event: MouseEvent, { id }: Node) =>
    select(id, event.shiftKey || event.ctrlKey || event.metaKey),
  )
  const onPaneClick = useStable(() => selection.only(null))
  const [firstFit] = useState(fitOptions)
  const count = selection.ids.length
  return (
    <section ref={canvas} aria-label="Canvas" className="canvas" onKeyDownCapture={press} {...drop}>
      <ReactFlow
        {...drag}
        edges={drawnEdges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        nodesDraggable={isEditable}
        nodesConnectable={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        fitView
        fitViewOptions={firstFit}
        minZoom={0.1}
        colorMode="system"
        onInit={onInit}
        onNodeClick={onNodeClick}
        onPaneClick={onPaneClick}
      >
        <Background />
        {place !== null && (
          <ViewportPortal>
            <div className="drop-marker" style={{ transform: `translate(${place.x}px, ${place.y}px)` }} />
          </ViewportPortal>
        )}
        <Panel position="top-left" className={count > 1 ? 'selected-count' : 'visually-hidden'}>
          <span role="status">{count > 1 ? `${count} objects selected` : ''}</span>
        </Panel>
        <Controls showInteractive={false} />
        {onChange !== undefined && (
          <MiniMap pannable zoomable style={MAP} ariaLabel="Overview of the canvas" nodeColor="var(--muted)" />
        )}
      </ReactFlow>
    </section>
  )
}

/** Arrow keys: a step of the focus, and with Alt the direction in which objects are moved. */
const ARROWS: Readonly<Record<string, { by: -1 | 1; direction: 'earlier' | 'later' | 'out' | 'in' }>> = {
  ArrowLeft: { by: -1, direction: 'earlier' },
  ArrowRight: { by: 1, direction: 'later' },
  ArrowUp: { by: -1, direction: 'out' },
  ArrowDown: { by: 1, direction: 'in' },
}

/** The object that an element of the canvas is part of. */
function idOf(element: Element | null): string | null {
  return element?.closest('.react-flow__node')?.getAttribute('data-id') ?? null
}
