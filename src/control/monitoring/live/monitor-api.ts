import { AdminCallerContext } from '#contracts'
import {
  type ApiSecurity,
  commonRest,
  crestError,
  type Endpoint,
  parseQueryFilter,
  type ServedEndpoint,
  type Singleton,
} from '#crest'
import { Body, type Exchange, type Handler, isCrossOrigin, type Request, Response } from '#http'
import { MONITOR_DESCRIPTIONS } from '../monitor-descriptions.ts'
import { type EventStream, EventStreams } from './event-stream.ts'
import type { LiveRequests } from './live-requests.ts'
import type { MetricsFeed } from './metrics-feed.ts'
import type { RequestTraces } from './request-traces.ts'

/** Path that contains the live monitor. */
export const MONITOR = '/api/monitor'

const DEFAULT_RATE = 50
const MAX_RATE = 1_000

interface MonitorInput {
  readonly feed: MetricsFeed
  readonly requests: LiveRequests
  readonly traces: RequestTraces
  readonly security: ApiSecurity | null
}

/** The live monitor below `/api/monitor`. */
export interface MonitorApi {
  readonly handler: Handler
  readonly endpoints: readonly ServedEndpoint[]
  readonly streams: EventStreams
}

/** Opens a stream, or returns why its parameters are invalid. */
type Opening = (request: Request) => string | ((stream: EventStream) => void)

export function monitorApi({ feed, requests, traces, security }: MonitorInput): MonitorApi {
  const streams = new EventStreams()
  const serve = (name: string, endpoint: Endpoint, opening: Opening | null) => {
    const base = `${MONITOR}/${name}`
    const rest = commonRest(endpoint, { base, security })
    const handler: Handler = async (exchange) => {
      return opening === null || !isStreamRequest(exchange.request) ? rest(exchange) : open(exchange, streams, opening)
    }
    return { endpoint, base, handler }
  }
  const served = [
    serve(
      'metrics',
      { kind: 'singleton', description: MONITOR_DESCRIPTIONS.endpoints.metrics, events: { parameters: [] } },
      (request) => {
        return unknownParameter(request, []) ?? ((stream) => sendMetrics(stream, feed))
      },
    ),
    serve(
      'history',
      {
        kind: 'singleton',
        description: MONITOR_DESCRIPTIONS.endpoints.history,
        read: async () => ({ id: 'history', revision: null, content: feed.history }),
      },
      null,
    ),
    serve('trace', traces.endpoint, null),
    serve('requests', REQUESTS, (request) => {
      const watch = watchIn(request)
      return typeof watch === 'string' ? watch : (stream) => requests.open(stream, watch)
    }),
  ]
  return {
    streams,
    endpoints: served,
    handler: async (exchange) => {
      const { path, rawPath } = exchange.request.uri
      const found = served.find(({ base }) => rawPath === base || rawPath.startsWith(`${base}/`))
      return found?.handler(exchange) ?? crestError(404, `there is nothing at ${path}`)
    },
  }
}

const REQUESTS: Singleton = {
  kind: 'singleton',
  description: MONITOR_DESCRIPTIONS.endpoints.requests,
  events: {
    parameters: [
      { name: '_queryFilter', description: 'Which requests; all without it.' },
      { name: 'rate', description: `Events for each second, 1 to ${MAX_RATE}; ${DEFAULT_RATE} by default.` },
    ],
  },
}

function isStreamRequest({ method, queryParams }: Request): boolean {
  const isDescriptor = Object.keys(queryParams).some((name) => ['_api', '_crestapi'].includes(name.toLowerCase()))
  return (method === 'GET' || method === 'HEAD') && !isDescriptor
}

function open(exchange: Exchange, streams: EventStreams, opening: Opening): Response {
  const { request } = exchange
  // A page of another origin can not read the events, but would use up the streams.
  if (isCrossOrigin(request)) return crestError(403, 'event streams are not opened for pages of another origin')
  const start = opening(request)
  if (typeof start === 'string') return crestError(400, start)
  const headers = {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    // Proxies would collect events.
    'X-Accel-Buffering': 'no',
  }
  if (request.method === 'HEAD') return new Response(200, { headers })
  const stream = streams.open()
  if (stream === null) return crestError(503, 'too many event streams are open; close one', { 'Retry-After': '5' })
  const unwatch = exchange.context(AdminCallerContext)?.onSessionEnd?.(() => stream.end())
  if (unwatch !== undefined) stream.onEnd(unwatch)
  start(stream)
  return new Response(200, { headers, body: Body.fromSource(stream) })
}

/** Every route in the first event, and after events that the client did not read. */
function sendMetrics(stream: EventStream, feed: MetricsFeed): void {
  let hasAll = false
  const unsubscribe = feed.subscribe(({ changed, all }) => {
    if (stream.isWritable) hasAll = stream.send(hasAll ? changed : all())
    else hasAll = false
  })
  stream.onEnd(unsubscribe)
}

function watchIn(request: Request): string | { filter: string | null; rate: number } {
  const problem = unknownParameter(request, ['_queryFilter', 'rate'])
  if (problem !== null) return problem
  const { _queryFilter: [filter = null] = [], rate: [rate = null] = [] } = request.queryParams
  const number = rate === null ? DEFAULT_RATE : /^\d{1,4}$/.test(rate) ? Number(rate) : 0
  if (number < 1 || number > MAX_RATE)
    return `rate: expected 1 to ${MAX_RATE}, got ${JSON.stringify(rate?.slice(0, 40))}`
  try {
    const parsed = filter === null ? null : parseQueryFilter(filter)
    // Units count requests beyond the rate without evaluating a filter that matches all.
    const matchesAll = parsed === null || (parsed.kind === 'literal' && parsed.value)
    return { filter: matchesAll ? null : filter, rate: number }
  } catch (error) {
    return (error as Error).message
  }
}

function unknownParameter({ queryParams }: Request, known: readonly string[]): string | null {
  for (const [name, values] of Object.entries(queryParams)) {
    if (!known.includes(name)) return `${JSON.stringify(name.slice(0, 40))} is not a parameter of this stream`
    if (values.length > 1) return `${name} is given more than once`
  }
  return null
}
