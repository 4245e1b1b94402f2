import type { FitViewOptions, Viewport } from '@xyflow/react'
import { type RefObject, useEffect, useRef } from 'react'
import type { Layout } from '../../model/canvas-layout.ts'

type Fit = Pick<FitViewOptions, 'minZoom' | 'maxZoom' | 'padding'>

/** The whole picture, beside the controls and the overview, below the line of the response. */
const WIDE: Fit = {
  maxZoom: 1,
  padding: { top: '44px', bottom: '16px', left: '60px', right: '150px' },
}

/** On a phone, a part of the picture that is legible; the others are reached by panning. */
const NARROW: Fit = { minZoom: 0.55, maxZoom: 1, padding: { top: '40px', bottom: '12px', left: '24px', right: '24px' } }

export function fitOptions(): Fit {
  return matchMedia('(max-width: 640px)').matches ? NARROW : WIDE
}

/** Shows the whole picture again when its size or that of the canvas has changed, unless the user has moved or zoomed it. */
export function useFittedView(
  canvas: RefObject<HTMLElement | null>,
  flow: RefObject<{ fitView(options: Fit): Promise<boolean>; getViewport(): Viewport } | null>,
  { nodes }: Layout,
): void {
  const fitted = useRef<Viewport | null>(null)
  const width = nodes.reduce((most, { x }) => Math.max(most, x), 0)
  const height = nodes.reduce((most, { y }) => Math.max(most, y), 0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the size is what the picture is fitted to.
  useEffect(() => {
    const fit = async () => {
      const view = flow.current
      if (view === null || (fitted.current !== null && !isSame(view.getViewport(), fitted.current))) return
      await view.fitView(fitOptions())
      fitted.current = view.getViewport()
    }
    let frame = 0
    // After the new nodes are drawn, and React Flow knows its size.
    const fitSoon = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => void fit())
    }
    fitSoon()
    const observer = new ResizeObserver(fitSoon)
    if (canvas.current !== null) observer.observe(canvas.current)
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
    }
  }, [width, height])
}

function isSame(left: Viewport, right: Viewport): boolean {
  return left.x === right.x && left.y === right.y && left.zoom === right.zoom
}
