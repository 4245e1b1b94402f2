import { Body, type Exchange, type Handler, Headers, Response, reasonPhrase, respond } from '#http'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import { byteRange } from './byte-range.ts'
import { contentTypeOf } from './media-types.ts'
import { type OpenFile, openFile } from './open-file.ts'
import { isRangeApplicable, preconditions, validatorsOf } from './preconditions.ts'
import { type RequestedFile, requestedFile } from './requested-file.ts'

interface Site {
  /** Folders in the order in which they are searched. */
  readonly roots: readonly string[]
  /** Normalized: with a leading and without a trailing slash, or empty. */
  readonly basePath: string
  readonly welcomePages: readonly string[]
  readonly clock: Clock
  readonly logger: Logger
}

export function serveFiles(site: Site): Handler {
  return async (exchange) => {
    const { method, uri } = exchange.request
    if (method !== 'GET' && method !== 'HEAD') return refusal(405, { Allow: 'GET, HEAD' })
    const requested = requestedFile(uri.rawPath, site.basePath)
    const found = requested === null ? null : await find(requested, site)
    if (found === null || requested === null) return refusal(404)
    if (found === 'folder') return toFolder(requested, uri.rawQuery)
    try {
      const response = reply(exchange, found, site.clock.now())
      const { status, body } = response
      const hasFile = (status === 200 || status === 206) && !body.isEmpty
      // Closes the file when the exchange ends at the latest.
      if (hasFile) exchange.onComplete(() => body.cancel())
      else await found.handle.close()
      return response
    } catch (error) {
      await found.handle.close()
      throw error
    }
  }
}

async function find(requested: RequestedFile, site: Site): Promise<OpenFile | 'folder' | null> {
  const { names, isFolder } = requested
  for (const root of site.roots) {
    if (!isFolder) {
      const found = await openFile(root, names, site.logger)
      if (found !== null) return found
      continue
    }
    for (const page of site.welcomePages) {
      const found = await openFile(root, [...names, page], site.logger)
      if (found !== null && found !== 'folder') return found
    }
  }
  return null
}

/** A relative redirect: it can not lead to another server, and is correct behind path rewriting. */
function toFolder({ rawLast }: RequestedFile, rawQuery: string | null): Response {
  return respond(302, { Location: `./${rawLast}/${rawQuery === null ? '' : `?${rawQuery}`}` })
}

function reply(exchange: Exchange, file: OpenFile, now: number): Response {
  const { method, headers } = exchange.request
  const validators = validatorsOf(file.stats, now)
  const outcome = preconditions(headers, validators)
  if (outcome === 412) return refusal(412)
  const described = new Headers([
    ['Last-Modified', new Date(validators.modified).toUTCString()],
    ['ETag', validators.etag],
    // Caches revalidate each time, so that a client without access does not get a cached file.
    ['Cache-Control', 'no-cache'],
  ])
  if (outcome === 304) return new Response(304, { headers: described })
  described.add('Content-Type', contentTypeOf(file.name))
  described.add('X-Content-Type-Options', 'nosniff')
  described.add('Accept-Ranges', 'bytes')
  const size = Number(file.stats.size)
  if (method === 'HEAD') {
    described.add('Content-Length', String(size))
    return new Response(200, { headers: described })
  }
  // RFC 9110 section 14.2: ranges are for GET only.
  const asked = headers.all('range')
  const wanted = asked.length === 1 && isRangeApplicable(headers, validators) ? asked[0]! : null
  const range = byteRange(wanted, size)
  if (range === 'unsatisfiable') return refusal(416, { 'Content-Range': `bytes */${size}` })
  if (range === null) return new Response(200, { headers: described, body: content(file, 0, size) })
  const { first, last } = range
  described.add('Content-Range', `bytes ${first}-${last}/${size}`)
  return new Response(206, { headers: described, body: content(file, first, last - first + 1) })
}

/** Streams the file with back-pressure; the stream closes the file when it ends or is cancelled. */
function content({ handle }: OpenFile, start: number, length: number): Body {
  if (length === 0) return Body.empty
  return Body.fromStream(handle.createReadStream({ start, end: start + length - 1 }), length)
}

function refusal(status: number, headers: Record<string, string> = {}): Response {
  return respond(status, headers, reasonPhrase(status))
}
