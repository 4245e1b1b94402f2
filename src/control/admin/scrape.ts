import type { MetricSample } from '#contracts'
import { type Handler, Response } from '#http'
import { PROMETHEUS_CONTENT_TYPE, prometheusText } from '#metrics'
import { crestError } from './crest-error.ts'

const PATHS: ReadonlySet<string> = new Set(['/metrics/prometheus/0.0.4', '/metrics/prometheus'])

/** Whether a path is where Prometheus comes for the numbers. */
export function isScrapePath(path: string): boolean {
  return PATHS.has(path)
}

/** Answers a scrape. Those who come while one is being written get the same text: it may be some megabytes. */
export function scrapeHandler(collect: () => Promise<readonly MetricSample[]>): Handler {
  let writing: Promise<Buffer> | null = null
  const text = () => {
    writing ??= collect()
      .then(prometheusText)
      .finally(() => {
        writing = null
      })
    return writing
  }
  return async ({ request }) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return crestError(405, `${request.method} is not allowed here; a scrape is a GET`, { Allow: 'GET, HEAD' })
    }
    const headers = {
      'Content-Type': PROMETHEUS_CONTENT_TYPE,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    }
    return new Response(200, { headers, body: await text() })
  }
}
