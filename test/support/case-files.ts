import { type GatewayCase, RECORDED_PORT } from './case-requests.ts'

/** Files and routes of an instance for many cases; the field X-Case of a request names the case. */
export function caseFiles(
  cases: readonly GatewayCase[],
  upstreamPort: number,
): { files: Record<string, unknown>; routes: Record<string, unknown> } {
  const filled = (content: unknown): unknown =>
    JSON.parse(withPorts(JSON.stringify(content), { upstream: upstreamPort }))
  const files: Record<string, unknown> = {
    'config/config.json': {
      properties: { a: 'prop' },
      heap: [{ name: 'SharedHandler', type: 'StaticResponseHandler', config: { status: 200, entity: 'shared' } }],
      handler: {
        name: '_router',
        type: 'Router',
        config: { defaultHandler: { type: 'StaticResponseHandler', config: { status: 404, entity: 'NOROUTE' } } },
      },
    },
  }
  const routes: Record<string, unknown> = {}
  for (const { id, route, files: more = {} } of cases) {
    const condition = `\${request.headers['X-Case'][0] == '${id}'}`
    routes[id] = typeof route === 'string' ? route : filled({ name: id, condition, ...route })
    for (const [path, content] of Object.entries(more))
      files[path] = typeof content === 'string' ? content : filled(content)
  }
  return { files, routes }
}

/** Replaces placeholders, and the port of the application in recordings without one. */
export function withPorts(text: string, ports: { readonly upstream: number; readonly gateway?: number }): string {
  const filled = text
    .replaceAll('UPSTREAM', String(ports.upstream))
    .replaceAll(`p${RECORDED_PORT}`, `p${ports.upstream}`)
    .replaceAll(`127.0.0.1%3A${RECORDED_PORT}`, `127.0.0.1%3A${ports.upstream}`)
  return ports.gateway === undefined ? filled : filled.replaceAll(/(localhost(?::|%3A)|\[)GW/g, `$1${ports.gateway}`)
}
