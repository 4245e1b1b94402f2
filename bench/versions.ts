import { DevelopmentAccessManager } from '#dev'
import { accessManagerHeap, filteredRoute } from './access-manager-heap.ts'
import { aboveRatio, type ComparedRow, type ComparedSubject, measureAdded } from './added-cost.ts'
import { checkEcho, echoLoad } from './echo-load.ts'
import { startGateway } from './gateway-server.ts'
import { benchIdentity, identityFields } from './identity.ts'
import { load, numberedScript } from './load.ts'
import type { Rounds, Subject } from './measure.ts'
import { introspection, stateless, tokenFilter } from './oauth2.ts'
import { startUpstreamScript } from './peer.ts'
import { ANYBODY, cookie, policyFilter, ssoTokenSubject } from './policy.ts'
import { body, startUpstream } from './proxy.ts'
import { staticRoute } from './routes.ts'
import { freePort } from './server-process.ts'
import { SCOPE, signedToken } from './signed-tokens.ts'
import { throttling } from './throttling.ts'
import { echoRoute } from './websocket.ts'
import { Workspace } from './workspace.ts'

/** Target: a request costs at most this many times the same request by the other checkout. */
export const versionsTargets = { ratio: 1.05 } as const

const BASELINE = ', baseline'
const ROUTES = 1_000
const PARTITIONS = 1_000

/** Measures requests of several kinds: by this checkout, and by another one. */
export async function versionsBenchmark(
  rounds: Rounds,
  baseline: string,
  progress: (text: string) => void,
): Promise<ComparedRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const [upstream, echo] = [await freePort(), await freePort()]
  servers.use(await startUpstream(workspace, upstream))
  servers.use((await startUpstreamScript('echo', echo, 'websocket-echo.ts')).server)
  const manager = servers.use(await DevelopmentAccessManager.start())
  const secure = identityFields(benchIdentity(workspace))
  const signed = await signedToken(workspace, 'RS256')
  const opaque = await manager.issueToken({ username: 'demo', scopes: ['profile', SCOPE] })
  const numbered = { below: PARTITIONS, script: workspace.write('numbered.lua', numberedScript(PARTITIONS)) }
  const heap = accessManagerHeap(manager)
  const last = `r${ROUTES - 1}`
  const routes = new Map<string, unknown>([
    ...Array.from({ length: ROUTES }, (_, at) => [`r${at}`, staticRoute(`r${at}`)] as const),
    ['none', filteredRoute('/none', upstream, [])],
    ['policy', filteredRoute('/policy', upstream, [policyFilter({ ssoTokenSubject })], heap)],
    ['throttling', filteredRoute('/throttling/', upstream, [throttling({})])],
    ['opaque', filteredRoute('/opaque', upstream, [tokenFilter(introspection, true, 'am')], heap)],
    ['signed', filteredRoute('/signed', upstream, [tokenFilter(stateless(signed), true)])],
    ['echo', { ...echoRoute(echo), condition: "${request.uri.path == '/echo'}" }],
  ])
  const subjectsOf = async (suffix: string, checkout?: string): Promise<Subject[]> => {
    const options = { secure, ...(checkout !== undefined && { checkout }) }
    const { server, url, plainUrl } = await startGateway(workspace, `gateway${suffix}`, routes, options)
    servers.use(server)
    const resources = [`${plainUrl}/*`]
    manager.putPolicy({ name: `all${suffix}`, resources, actionValues: { GET: true }, subject: ANYBODY })
    const get = (name: string, target: string, more: Partial<Subject> = {}): Subject => ({
      name: `${name}${suffix}`,
      server,
      url: target,
      expect: { body, anyCertificate: true },
      ...more,
    })
    const token = (text: string) => ({ headers: { authorization: `Bearer ${text}` } })
    const messages = (bytes: number): Partial<Subject> => ({
      check: () => checkEcho(plainUrl, bytes),
      load: echoLoad(bytes),
    })
    return [
      get('plain', `${plainUrl}/none`),
      get('TLS', `${url.replace('http:', 'https:')}/none`),
      get(`last of ${ROUTES} routes`, `${plainUrl}/${last}/x`, { expect: { body: last } }),
      get('policy, cache', `${plainUrl}/policy`, { headers: { cookie: `${cookie}=${manager.login('demo')}` } }),
      get('opaque token, cache', `${plainUrl}/opaque`, token(opaque)),
      get('RS256 token, cache', `${plainUrl}/signed`, token(signed.token)),
      get(`throttling, ${PARTITIONS} partitions`, `${plainUrl}/throttling/`, {
        load: (target, options) => load(target, { ...options, numbered }),
      }),
      get('WebSocket 125 B', plainUrl, messages(125)),
      get('WebSocket 64 KB', plainUrl, messages(65_536)),
    ]
  }
  const before = await subjectsOf(BASELINE, baseline)
  const now = await subjectsOf('')
  const subjects = now.flatMap((subject): ComparedSubject[] => {
    const base = `${subject.name}${BASELINE}`
    return [...before.filter(({ name }) => name === base), { ...subject, base }]
  })
  return await measureAdded(subjects, rounds, progress)
}

/** Messages for the missed targets. */
export function missedVersionsTargets(rows: readonly ComparedRow[]): string[] {
  const compared = rows.filter(({ base }) => base !== null).map(({ name }) => name)
  return aboveRatio(rows, compared, versionsTargets.ratio)
}
