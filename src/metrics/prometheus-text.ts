import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Exemplar, MetricSample } from '#contracts'
import { quantile } from './histogram.ts'

/** Formats of a scrape: the text format 0.0.4 of Prometheus, and OpenMetrics 1.0, which has exemplars. */
export type ScrapeFormat = 'prometheus' | 'openmetrics'

/** Media types of `prometheusText`. */
export const SCRAPE_CONTENT_TYPES: Readonly<Record<ScrapeFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

const QUANTILES = [0.5, 0.75, 0.95, 0.98, 0.99, 0.999] as const

/** Samples written before yielding to the event loop. */
const SAMPLES_AT_ONCE = 1000

const TOTAL = /_total$/

/** Writes samples in a format of Prometheus, sorted by name. */
export async function prometheusText(
  samples: readonly MetricSample[],
  format: ScrapeFormat = 'prometheus',
): Promise<Buffer> {
  // The caller has used this turn of the event loop to merge the samples.
  if (samples.length > SAMPLES_AT_ONCE) await nextTurn()
  const families = Map.groupBy(samples, ({ name }) => name)
  const chunks: Buffer[] = []
  let text = ''
  let written = 0
  for (const name of [...families.keys()].sort()) {
    const family = families.get(name) as MetricSample[]
    const [first] = family as [MetricSample]
    text += familyLines(first, format)
    for (const sample of family) {
      // Prometheus rejects a scrape that has a metric with two types.
      if (sample.type === first.type) text += sampleLines(sample, format)
      if (++written % SAMPLES_AT_ONCE > 0) continue
      chunks.push(Buffer.from(text))
      text = ''
      await nextTurn()
    }
  }
  if (format === 'openmetrics') text += '# EOF\n'
  chunks.push(Buffer.from(text))
  return Buffer.concat(chunks)
}

/** In OpenMetrics the family of a counter has no suffix, and a counter without the suffix `_total` is of unknown type. */
function familyLines({ name, type, help }: MetricSample, format: ScrapeFormat): string {
  const isCounter = format === 'openmetrics' && type === 'counter'
  const family = isCounter ? name.replace(TOTAL, '') : name
  const shownType = isCounter && !TOTAL.test(name) ? 'unknown' : type
  const shownHelp = format === 'openmetrics' ? escapeValue(help) : escapeHelp(help)
  return `# HELP ${family} ${shownHelp}\n# TYPE ${family} ${shownType}\n`
}

function sampleLines(sample: MetricSample, format: ScrapeFormat): string {
  const { name, type, labels, value, count = 0, recent } = sample
  const pairs = labelPairs(labels)
  const all = pairs === '' ? '' : `{${pairs}}`
  const before = pairs === '' ? '' : `${pairs},`
  const totals = `${name}_sum${all} ${numberText(value)}\n${name}_count${all} ${count}\n`
  if (type === 'histogram') return bucketLines(sample, before, format) + totals
  if (type !== 'summary') return `${name}${all} ${numberText(value)}\n`
  const quantiles = QUANTILES.map((part) => {
    const at = recent === undefined ? null : quantile(recent, part)
    // The format allows omitting quantiles without observations.
    return at === null ? '' : `${name}{${before}quantile="${part}"} ${numberText(at)}\n`
  })
  return `${quantiles.join('')}${totals}`
}

/** Cumulative counts. Exemplars are in OpenMetrics only: the text format 0.0.4 has no syntax for them. */
function bucketLines({ name, buckets }: MetricSample, before: string, format: ScrapeFormat): string {
  if (buckets === undefined) return ''
  const { bounds, counts, exemplars } = buckets
  let below = 0
  return counts
    .map((count, bucket) => {
      below += count
      const exemplar = format === 'openmetrics' ? (exemplars[bucket] ?? null) : null
      const bound = boundText(bounds[bucket] ?? Number.POSITIVE_INFINITY, format)
      return `${name}_bucket{${before}le="${bound}"} ${below}${exemplar === null ? '' : exemplarText(exemplar)}\n`
    })
    .join('')
}

function exemplarText({ traceId, spanId, value, time }: Exemplar): string {
  return ` # {trace_id="${traceId}",span_id="${spanId}"} ${value} ${time.toFixed(3)}`
}

/** OpenMetrics writes whole numbers with a fraction. */
function boundText(bound: number, format: ScrapeFormat): string {
  return format === 'openmetrics' && Number.isInteger(bound) ? `${bound}.0` : numberText(bound)
}

function labelPairs(labels: Readonly<Record<string, string>>): string {
  let pairs = ''
  for (const name in labels) {
    if (pairs !== '') pairs += ','
    pairs += `${name}="${escapeValue(labels[name] as string)}"`
  }
  return pairs
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' }

function escapeValue(value: string): string {
  const text = value.toWellFormed()
  return /[\\\n"]/.test(text) ? text.replace(/[\\\n"]/g, (found) => ESCAPES[found] as string) : text
}

function escapeHelp(help: string): string {
  return help.toWellFormed().replace(/[\\\n]/g, (found) => ESCAPES[found] as string)
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
