import { filteredRoute } from './access-manager-heap.ts'
import { type ComparedRow, type ComparedSubject, measureAdded } from './added-cost.ts'
import { startGateway } from './gateway-server.ts'
import type { Rounds } from './measure.ts'
import { body, startUpstream } from './proxy.ts'
import { freePort } from './server-process.ts'
import { Workspace } from './workspace.ts'

/** Targets for a Groovy script: CPU time of one request in microseconds, and the ratio to the same in JavaScript. */
export const scriptTargets = { micros: 25, timesJavaScript: 2 } as const

const BASE = 'no script'

/** A filter that sets a header of the request and one of the response, in each language. */
const SCRIPTS: readonly (readonly [string, string, string])[] = [
  [
    'JavaScript',
    'application/javascript',
    "request.headers.set('X-In', 'a'); const response = await next.handle(context, request); response.headers.set('X-Out', 'b'); return response",
  ],
  [
    'TypeScript',
    'application/typescript',
    "request.headers.set('X-In', 'a'); const response = await next.handle(context, request); response.headers.set('X-Out', 'b'); return response",
  ],
  [
    'Groovy',
    'application/x-groovy',
    "request.headers['X-In'] = 'a'; next.handle(context, request).thenOnResult { response -> response.headers['X-Out'] = 'b' }",
  ],
]

/** Measures the cost of a script for each request, by language. */
export async function scriptsBenchmark(rounds: Rounds, progress: (text: string) => void): Promise<ComparedRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const upstream = await freePort()
  servers.use(await startUpstream(workspace, upstream))
  const routes = new Map<string, unknown>([
    ['none', filteredRoute('/none/', upstream, [])],
    ...SCRIPTS.map(([name, type, source]) => {
      const filter = { type: 'ScriptableFilter', config: { type, source } }
      return [name.toLowerCase(), filteredRoute(`/${name.toLowerCase()}/`, upstream, [filter])] as const
    }),
  ])
  const { server, url } = await startGateway(workspace, 'gateway', routes)
  servers.use(server)
  const subjects: ComparedSubject[] = [
    { name: BASE, server, url: `${url}/none/`, expect: { body } },
    ...SCRIPTS.map(([name]) => ({
      name,
      server,
      url: `${url}/${name.toLowerCase()}/`,
      expect: { body, headers: { 'x-out': 'b' } },
      base: BASE,
    })),
  ]
  return await measureAdded(subjects, rounds, progress)
}

/** Messages for the missed targets. */
export function missedScriptTargets(rows: readonly ComparedRow[]): string[] {
  const added = (name: string): number => rows.find((row) => row.name === name)?.addedMicros ?? Number.NaN
  const [groovy, javascript] = [added('Groovy'), added('JavaScript')]
  const missed: string[] = []
  // A missing value is a miss.
  if (!(groovy <= scriptTargets.micros)) {
    missed.push(`a script of Groovy costs ${groovy.toFixed(1)} µs; at most ${scriptTargets.micros}`)
  }
  if (!(groovy <= javascript * scriptTargets.timesJavaScript)) {
    missed.push(`a script of Groovy costs ${groovy.toFixed(1)} µs, one of JavaScript ${javascript.toFixed(1)} µs`)
  }
  return missed
}
