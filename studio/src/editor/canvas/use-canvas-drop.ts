import type { Edge } from '@xyflow/react'
import type { JSONPath } from 'jsonc-parser'
import type { DragEvent } from 'react'
import { insertedBeside, type Side } from '../../model/canvas-drop.ts'
import { inserted } from '../../model/canvas-edits.ts'
import { TYPE_MEDIA } from '../palette/type-media.ts'
import { useNewObject } from '../palette/use-new-object.ts'

/** Where an object is dropped: beside another one, or on the empty canvas. */
type Place = { readonly path: JSONPath; readonly side: Side } | null

/** Takes types that are dragged from the palette: on an object or a line between two, else as a click in the palette. */
export function useCanvasDrop({
  text,
  edges,
  pathOf,
  selected,
  onChange,
}: {
  text: string
  edges: readonly Edge[]
  pathOf: (id: string) => JSONPath | null
  selected: JSONPath | null
  onChange: ((text: string) => void) | undefined
}) {
  const newObject = useNewObject()
  const placeOf = ({ target, clientX }: DragEvent): Place => {
    const element = target as Element
    const node = element.closest('.react-flow__node')
    if (node !== null) {
      const path = pathOf(node.getAttribute('data-id') ?? '')
      const { left, width } = node.getBoundingClientRect()
      return path === null ? null : { path, side: clientX < left + width / 2 ? 'before' : 'after' }
    }
    const edgeId = element.closest('.react-flow__edge')?.getAttribute('data-id')
    const edge = edges.find(({ id }) => id === edgeId)
    // An animated line is a reference: no request passes along it.
    const path = edge === undefined || edge.animated ? null : pathOf(edge.target)
    return path === null ? null : { path, side: 'before' }
  }
  const add = async (type: string, place: Place) => {
    const { kind, value } = await newObject(type, text)
    if (place === null) onChange?.(inserted(text, kind, value, selected))
    else onChange?.(insertedBeside(text, kind, value, place.path, place.side))
  }
  return {
    onDragOver: (event: DragEvent) => {
      if (onChange === undefined || !event.dataTransfer.types.includes(TYPE_MEDIA)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
    },
    onDrop: (event: DragEvent) => {
      const type = event.dataTransfer.getData(TYPE_MEDIA)
      if (onChange === undefined || type === '') return
      event.preventDefault()
      void add(type, placeOf(event))
    },
  }
}
