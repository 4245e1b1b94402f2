import { DevelopmentAccessManager } from '#dev'
import { accessManagerHeap, filteredRoute } from './access-manager-heap.ts'
import { aboveRatio, type ComparedRow, type ComparedSubject, measureAdded } from './added-cost.ts'
import { startGateway } from './gateway-server.ts'
import type { Rounds } from './measure.ts'
import { body, startUpstream } from './proxy.ts'
import { freePort } from './server-process.ts'
import { Workspace } from './workspace.ts'

/** Target for a cached decision: the ratio of the route with PolicyEnforcementFilter to the same without. */
export const policyTargets = { ratio: 1.1 } as const

/** The cookie of sessions, the expression of its value, and the subject of policies for all users. */
export const cookie = 'iPlanetDirectoryPro'
export const ssoTokenSubject = `\${request.cookies['${cookie}'][0].value}`
export const ANYBODY = {
  type: 'OR',
  subjects: [{ type: 'AuthenticatedUsers' }, { type: 'JwtClaim', claimName: 'sub', claimValue: 'demo' }],
} as const
const bySession = 'session, cache'

/** Measures the cost of enforcing cached decisions: by session, by claims, and with an environment. */
export async function policyBenchmark(rounds: Rounds, progress: (text: string) => void): Promise<ComparedRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const upstream = await freePort()
  servers.use(await startUpstream(workspace, upstream))
  const manager = servers.use(await DevelopmentAccessManager.start())
  const environment = { IP: ['${contexts.client.remoteAddress}'] }
  const route = (path: string, config: object) =>
    filteredRoute(`/${path}`, upstream, [policyFilter(config)], accessManagerHeap(manager))
  const routes = new Map<string, unknown>([
    ['none', filteredRoute('/none', upstream, [])],
    ['session', route('session', { ssoTokenSubject })],
    ['environment', route('environment', { ssoTokenSubject, environment })],
    ['claims', route('claims', { claimsSubject: { sub: "${request.headers['X-User'][0]}" } })],
  ])
  const { server, url } = await startGateway(workspace, 'gateway', routes)
  servers.use(server)
  manager.putPolicy({ name: 'all', resources: [`${url}/*`], actionValues: { GET: true }, subject: ANYBODY })

  const headers = { cookie: `${cookie}=${manager.login('demo')}`, 'X-User': 'demo' }
  const base = 'no filter'
  const subjects: ComparedSubject[] = [
    { name: base, server, url: `${url}/none`, headers, expect: { body } },
    { name: bySession, server, url: `${url}/session`, headers, expect: { body }, base },
    { name: 'session and environment, cache', server, url: `${url}/environment`, headers, expect: { body }, base },
    { name: 'claims, cache', server, url: `${url}/claims`, headers, expect: { body }, base },
  ]
  const rows = await measureAdded(subjects, rounds, progress)
  const asked = manager.requests('policies').length
  if (asked > 2 * subjects.length) throw new Error(`expected decisions from the cache, got ${asked} policy requests`)
  return rows
}

/** Messages for the missed targets. */
export function missedPolicyTargets(rows: readonly ComparedRow[]): string[] {
  return aboveRatio(rows, [bySession], policyTargets.ratio)
}

/** A filter that caches decisions. */
export function policyFilter(config: object): object {
  return {
    type: 'PolicyEnforcementFilter',
    config: { amService: 'am', cache: { enabled: true, defaultTimeout: '1 hour' }, ...config },
  }
}
