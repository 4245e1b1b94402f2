import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { MetricSample } from '#contracts'
import { type Handler, Response } from '#http'
import { PROMETHEUS_CONTENT_TYPE, prometheusText } from '#metrics'
import { acceptsCoding } from './accepted-coding.ts'
import { crestError } from './crest-error.ts'

const PATHS: ReadonlySet<string> = new Set(['/metrics/prometheus/0.0.4', '/metrics/prometheus'])

const compress = promisify(gzip)

/** Whether a path is a Prometheus endpoint. */
export function isScrapePath(path: string): boolean {
  return PATHS.has(path)
}

/** The body of a scrape, plain and compressed; compressed on first use. */
interface Scrape {
  readonly text: Buffer
  compressed: Promise<Buffer> | null
}

/** Serves scrapes. Concurrent ones share one text, which may be some megabytes. */
export function scrapeHandler(collect: () => Promise<readonly MetricSample[]>): Handler {
  let writing: Promise<Scrape> | null = null
  const write = () => {
    writing ??= collect()
      .then(prometheusText)
      .then((text) => ({ text, compressed: null }))
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
      Vary: 'Accept-Encoding',
    }
    const scrape = await write()
    // Prometheus accepts gzip, which reduces the text to a twentieth.
    if (!acceptsCoding(request, 'gzip')) return new Response(200, { headers, body: scrape.text })
    scrape.compressed ??= compress(scrape.text, { level: constants.Z_BEST_SPEED })
    return new Response(200, { headers: { ...headers, 'Content-Encoding': 'gzip' }, body: await scrape.compressed })
  }
}
