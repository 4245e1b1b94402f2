import { randomBytes } from 'node:crypto'
import { crestError } from '#crest'
import { escapeHtml, type Handler, pageResponse, type Request, Response } from '#http'
import type { Logger } from '#logging'
import { EVENTS } from '../../log-events.ts'
import { acceptsCoding } from '../accepted-coding.ts'
import { buildStamp, CODINGS, type PageBuild, type PageFile, readBuild } from './page-files.ts'

const ROOT = '/studio/'
const INDEX = 'index.html'

/** Names with a hash of the content, by the bundler. */
const HASHED = /^assets\/.+-[\w-]{8,}\.\w+$/

/** Placeholders in index.html, replaced for each response. */
const NONCE = /__CSP_NONCE__/g
const BASE = /__STUDIO_BASE__/g

const SECURITY = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Whether a path is that of a page of the Studio, or leads to it; they are served without credentials. */
export function isPagePath(path: string): boolean {
  return path === '/' || path === '/studio' || path.startsWith(ROOT)
}

/** Pages of the Studio. */
interface PagesInput {
  /** Folder of the build. */
  readonly directory: string
  /** First segment of paths, where a request has it. */
  readonly prefix: string
  readonly logger: Logger
}

/** Serves the build of the Studio from memory; paths of requests are never paths of files. */
export function studioPages({ directory, prefix, logger }: PagesInput): Handler {
  const builds = new CurrentBuild(directory, logger)
  return async (exchange) => {
    const { method, uri } = exchange.request
    if (method !== 'GET' && method !== 'HEAD') {
      return crestError(405, `${method} is not allowed here; there are GET, HEAD`, { Allow: 'GET, HEAD' })
    }
    const root = exchange.originalUri.rawPath === uri.rawPath ? ROOT : `/${prefix}${ROOT}`
    if (!uri.path.startsWith(ROOT)) return new Response(302, { headers: { ...SECURITY, Location: root } })
    const path = uri.path.slice(ROOT.length)
    const isAsset = path.startsWith('assets/')
    const build = await (isAsset ? builds.loaded() : builds.current())
    if (build === null) return notBuilt()
    const file = path === INDEX ? undefined : build.files.get(path)
    if (file !== undefined) return fileResponse(exchange.request, file, HASHED.test(path))
    if (isAsset) return crestError(404, `there is nothing at ${uri.path}`)
    // Every other path is a page of the application.
    return indexResponse(build.files.get(INDEX) as PageFile, root)
  }
}

/** The build of the folder, read again when it has changed. */
class CurrentBuild {
  readonly #directory: string
  readonly #logger: Logger
  #build: PageBuild | null = null
  #reading: Promise<PageBuild | null> | null = null

  constructor(directory: string, logger: Logger) {
    this.#directory = directory
    this.#logger = logger
  }

  /** The last build that was read, so that the parts of one page come from one build. */
  async loaded(): Promise<PageBuild | null> {
    return this.#build ?? this.current()
  }

  /** The build as it is now. */
  current(): Promise<PageBuild | null> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #read(): Promise<PageBuild | null> {
    const stamp = await buildStamp(this.#directory)
    if (stamp === null || stamp === this.#build?.stamp) return this.#build
    try {
      const build = await readBuild(this.#directory, stamp)
      if (build.files.has(INDEX)) this.#build = build
    } catch (error) {
      this.#logger.limited().warn({ error, directory: this.#directory }, EVENTS.STUDIO_UNREADABLE)
    }
    return this.#build
  }
}

async function fileResponse(request: Request, file: PageFile, isHashed: boolean): Promise<Response> {
  const { type, revision, content, isCompressible } = file
  const coding = isCompressible ? CODINGS.find((each) => acceptsCoding(request, each)) : undefined
  const etag = `"${revision}${coding === undefined ? '' : `-${coding}`}"`
  const headers = {
    ...SECURITY,
    'Content-Type': type,
    'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: etag,
    Vary: 'Accept-Encoding',
  }
  if (matches(request, etag)) return new Response(304, { headers })
  if (coding === undefined) return new Response(200, { headers, body: content })
  return new Response(200, { headers: { ...headers, 'Content-Encoding': coding }, body: await file.encoded(coding) })
}

/** RFC 9110, section 13.1.2. */
function matches({ headers }: Request, etag: string): boolean {
  const tags = headers.all('if-none-match').join(',').split(',')
  return tags.some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}

/** Without an ETag: a response 304 would bring another nonce than the cached page has. */
function indexResponse({ content, type }: PageFile, root: string): Response {
  const nonce = randomBytes(16).toString('base64url')
  const html = content
    .toString('utf8')
    .replace(NONCE, nonce)
    .replace(BASE, () => escapeHtml(root))
  return new Response(200, {
    headers: {
      ...SECURITY,
      'Content-Type': type,
      'Content-Security-Policy': policy(nonce),
      'X-Frame-Options': 'DENY',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
    },
    body: html,
  })
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function notBuilt(): Response {
  return pageResponse(503, {
    title: 'The Studio is not built',
    text: 'The folder studio/dist has no build. Run "npm run studio:build" in the folder of the gateway, then load this page again.',
    link: null,
  })
}
