import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { DEFAULT_ROUTER, readRouteText } from '../api/routes.ts'
import { allNodes, canvasModel } from '../model/canvas-model.ts'

const Canvas = lazy(() => import('../editor/canvas/canvas.tsx').then((module) => ({ default: module.Canvas })))

/** An object on the way of a request, by its qualified name. */
export interface Mark {
  readonly object: string
  readonly text: string
}

/** The canvas of a route with the objects on the way of a request lit up. */
export function RoutePicture({ id, marks }: { id: string; marks: readonly Mark[] }) {
  const route = useQuery({
    queryKey: ['text', DEFAULT_ROUTER, id],
    queryFn: () => readRouteText(DEFAULT_ROUTER, id),
    // The picture is an addition: a route of another router has none here.
    retry: false,
  })
  const text = route.data?._source
  const byId = useMemo(() => (text === undefined ? new Map<string, string>() : marksById(text, marks)), [text, marks])
  if (text === undefined) return null
  return (
    <div className="try-canvas">
      <Suspense fallback={<p className="page-note">Loading the canvas…</p>}>
        <Canvas text={text} problems={[]} selected={null} marks={byId} onSelect={() => {}} />
      </Suspense>
    </div>
  )
}

/** The last part of a qualified name is the name of an object, or `{Type}` and its JSON pointer. */
function marksById(text: string, marks: readonly Mark[]): ReadonlyMap<string, string> {
  const nodes = allNodes(canvasModel(text))
  const ids = new Map<string, string>()
  for (const { object, text: mark } of marks) {
    const last = object.split('+').at(-1) ?? ''
    const pointer = /^\{[^}]*\}(\/.*)$/.exec(last)?.[1]
    const node = nodes.find(({ id, name }) => (pointer === undefined ? name === last : id === pointer))
    if (node !== undefined) ids.set(node.id, mark)
  }
  return ids
}
