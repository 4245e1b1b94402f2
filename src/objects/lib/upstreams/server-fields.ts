import { parseAuthority, Uri } from '#http'
import { config, field, integer, list, object, type UpstreamServerPlan } from '#schema'

const EXAMPLE = '"http://10.0.0.1:8080"'
const SCHEMES: ReadonlySet<string> = new Set(['http', 'https'])

/** The URL of a server: scheme, host and port alone. */
export function serverUrl() {
  return field<string>(
    { label: 'the URL of a server', schema: () => ({ type: 'string', format: 'uri' }) },
    (value, report) => {
      const problem = typeof value === 'string' ? problemOf(value) : `expected the URL of a server such as ${EXAMPLE}`
      if (problem === null) return value as string
      report(problem)
      return undefined
    },
  )
}

/** The field `servers`. */
export const SERVERS_FIELD = list(
  object({
    url: config(serverUrl()).meta({
      description: 'Scheme, host and port of the server; path and query are those of the request.',
    }),
    weight: config(integer({ min: 0, max: 1_000_000 }))
      .default(1)
      .meta({ description: 'Share of the requests, relative to other servers of its priority; 0 for none.' }),
    priority: config(integer({ min: 0, max: 100 }))
      .default(0)
      .meta({
        description:
          'Servers of a higher number are used only while too few servers of every lower number are healthy.',
      }),
  }),
  { nonEmpty: true },
)

/** Reports servers that can not be a service; `at` is the pointer of each URL. */
export function checkServers(
  servers: readonly UpstreamServerPlan[],
  at: (position: number) => string,
  report: (path: string, message: string) => void,
): void {
  const seen = new Map<string, number>()
  const [first] = servers
  for (const [position, { url }] of servers.entries()) {
    const earlier = seen.get(originOf(url))
    if (earlier !== undefined)
      report(at(position), `expected another server than entry ${earlier + 1}, which is ${url} too`)
    seen.set(originOf(url), earlier ?? position)
    if (schemeOf(url) === schemeOf(first!.url)) continue
    report(
      at(position),
      `expected ${schemeOf(first!.url)} as the first server has, got ${url}: a request must not lose its TLS`,
    )
  }
  if (servers.length > 0 && servers.every(({ weight }) => weight === 0))
    report('/servers', 'expected a server with a weight above 0, got none: no request could be sent')
}

function problemOf(url: string): string | null {
  const given = JSON.stringify(url.slice(0, 80))
  const parsed = uriOf(url)
  if (parsed === null || !SCHEMES.has(parsed.scheme) || parsed.host === '')
    return `expected the URL of a server such as ${EXAMPLE}, got ${given}`
  const authority = parseAuthority(parsed.authority)
  if ('problem' in authority) return `expected the URL of a server such as ${EXAMPLE}, but ${authority.problem}`
  if (parsed.rawPath !== '' && parsed.rawPath !== '/')
    return `expected a URL without path, got ${given}: the path is that of the request`
  if (parsed.rawQuery !== null || parsed.rawFragment !== null)
    return `expected a URL without query and fragment, got ${given}`
  return null
}

function uriOf(url: string): Uri | null {
  try {
    return Uri.parse(url)
  } catch {
    return null
  }
}

function originOf(url: string): string {
  return uriOf(url)?.origin ?? url
}

function schemeOf(url: string): string {
  return url.slice(0, url.indexOf(':')).toLowerCase()
}
