import { columns, cut, type Paint, printable } from '../terminal.ts'
import type { LiveMetrics, RouteRates } from './live-metrics.ts'

const MIB = 1024 * 1024

const HEADINGS = ['ROUTE', 'REQ/S', '4XX/S', '5XX/S', 'ACTIVE', 'P50 MS', 'P99 MS', 'REQUESTS']

/** Characters of the name of a route. */
const ROUTE_WIDTH = 40

/** Size and first line of a table. */
interface TableLayout {
  readonly title: string
  /** Largest number of routes. */
  readonly limit: number
  /** Characters of a line. */
  readonly width: number
  /** Whether the values are those before the gateway went away. */
  readonly isStale?: boolean
}

/** Lines of the table: totals, load of the process, then routes. */
export function tableLines(
  metrics: LiveMetrics,
  { title, limit, width, isStale = false }: TableLayout,
  paint: Paint,
): string[] {
  const all = metrics.routes
  const shown = all.slice(0, Math.max(0, limit))
  const rows = columns([HEADINGS, ...shown.map(cells)])
  const hidden = all.length - shown.length
  return [
    paint(isStale ? 'red' : 'bold', cut(`Identity Gateway ${title}`, width)),
    cut(totalsLine(metrics), width),
    cut(processLine(metrics), width),
    '',
    ...rows.map((row, at) => {
      const text = cut(row, width)
      return at === 0 ? paint('bold', text) : painted(text, shown[at - 1] as RouteRates, paint)
    }),
    ...(hidden > 0 ? [paint('dim', `${hidden} more with fewer requests`)] : []),
  ]
}

/** Lines of the table beside those of routes. */
export const FIXED_LINES = 6

function totalsLine({ totals }: LiveMetrics): string {
  const { requestsPerSecond, clientErrorsPerSecond, serverErrorsPerSecond, active, p50, p99 } = totals
  const errors = `4xx/s ${rate(clientErrorsPerSecond)}  5xx/s ${rate(serverErrorsPerSecond)}`
  return `requests/s ${rate(requestsPerSecond)}  ${errors}  active ${active}  p50 ${latency(p50)} ms  p99 ${latency(p99)} ms`
}

function processLine(metrics: LiveMetrics): string {
  const { cpuShare, upstreamConnections, eventLoopDelay } = metrics
  const memory = metrics.value('memory', 'residentBytes')
  return [
    `cpu ${cpuShare === null ? '-' : `${Math.round(cpuShare * 100)} %`}`,
    `memory ${memory === null ? '-' : `${Math.round(memory / MIB)} MiB`}`,
    `client connections ${metrics.value('process', 'connections') ?? '-'}`,
    `upstream connections ${upstreamConnections}`,
    `event loop p99 ${latency(eventLoopDelay === null ? null : eventLoopDelay * 1000)} ms`,
    `units ${metrics.value('units', 'ready') ?? '-'}/${metrics.value('units', 'configured') ?? '-'}`,
  ].join('  ')
}

function cells(route: RouteRates): string[] {
  return [
    printable(route.route).slice(0, ROUTE_WIDTH),
    rate(route.requestsPerSecond),
    rate(route.clientErrorsPerSecond),
    rate(route.serverErrorsPerSecond),
    String(route.active),
    latency(route.p50),
    latency(route.p99),
    String(route.requests),
  ]
}

function painted(row: string, { serverErrorsPerSecond, clientErrorsPerSecond }: RouteRates, paint: Paint): string {
  if (serverErrorsPerSecond > 0) return paint('red', row)
  return clientErrorsPerSecond > 0 ? paint('yellow', row) : row
}

function rate(value: number): string {
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(1)
}

function latency(value: number | null): string {
  if (value === null) return '-'
  return value >= 10 ? String(Math.round(value)) : value.toFixed(1)
}
