import type { MetricSample } from '#contracts'
import { type Collection, PageCookies, queryResources, Refusal, type Resource } from '#crest'
import type { JsonObject, JsonValue } from '#json'
import { MONITOR_DESCRIPTIONS } from './monitor-descriptions.ts'
import { timerContent } from './timer-content.ts'

/** Names of the metrics of a route in the collection (spec: Route metrics). */
const ROUTE_METRICS: Readonly<Record<string, string>> = {
  gw_route_request_total: 'request',
  gw_route_request_active: 'request.active',
  gw_route_response_error_total: 'response.error',
  gw_route_response_null_total: 'response.null',
  gw_route_response_status_total: 'response.status',
  gw_route_response_time: 'response.time',
}

/** The metrics of routes as a read-only Common REST collection. */
export function metricsCollection(collect: () => Promise<readonly MetricSample[]>): Collection {
  const cookies = new PageCookies()
  return {
    kind: 'collection',
    description: MONITOR_DESCRIPTIONS.endpoints.routeMetrics,
    read: async (_, id) => {
      const sample = (await collect()).find((one) => knownId(one) === id)
      if (sample === undefined) return new Refusal(404, 'there is no metric of this id')
      return new MetricResource(id, sample)
    },
    query: async (_, query) => queryResources(resourcesOf(await collect()), query, { cookies }),
  }
}

/** Generated lazily: of ten thousand routes, a query matches few. */
function* resourcesOf(samples: readonly MetricSample[]): Generator<Resource> {
  for (const sample of samples) {
    const id = knownId(sample)
    if (id !== null) yield new MetricResource(id, sample)
  }
}

/** A metric. Its content is computed on first read, since there are very many. */
class MetricResource implements Resource {
  readonly id: string
  readonly revision = null
  readonly #sample: MetricSample
  #content: JsonObject | null = null

  constructor(id: string, sample: MetricSample) {
    this.id = id
    this.#sample = sample
  }

  get content(): JsonObject {
    this.#content ??= contentOf(this.#sample)
    return this.#content
  }

  field(name: string): JsonValue | undefined {
    const { type, value, count } = this.#sample
    if (name === '_type') return type === 'summary' ? 'timer' : type
    if (name === 'count' && type !== 'gauge') return type === 'counter' ? value : (count ?? 0)
    if (name === 'value') return type === 'gauge' ? value : undefined
    if (type !== 'summary') return undefined
    return Object.hasOwn(this.content, name) ? this.content[name] : undefined
  }
}

/** Cache of the ids of samples: building them is the most expensive part of a query. */
function knownId(sample: MetricSample): string | null {
  const { series } = sample
  if (series === undefined) return idOf(sample)
  if (series.listedAs === undefined) series.listedAs = idOf(sample)
  return series.listedAs
}

/** `heap.<router-name>.route.<route-name>.<metric>`; null for a metric outside the collection. */
function idOf({ name, labels }: MetricSample): string | null {
  const heap = `heap.${(labels['router'] ?? '').replace(/^gateway\./, '')}`
  if (name === 'gw_router_deployed_routes') return `${heap}.deployed-routes`
  const metric = Object.hasOwn(ROUTE_METRICS, name) ? ROUTE_METRICS[name] : undefined
  if (metric === undefined) return null
  const family = labels['family'] === undefined ? '' : `.${labels['family'].toLowerCase()}`
  return `${heap}.route.${labels['name'] ?? ''}.${metric}${family}`
}

function contentOf(sample: MetricSample): JsonObject {
  if (sample.type === 'counter') return { count: sample.value, _type: 'counter' }
  if (sample.type === 'gauge') return { value: sample.value, _type: 'gauge' }
  return timerContent(sample, Date.now())
}
