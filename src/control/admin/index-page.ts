import { crestError } from '#crest'
import { acceptedFormat, escapeHtml, type Handler, PAGE_HEADERS, pageHtml, Response } from '#http'

/** A link of the index: a path below the root of the management connector. */
interface IndexEntry {
  readonly path: string
  readonly title: string
  readonly description: string
}

const ENTRIES: readonly IndexEntry[] = [
  { path: 'studio/', title: 'Studio', description: 'Routes, requests and metrics in the browser.' },
  { path: 'api/info', title: 'Information', description: 'Version, mode and revision of the configuration.' },
  { path: 'api?_api', title: 'Management API', description: 'OpenAPI document of all endpoints below /api.' },
  {
    path: 'api/system/objects/_router/routes?_queryFilter=true',
    title: 'Routes',
    description: 'Routes of the default router, with _fields=_status also their states.',
  },
  {
    path: 'api/system/types?_queryFilter=true',
    title: 'Object types',
    description: 'Every type of object, with its JSON Schema.',
  },
  { path: 'metrics/prometheus', title: 'Metrics', description: 'Scrape endpoint of Prometheus.' },
  { path: 'metrics/api?_queryFilter=true', title: 'Metrics as JSON', description: 'The same as Common REST.' },
  { path: 'health/live', title: 'Liveness', description: '200 while the process works.' },
  { path: 'health/ready?verbose', title: 'Readiness', description: '200 while it accepts traffic, with all checks.' },
  { path: 'health/startup', title: 'Startup', description: '200 once all units have started.' },
]

/** Input of the index. */
interface IndexInput {
  readonly version: string
  readonly prefix: string
  readonly hasStudio: boolean
}

/** The index of the management connector: its endpoints, as a page or as JSON by Accept. */
export function indexHandler({ version, prefix, hasStudio }: IndexInput): Handler {
  const entries = ENTRIES.filter(({ path }) => hasStudio || path !== 'studio/')
  return async ({ request, originalUri }) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return crestError(405, `${request.method} is not allowed here; there are GET, HEAD`, { Allow: 'GET, HEAD' })
    }
    const root = originalUri.rawPath === request.uri.rawPath ? '/' : `/${prefix}/`
    const links = entries.map((entry) => ({ ...entry, path: root + entry.path }))
    const common = { Vary: 'Accept', 'X-Content-Type-Options': 'nosniff' }
    if (acceptedFormat(request.headers.get('accept')) === 'html') {
      return new Response(200, { headers: { ...PAGE_HEADERS, ...common }, body: indexPage(version, links) })
    }
    const headers = { ...common, 'Cache-Control': 'no-store', 'Content-Type': 'application/json; charset=UTF-8' }
    return new Response(200, { headers, body: `${JSON.stringify({ version, endpoints: links }, null, 2)}\n` })
  }
}

function indexPage(version: string, links: readonly IndexEntry[]): string {
  const items = links.map(
    ({ path, title, description }) => `<li><a href="${escapeHtml(path)}">${title}</a>: ${escapeHtml(description)}</li>`,
  )
  return pageHtml('Identity Gateway', [
    `<p>Version ${escapeHtml(version)}. Endpoints of the management connector:</p>`,
    `<ul>${items.join('')}</ul>`,
    `<p>The documentation of this version is in the folder <code>docs</code> of its package.</p>`,
  ])
}
