import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { MetricSample } from '#contracts'
import { crestError } from '#crest'
import { type Handler, type Request, Response } from '#http'
import { prometheusText, SCRAPE_CONTENT_TYPES, type ScrapeFormat } from '#metrics'
import { acceptsCoding } from './accepted-coding.ts'

/** Always in the format that its name has. */
const TEXT_PATH = '/metrics/prometheus/0.0.4'
const PATHS: ReadonlySet<string> = new Set([TEXT_PATH, '/metrics/prometheus'])

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
  const writing: Record<ScrapeFormat, Promise<Scrape> | null> = { prometheus: null, openmetrics: null }
  const write = (format: ScrapeFormat) => {
    writing[format] ??= collect()
      .then((samples) => prometheusText(samples, format))
      .then((text) => ({ text, compressed: null }))
      .finally(() => {
        writing[format] = null
      })
    return writing[format]
  }
  return async ({ request }) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return crestError(405, `${request.method} is not allowed here; a scrape is a GET`, { Allow: 'GET, HEAD' })
    }
    const format = formatOf(request)
    const headers = {
      'Content-Type': SCRAPE_CONTENT_TYPES[format],
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept, Accept-Encoding',
    }
    const scrape = await write(format)
    // Prometheus accepts gzip, which reduces the text to a twentieth.
    if (!acceptsCoding(request, 'gzip')) return new Response(200, { headers, body: scrape.text })
    scrape.compressed ??= compress(scrape.text, { level: constants.Z_BEST_SPEED })
    return new Response(200, { headers: { ...headers, 'Content-Encoding': 'gzip' }, body: await scrape.compressed })
  }
}

/** OpenMetrics where the client prefers it to plain text, as Prometheus does. */
function formatOf({ uri, headers }: Request): ScrapeFormat {
  if (uri.path.endsWith(TEXT_PATH)) return 'prometheus'
  const preference = (mediaType: string): number =>
    Math.max(
      0,
      ...headers
        .all('accept')
        .flatMap((list) => list.split(','))
        .map((range) => quality(range, mediaType)),
    )
  const openMetrics = preference('application/openmetrics-text')
  return openMetrics > 0 && openMetrics >= preference('text/plain') ? 'openmetrics' : 'prometheus'
}

/** The weight of a media range (RFC 9110, section 12.4.2); 0 for another type, and for an OpenMetrics version that is not written. */
function quality(range: string, mediaType: string): number {
  const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  if (type !== mediaType) return 0
  const parameter = (name: string) => parameters.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1)
  if (type.includes('openmetrics') && !['1.0.0', '1', undefined].includes(parameter('version'))) return 0
  const weight = Number(parameter('q') ?? 1)
  return weight >= 0 && weight <= 1 ? weight : 0
}
