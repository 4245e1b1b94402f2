import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { measureText } from './measures.ts'

const HEIGHT = 150
/** Seconds that a chart shows at least. */
const SHORTEST_TIME = 120

/** One line of a chart, in one of the colours of the theme. */
export interface ChartSeries {
  readonly label: string
  readonly tone: 'blue' | 'green' | 'violet' | 'amber' | 'red'
  readonly values: readonly (number | null)[]
  /** The value of now. */
  readonly now: number | null
}

/** Values over time, with the numbers of now: beside the title for one series, in a legend for several. */
export function Chart({
  title,
  times,
  series,
}: {
  title: string
  times: readonly number[]
  series: readonly ChartSeries[]
}) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const tones = series.map(({ tone }) => tone).join(' ')
  useEffect(() => {
    const element = host.current
    if (element === null) return
    const lines = tones.split(' ')
    const made = new uPlot(optionsOf(element, lines), [[], ...lines.map(() => [])], element)
    plot.current = made
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      made.destroy()
    }
  }, [tones])
  useEffect(() => {
    plot.current?.setData([[...times], ...series.map(({ values }) => [...values])])
  })
  const [only] = series
  return (
    <section aria-label={title} className="tile">
      <h2>
        {title} {series.length === 1 && only !== undefined && <strong>{measureText(only.now)}</strong>}
      </h2>
      {series.length > 1 && (
        <dl className="legend">
          {series.map(({ label, tone, now }) => (
            <div key={label}>
              <dt>
                <span className={`swatch ${tone}`} aria-hidden="true" />
                {label}
              </dt>
              <dd>{measureText(now)}</dd>
            </div>
          ))}
        </dl>
      )}
      <div ref={host} className="plot" aria-hidden="true" />
    </section>
  )
}

function optionsOf(element: HTMLElement, tones: readonly string[]): uPlot.Options {
  const { width } = element.getBoundingClientRect()
  // Read when it is drawn: the system may change between light and dark.
  const axis: uPlot.Axis = { stroke: () => getComputedStyle(element).color, grid: { stroke: '#8886', width: 0.5 } }
  const colour = (tone: string) => getComputedStyle(element).getPropertyValue(`--tone-${tone}`)
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: ({ data: [times] }) => timeRange(times) },
      y: { range: (_, __, max) => [0, Math.max(1, max)] },
    },
    axes: [{ ...axis, space: 80, values: (_, splits) => splits.map(timeText) }, axis],
    series: [
      {},
      ...tones.map((tone) => ({
        stroke: colour(tone),
        width: 1.5,
        points: { show: false },
        ...(tones.length === 1 && { fill: `${colour(tone)}22` }),
      })),
    ],
  }
}

function timeText(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB')
}

/** From the first sample, or a shortest time before the last one: uPlot shows years around a single sample. */
function timeRange(times: ArrayLike<number>): [number, number] {
  const last = times[times.length - 1] ?? Date.now() / 1000
  return [Math.min(times[0] ?? last, last - SHORTEST_TIME), last]
}
