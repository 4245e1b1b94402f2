import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MetricSample } from '#contracts'
import { quantile } from './histogram.ts'

/** Media type of `prometheusText`. */
export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const QUANTILES = [0.5, 0.75, 0.95, 0.98, 0.99, 0.999] as const

/** Samples written before yielding to the event loop. */
const SAMPLES_AT_ONCE = 1000

/** Writes samples in the text format of Prometheus, version 0.0.4, sorted by name. */
export async function prometheusText(samples: readonly MetricSample[]): Promise<Buffer> {
  // The caller has used this turn of the event loop to merge the samples.
  if (samples.length > SAMPLES_AT_ONCE) await nextTurn()
  const families = Map.groupBy(samples, ({ name }) => name)
  const chunks: Buffer[] = []
  let text = ''
  let written = 0
  for (const name of [...families.keys()].sort()) {
    const family = families.get(name) as MetricSample[]
    const { help, type } = family[0] as MetricSample
    text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`
    for (const sample of family) {
      // Prometheus rejects a scrape that has a metric with two types.
      if (sample.type === type) text += sampleLines(sample)
      if (++written % SAMPLES_AT_ONCE > 0) continue
      chunks.push(Buffer.from(text))
      text = ''
      await nextTurn()
    }
  }
  chunks.push(Buffer.from(text))
  return Buffer.concat(chunks)
}

function sampleLines({ name, type, labels, value, count = 0, recent }: MetricSample): string {
  const pairs = labelPairs(labels)
  const all = pairs === '' ? '' : `{${pairs}}`
  if (type !== 'summary') return `${name}${all} ${numberText(value)}\n`
  const before = pairs === '' ? '' : `${pairs},`
  const quantiles = QUANTILES.map((part) => {
    const at = recent === undefined ? null : quantile(recent, part)
    // The format allows omitting quantiles without observations.
    return at === null ? '' : `${name}{${before}quantile="${part}"} ${numberText(at)}\n`
  })
  return `${quantiles.join('')}${name}_sum${all} ${numberText(value)}\n${name}_count${all} ${count}\n`
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
