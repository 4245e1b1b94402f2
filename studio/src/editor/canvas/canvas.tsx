import { Background, Controls, type Edge, MarkerType, MiniMap, type Node, ReactFlow } from '@xyflow/react'
import '@xyflow/react/dist/style.css'
import type { JSONPath } from 'jsonc-parser'
import { type KeyboardEvent, useMemo, useState } from 'react'
import type { Problem } from '../../api/client.ts'
import { moved, removed } from '../../model/canvas-edits.ts'
import { layoutOf } from '../../model/canvas-layout.ts'
import { canvasModel, pointerOf } from '../../model/canvas-model.ts'
import { ObjectNode, type ObjectNodeData } from './object-node.tsx'

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
  const selectedId = selected === null ? null : pointerOf(selected)
  const { nodes, edges } = useMemo(() => {
    const layout = layoutOf(canvasModel(text), folded)
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
      const words = [node.name, node.type, ...node.decorators, problem === undefined ? null : 'problem', mark]
      return {
        id: node.id,
        type: 'object',
        position: { x, y },
        selected: node.id === selectedId,
        ariaLabel: words.filter((word) => word !== null).join(', '),
        ariaRole: 'group',
        ...(mark === null ? {} : { domAttributes: { 'aria-current': 'step' } }),
        data: {
          node,
          problem: problem?.message ?? null,
          mark,
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
    return { nodes: drawn, edges: lines }
  }, [text, problems, selectedId, folded, marks])
  const pathOf = (id: string) => nodes.find((node) => node.id === id)?.data.node.path ?? null
  const press = (event: KeyboardEvent) => {
    const id = (event.target as HTMLElement).closest('.react-flow__node')?.getAttribute('data-id')
    const path = id == null ? null : pathOf(id)
    if (path === null) return
    if (event.key === 'Enter' || event.key === ' ') onSelect(path)
    else if (onChange === undefined) return
    else if (event.key === 'Delete' || event.key === 'Backspace') onChange(removed(text, path))
    else if (event.altKey && event.key === 'ArrowLeft') onChange(moved(text, path, -1))
    else if (event.altKey && event.key === 'ArrowRight') onChange(moved(text, path, 1))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <section aria-label="Canvas" className="canvas" onKeyDownCapture={press}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        nodesDraggable={false}
        nodesConnectable={false}
        deleteKeyCode={null}
        fitView
        minZoom={0.1}
        colorMode="system"
        proOptions={{ hideAttribution: false }}
        onNodeClick={(_, node) => onSelect(node.data.node.path)}
        onPaneClick={() => onSelect(null)}
      >
        <Background />
        <Controls showInteractive={false} />
        <MiniMap pannable zoomable ariaLabel="Overview of the canvas" />
      </ReactFlow>
    </section>
  )
}

/** Whether a problem belongs to an object and to none inside it. */
function isInside(pointer: string, id: string, all: readonly string[]): boolean {
  const around = all.filter((one) => pointer === one || pointer.startsWith(`${one}/`))
  const innermost = around.reduce((best, one) => (one.length > best.length ? one : best), '')
  return innermost === id
}
