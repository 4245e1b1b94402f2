import { Background, Controls, type Edge, MarkerType, MiniMap, type Node, Panel, ReactFlow } from '@xyflow/react'
import '@xyflow/react/dist/style.css'
import type { JSONPath } from 'jsonc-parser'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import type { Problem } from '../../api/client.ts'
import { isOrdered } from '../../model/canvas-drop.ts'
import { moved, removedAll } from '../../model/canvas-edits.ts'
import { layoutOf, NODE_HEIGHT, NODE_WIDTH } from '../../model/canvas-layout.ts'
import { canvasModel, inheritedIds, pointerOf } from '../../model/canvas-model.ts'
import { ObjectNode, type ObjectNodeData } from './object-node.tsx'
import { useCanvasClipboard } from './use-canvas-clipboard.ts'
import { useCanvasDrop } from './use-canvas-drop.ts'
import { useFilterDrag } from './use-filter-drag.ts'
import { useMultiSelection } from './use-multi-selection.ts'

const NODE_TYPES = { object: ObjectNode }
const NO_MARKS: ReadonlyMap<string, string> = new Map()

/** The route as a picture, left to right. */
export function Canvas({
  text,
  problems,
  selected,
  marks = NO_MARKS,
  onSelect,
  onChange,
}: {
  text: string
  problems: readonly Problem[]
  selected: JSONPath | null
  /** Objects on the way of a request, by id, each with its time. */
  marks?: ReadonlyMap<string, string>
  onSelect: (path: JSONPath | null) => void
  /** Absent where the picture can not be changed. */
  onChange?: (text: string) => void
}) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const canvas = useRef<HTMLElement>(null)
  const selection = useMultiSelection(text, selected, onSelect)
  const isEditable = onChange !== undefined
  const { layout, nodes, edges } = useMemo(() => {
    const model = canvasModel(text)
    const layout = layoutOf(model, folded)
    const inherited = inheritedIds(model)
    const selectedIds = new Set(JSON.parse(selection.key) as string[])
    const fold = (id: string) =>
      setFolded((before) =>
        before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
      )
    const drawn = layout.nodes.map(({ node, x, y }): Node<ObjectNodeData> => {
      const problem = problems.find(({ pointer }) =>
        isInside(
          pointer,
          node.id,
          layout.nodes.map((one) => one.node.id),
        ),
      )
      const mark = marks.get(node.id) ?? null
      const isInherited = inherited.has(node.id)
      const words = [
        node.name,
        node.type,
        isInherited ? 'inherited' : null,
        ...node.decorators,
        problem === undefined ? null : 'problem',
        mark,
      ]
      return {
        id: node.id,
        type: 'object',
        position: { x, y },
        // Without a size, each new picture hides its nodes until they are measured, which takes the focus from them.
        initialWidth: NODE_WIDTH,
        initialHeight: NODE_HEIGHT,
        selected: selectedIds.has(node.id),
        ariaLabel: words.filter((word) => word !== null).join(', '),
        ariaRole: 'group',
        draggable: isEditable && isOrdered(node.path),
        ...(mark === null ? {} : { domAttributes: { 'aria-current': 'step' } }),
        data: {
          node,
          problem: problem?.message ?? null,
          mark,
          isInherited,
          isFolded: folded.has(node.id),
          onFold: () => fold(node.id),
        },
      }
    })
    const lines = layout.edges.map(
      ({ from, to, label, isReference }): Edge => ({
        id: `${from} ${to}`,
        source: from,
        target: to,
        label,
        animated: isReference,
        focusable: false,
        markerEnd: { type: MarkerType.ArrowClosed },
      }),
    )
    return { layout, nodes: drawn, edges: lines }
  }, [text, problems, selection.key, folded, marks, isEditable])
  const pathOf = (id: string) => nodes.find((node) => node.id === id)?.data.node.path ?? null
  /** An action on an object that is selected concerns all that are; on another one, that one alone. */
  const pathsOf = (focused: Element | null) => {
    const id = idOf(focused)
    const ids = id === null || selection.ids.includes(id) ? selection.ids : [id]
    return ids.flatMap((one) => {
      const path = pathOf(one)
      return path === null ? [] : [path]
    })
  }
  useCanvasClipboard({ canvas, text, pathsOf, selected, onChange })
  const drop = useCanvasDrop({ text, edges, pathOf, selected, onChange })
  const focus = (id: string) =>
    canvas.current?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)?.focus()
  /** Moves a filter in its list; focus and selection go with it. */
  const move = (id: string, by: number) => {
    const path = pathOf(id)
    const next = path === null ? text : moved(text, path, by)
    if (path === null || next === text) return
    const to = [...path.slice(0, -1), Number(path.at(-1)) + by]
    onChange?.(next)
    if (selection.ids.includes(id)) selection.only(to)
    focus(pointerOf(to))
  }
  const drag = useFilterDrag(layout, nodes, move)
  /** Moves the focus to the next or previous object, and with Shift the selection too. */
  const step = (id: string, by: number, isExtended: boolean) => {
    const next = nodes[nodes.findIndex((node) => node.id === id) + by]
    if (next === undefined) return
    if (isExtended && !selection.ids.includes(next.id)) selection.toggle(next.id, next.data.node.path)
    focus(next.id)
  }
  const press = (event: KeyboardEvent) => {
    const focused = event.target as HTMLElement
    const id = idOf(focused)
    const path = id === null ? null : pathOf(id)
    if (id === null || path === null || focused.closest('button') !== null) return
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key]
    const isModified = event.shiftKey || event.ctrlKey || event.metaKey
    if (event.key === 'Enter' || event.key === ' ') isModified ? selection.toggle(id, path) : selection.only(path)
    else if (by !== undefined && !event.altKey) step(id, by, event.shiftKey)
    else if (onChange === undefined) return
    else if (event.key === 'Delete' || event.key === 'Backspace') onChange(removedAll(text, pathsOf(focused)))
    else if (by !== undefined) move(id, by)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <section ref={canvas} aria-label="Canvas" className="canvas" onKeyDownCapture={press} {...drop}>
      <ReactFlow
        {...drag}
        edges={edges}
        nodeTypes={NODE_TYPES}
        nodesDraggable={isEditable}
        nodesConnectable={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        fitView
        minZoom={0.1}
        colorMode="system"
        proOptions={{ hideAttribution: false }}
        onNodeClick={(event, { id, data }) => {
          if (event.shiftKey || event.ctrlKey || event.metaKey) selection.toggle(id, data.node.path)
          else selection.only(data.node.path)
        }}
        onPaneClick={() => selection.only(null)}
      >
        <Background />
        <Panel position="top-left">
          <span role="status">{selection.ids.length > 1 ? `${selection.ids.length} objects selected` : ''}</span>
        </Panel>
        <Controls showInteractive={false} />
        {onChange !== undefined && (
          <MiniMap pannable zoomable ariaLabel="Overview of the canvas" nodeColor="var(--muted)" />
        )}
      </ReactFlow>
    </section>
  )
}

/** The object that an element of the canvas is part of. */
function idOf(element: Element | null): string | null {
  return element?.closest('.react-flow__node')?.getAttribute('data-id') ?? null
}

/** Whether a problem belongs to an object and to none inside it. */
function isInside(pointer: string, id: string, all: readonly string[]): boolean {
  const around = all.filter((one) => pointer === one || pointer.startsWith(`${one}/`))
  const innermost = around.reduce((best, one) => (one.length > best.length ? one : best), '')
  return innermost === id
}
