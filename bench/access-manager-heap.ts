import type { DevelopmentAccessManager } from '#dev'

/** The heap of a route with a development access manager: `am`, and `asAgent`, which sends requests as its agent. */
export function accessManagerHeap({ url }: DevelopmentAccessManager): unknown[] {
  const credentials = { username: 'ig_agent', passwordSecretId: 'agent.password' }
  return [
    {
      name: 'passwords',
      type: 'Base64EncodedSecretStore',
      config: { secrets: { 'agent.password': btoa('password') } },
    },
    { name: 'am', type: 'AmService', config: { url, agent: credentials, secretsProvider: 'passwords' } },
    {
      name: 'asAgent',
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'HttpBasicAuthenticationClientFilter',
            config: { ...credentials, secretsProvider: 'passwords' },
          },
        ],
        handler: 'ForgeRockClientHandler',
      },
    },
  ]
}

/** A route for the paths below a prefix, with filters before a ReverseProxyHandler. */
export function filteredRoute(
  path: string,
  upstream: number,
  filters: readonly unknown[],
  heap: readonly unknown[] = [],
) {
  return {
    condition: `\${find(request.uri.path, '^${path}')}`,
    heap,
    handler: {
      type: 'Chain',
      config: { filters, handler: { type: 'ReverseProxyHandler', baseURI: `http://127.0.0.1:${upstream}` } },
    },
  }
}
