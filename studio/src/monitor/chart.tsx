import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

const HEIGHT = 150
/** Seconds that a chart shows at least. */
const SHORTEST_TIME = 120

/** A value over time, with the number of now. */
export function Chart({
  title,
  now,
  times,
  values,
}: {
  title: string
  now: string
  times: readonly number[]
  values: readonly (number | null)[]
}) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  useEffect(() => {
    const element = host.current
    if (element === null) return
    const made = new uPlot(optionsOf(element.clientWidth), [[], []], element)
    plot.current = made
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      made.destroy()
    }
  }, [])
  useEffect(() => {
    plot.current?.setData([[...times], [...values]])
  })
  return (
    <section aria-label={title} className="tile">
      <h2>
        {title} <strong>{now}</strong>
      </h2>
      <div ref={host} aria-hidden="true" />
    </section>
  )
}

function optionsOf(width: number): uPlot.Options {
  const grid = { stroke: '#8888', width: 0.5 }
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: (_, min, max) => [Math.min(min, max - SHORTEST_TIME), max] },
      y: { range: (_, __, max) => [0, Math.max(1, max)] },
    },
    axes: [
      { stroke: 'gray', grid },
      { stroke: 'gray', grid },
    ],
    series: [{}, { stroke: '#2f7de1', width: 1.5, fill: '#2f7de122', points: { show: false } }],
  }
}
