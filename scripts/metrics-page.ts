// docs/reference/metrics.md, generated from the calls in src that declare metrics.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MetricNote } from './reference/flow-page.ts'
import { root } from './steps.ts'

export const METRICS_PAGE = 'docs/reference/metrics.md'

/** A call, or a row of a table, whose first two elements are the name of a metric and its help text, or a constant with the text. */
const DECLARATION = /(\w*)[([]\s*'((?:gw|process|http_server)_[a-z0-9_]+)',\s*(?:'((?:[^'\\]|\\.)*)'|(\w+)\b)/g

/** In a list of names, such as those of a definition, the second element is no help text. */
const NAME = /^(?:gw|process|http_server)_[a-z0-9_]+$/

/** By the method that declares a metric. */
const TYPES: Readonly<Record<string, MetricNote['type']>> = { summary: 'summary', histogram: 'histogram' }

/** Metrics by name. */
export function declaredMetrics(): readonly MetricNote[] {
  const found = new Map<string, MetricNote>()
  for (const path of globSync('{src,packages}/**/*.ts', { cwd: root })) {
    if (path.endsWith('.test.ts')) continue
    const source = readFileSync(join(root, path), 'utf8')
    for (const [, method, name, text, constant] of source.matchAll(DECLARATION)) {
      const help = text ?? constantText(source, constant)
      if (name === undefined || help === undefined || NAME.test(help) || found.has(name)) continue
      const type = name.endsWith('_total') ? 'counter' : (TYPES[method ?? ''] ?? 'gauge')
      found.set(name, { name, type, help: help.replaceAll("\\'", "'") })
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function constantText(source: string, name: string | undefined): string | undefined {
  return new RegExp(`const ${name} =\\s*'((?:[^'\\\\]|\\\\.)*)'`).exec(source)?.[1]
}

export function metricsPage(): string {
  const rows = declaredMetrics().map(
    ({ name, type, help }) => `| \`${name}\` | ${type} | ${help.replaceAll('|', '\\|')} |`,
  )
  return `<!-- Made by \`npm run generate\` from the declarations in src. Do not edit. -->

# Metrics

Metrics of the gateway, at \`/metrics/prometheus\` of the admin connector; [monitoring](../guide/monitoring.md) says which to watch.

| Metric | Type | Meaning |
|---|---|---|
${rows.join('\n')}
`
}
