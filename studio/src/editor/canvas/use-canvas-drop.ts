import type { Edge, ReactFlowInstance } from '@xyflow/react'
import type { JSONPath } from 'jsonc-parser'
import type { DragEvent, RefObject } from 'react'
import { type DropPlace, insertedBeside, placeAtPoint } from '../../model/canvas-drop.ts'
import { inserted } from '../../model/canvas-edits.ts'
import type { Layout } from '../../model/canvas-layout.ts'
import { FILTER_MEDIA, TYPE_MEDIA } from '../palette/type-media.ts'
import { useNewObject } from '../palette/use-new-object.ts'
import { REFERENCE } from './use-drawn-canvas.ts'

const NOTHING_MOVED: ReadonlySet<string> = new Set()

/** Takes types that are dragged from the palette: filters beside the nearest object, others on one, else as a click in the palette. */
export function useCanvasDrop({
  text,
  layout,
  edges,
  flow,
  pathOf,
  selected,
  onPlace,
  onChange,
}: {
  text: string
  layout: Layout
  edges: readonly Edge[]
  flow: RefObject<Pick<ReactFlowInstance, 'screenToFlowPosition'> | null>
  pathOf: (id: string) => JSONPath | null
  selected: JSONPath | null
  /** Called with the place where a filter would be dropped. */
  onPlace: (place: DropPlace | null) => void
  onChange: ((text: string) => void) | undefined
}) {
  const newObject = useNewObject()
  const placeOf = ({ clientX: x, clientY: y }: DragEvent): DropPlace | null => {
    const point = flow.current?.screenToFlowPosition({ x, y })
    return point === undefined ? null : placeAtPoint(layout, point, NOTHING_MOVED)
  }
  /** The object under the pointer, or the one that a line leads to. */
  const targetOf = ({ target }: DragEvent): JSONPath | null => {
    const element = target as Element
    const node = element.closest('.react-flow__node')?.getAttribute('data-id')
    if (node != null) return pathOf(node)
    const edgeId = element.closest('.react-flow__edge')?.getAttribute('data-id')
    const edge = edges.find(({ id }) => id === edgeId)
    return edge === undefined || edge.className === REFERENCE ? null : pathOf(edge.target)
  }
  const add = async (type: string, place: DropPlace | null, target: JSONPath | null) => {
    const { kind, value, roles } = await newObject(type, text)
    if (kind === 'Filter' && place !== null) onChange?.(insertedBeside(text, kind, value, place.path, place.side))
    else onChange?.(inserted(text, kind, value, target ?? selected, roles))
  }
  return {
    onDragOver: (event: DragEvent) => {
      if (onChange === undefined || !event.dataTransfer.types.includes(TYPE_MEDIA)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
      if (event.dataTransfer.types.includes(FILTER_MEDIA)) onPlace(placeOf(event))
    },
    onDragLeave: () => onPlace(null),
    onDrop: (event: DragEvent) => {
      const type = event.dataTransfer.getData(TYPE_MEDIA)
      onPlace(null)
      if (onChange === undefined || type === '') return
      event.preventDefault()
      void add(type, placeOf(event), targetOf(event))
    },
  }
}
