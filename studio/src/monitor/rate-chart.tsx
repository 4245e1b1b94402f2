import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { MetricsEvent } from './monitor-page.tsx'

/** Requests per second over time, with the number of now. */
export function RateChart({ events }: { events: readonly MetricsEvent[] }) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const rates = events.map(rateOf)
  useEffect(() => {
    if (host.current === null) return
    const made = new uPlot(
      {
        width: host.current.clientWidth,
        height: 180,
        legend: { show: false },
        scales: { y: { range: (_, __, max) => [0, Math.max(1, max)] } },
        axes: [{ stroke: 'gray' }, { stroke: 'gray' }],
        series: [{}, { stroke: '#1f6feb', width: 1.5, fill: '#1f6feb22' }],
      },
      [[], []],
      host.current,
    )
    plot.current = made
    return () => made.destroy()
  }, [])
  useEffect(() => {
    plot.current?.setData([events.map(({ timestamp }) => Date.parse(timestamp) / 1000), rates])
  })
  return (
    <section aria-label="Requests per second" className="tile">
      <h2>
        Requests per second <strong>{(rates.at(-1) ?? 0).toFixed(1)}</strong>
      </h2>
      <div ref={host} aria-hidden="true" />
    </section>
  )
}

function rateOf(event: MetricsEvent): number {
  const totals = event['totals'] as { requestsPerSecond?: number } | undefined
  return totals?.requestsPerSecond ?? 0
}
