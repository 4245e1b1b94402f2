import { DevelopmentAccessManager } from '#dev'
import { accessManagerHeap, filteredRoute } from './access-manager-heap.ts'
import { aboveRatio, type ComparedRow, type ComparedSubject, measureAdded } from './added-cost.ts'
import { type AlternatingState, measureAlternating } from './alternating.ts'
import { startGateway } from './gateway-server.ts'
import { installed, load } from './load.ts'
import type { Rounds } from './measure.ts'
import { start } from './peer.ts'
import { envoyArguments, envoyConfig, envoyProgram } from './peers/envoy.ts'
import { envoyJwtFilter } from './peers/envoy-jwt.ts'
import { haproxyJwtConfig } from './peers/haproxy-jwt.ts'
import { body, startUpstream } from './proxy.ts'
import { freePort, ServerProcess } from './server-process.ts'
import { AUDIENCE, ISSUER, SCOPE, type SignedToken, signedToken } from './signed-tokens.ts'
import { Workspace } from './workspace.ts'

/**
 * Targets: for a cached token the ratio of the route with OAuth2ResourceServerFilter to the same without, and to Envoy's cached
 * jwt_authn; without a cache the ratio to Envoy's.
 */
export const oauth2Targets = { ratio: 1.05, toEnvoyCached: 1, toEnvoyUncached: 1.1 } as const

const introspected = 'gateway, opaque token, introspected, cache'
const read = 'gateway, RS256 token, cache'
const verified = 'gateway, RS256 token, no cache'
const envoyCached = 'envoy, RS256 token, jwt_authn, cache'
const envoyVerified = 'envoy, RS256 token, jwt_authn, no cache'
const judgedByPeer = 'haproxy, RS256 token, jwt_verify'

/** A resolver that asks the access manager. */
export const introspection = {
  type: 'TokenIntrospectionAccessTokenResolver',
  config: { amService: 'am', providerHandler: 'asAgent' },
}

/** Measures the cost of validating access tokens: with and without a cache, beside HAProxy with `jwt_verify`. */
export async function oauth2Benchmark(rounds: Rounds, progress: (text: string) => void): Promise<ComparedRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const upstream = await freePort()
  servers.use(await startUpstream(workspace, upstream))
  const manager = servers.use(await DevelopmentAccessManager.start())
  const opaque = await manager.issueToken({ username: 'demo', scopes: ['profile', SCOPE] })
  const [rs256, es256, edDsa] = [
    await signedToken(workspace, 'RS256'),
    await signedToken(workspace, 'ES256'),
    await signedToken(workspace, 'EdDSA'),
  ]
  const routes = new Map([
    ['none', filteredRoute('/none', upstream, [])],
    [
      'introspected',
      filteredRoute('/introspected', upstream, [tokenFilter(introspection, true, 'am')], accessManagerHeap(manager)),
    ],
    ['cached', filteredRoute('/cached', upstream, [tokenFilter(stateless(rs256), true)])],
    ...[rs256, es256, edDsa].map(
      (signed) =>
        [
          signed.algorithm,
          filteredRoute(`/${signed.algorithm}`, upstream, [tokenFilter(stateless(signed), false)]),
        ] as const,
    ),
  ])
  const { server, url } = await startGateway(workspace, 'gateway', routes)
  servers.use(server)

  const subject = (name: string, path: string, token: string, base?: string): ComparedSubject => ({
    name,
    server,
    url: `${url}/${path}`,
    headers: { authorization: `Bearer ${token}` },
    expect: { body },
    ...(base !== undefined && { base }),
  })
  const without = 'gateway, RS256 token, no filter'
  const subjects = [
    subject('gateway, opaque token, no filter', 'none', opaque),
    subject(introspected, 'introspected', opaque, 'gateway, opaque token, no filter'),
    subject(without, 'none', rs256.token),
    subject(read, 'cached', rs256.token, without),
    ...[rs256, es256, edDsa].map(({ algorithm, token }) =>
      subject(`gateway, ${algorithm} token, no cache`, algorithm, token, without),
    ),
    ...(await envoySubjects(workspace, servers, upstream, rs256, progress)),
    ...(await peerSubjects(workspace, servers, upstream, [rs256, es256], progress)),
  ]
  const rows = await measureAdded(subjects, rounds, progress)
  const state = (name: string, path: string, token: string): AlternatingState => ({
    name,
    server,
    load: (options) => load(`${url}/${path}`, { ...options, headers: { authorization: `Bearer ${token}` } }),
  })
  const cached = [
    ...(await measureAlternating(
      state('gateway, opaque token, no filter', 'none', opaque),
      [state(introspected, 'introspected', opaque)],
      rounds,
      progress,
    )),
    ...(await measureAlternating(
      state(without, 'none', rs256.token),
      [state(read, 'cached', rs256.token)],
      rounds,
      progress,
    )),
  ].filter(({ base }) => base !== null)
  return rows.map((row) => withRatio(row, cached))
}

/** What a cached token adds is too little for one comparison in each round: its ratio is measured in turns. */
function withRatio(row: ComparedRow, measuredInTurns: readonly ComparedRow[]): ComparedRow {
  const found = measuredInTurns.find(({ name }) => name === row.name)
  return found === undefined ? row : { ...row, ratio: found.ratio, addedMicros: found.addedMicros }
}

/** Messages for the missed targets. */
export function missedOAuth2Targets(rows: readonly ComparedRow[]): string[] {
  const cost = (wanted: string): number | undefined => rows.find(({ name }) => name === wanted)?.cpuMicros.median
  const beside = (own: string, peer: string, most: number): string[] => {
    const [ours, theirs] = [cost(own), cost(peer)]
    if (ours === undefined || theirs === undefined || ours <= most * theirs) return []
    return [`${own} costs ${(ours / theirs).toFixed(2)} times ${peer}; at most ${most}`]
  }
  return [
    ...aboveRatio(rows, [introspected, read], oauth2Targets.ratio),
    ...beside(read, envoyCached, oauth2Targets.toEnvoyCached),
    ...beside(verified, envoyVerified, oauth2Targets.toEnvoyUncached),
  ]
}

/** Comparison of the gateway with a cache and HAProxy, which verifies each time, as text; null without HAProxy. */
export function besidePeer(rows: readonly ComparedRow[]): string | null {
  const own = rows.find(({ name }) => name === read)
  const peer = rows.find(({ name }) => name === judgedByPeer)
  if (own === undefined || peer === undefined) return null
  const micros = (value: number): string => `${value.toFixed(1)} µs`
  return (
    `RS256: the check adds ${micros(own.addedMicros)} to a request here, ${micros(peer.addedMicros)} in HAProxy; ` +
    `a whole request costs ${micros(own.cpuMicros.median)} here, ${micros(peer.cpuMicros.median)} in HAProxy`
  )
}

async function envoySubjects(
  workspace: Workspace,
  servers: AsyncDisposableStack,
  upstream: number,
  { algorithm, keyFile, token }: SignedToken,
  progress: (text: string) => void,
): Promise<ComparedSubject[]> {
  const program = envoyProgram()
  if (typeof program === 'string') {
    progress(`NOTICE: without envoy: ${program}`)
    return []
  }
  const port = await freePort()
  const judged = [
    { path: '/cached', algorithm, keyFile, isCached: true },
    { path: '/verified', algorithm, keyFile, isCached: false },
  ]
  const filter = envoyJwtFilter({ issuer: ISSUER, audience: AUDIENCE }, judged)
  const file = workspace.write('envoy-jwt.json', envoyConfig(port, upstream, [filter]))
  const { server, url } = await start('envoy', port, [program.path, ...envoyArguments(file)])
  servers.use(server)
  for (const { path } of judged) await refusesForged('envoy', url + path, token)
  const subjectOf = (name: string, path: string) => ({
    name,
    server,
    url: url + path,
    headers: { authorization: `Bearer ${token}` },
    expect: { body },
  })
  const base = 'envoy, RS256 token, no check'
  return [
    subjectOf(base, '/none'),
    { ...subjectOf(envoyCached, '/cached'), base },
    { ...subjectOf(envoyVerified, '/verified'), base },
  ]
}

async function peerSubjects(
  workspace: Workspace,
  servers: AsyncDisposableStack,
  upstream: number,
  tokens: readonly SignedToken[],
  progress: (text: string) => void,
): Promise<ComparedSubject[]> {
  const program = installed('haproxy')
  if (program === undefined) {
    progress('NOTICE: without haproxy: it is not installed (apt-get install haproxy)')
    return []
  }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const judged = tokens.map(({ algorithm, keyFile }) => ({ path: `/${algorithm}`, algorithm, keyFile }))
  const file = workspace.write(
    'haproxy-jwt.cfg',
    haproxyJwtConfig(port, upstream, { issuer: ISSUER, audience: AUDIENCE, scope: SCOPE }, judged),
  )
  const command = [program, '-db', '-f', file] as const
  const server = servers.use(await ServerProcess.start({ name: 'haproxy', command, readyUrl: `${url}/` }))
  for (const { algorithm, token } of tokens) await refusesForged('haproxy', `${url}/${algorithm}`, token)
  const subjectOf = (name: string, path: string, token: string) => ({
    name,
    server,
    url: url + path,
    headers: { authorization: `Bearer ${token}` },
    expect: { body },
  })
  const base = 'haproxy, RS256 token, no check'
  return [
    subjectOf(base, '/none', tokens[0]?.token ?? ''),
    ...tokens.map(({ algorithm, token }) => ({
      ...subjectOf(`haproxy, ${algorithm} token, jwt_verify`, `/${algorithm}`, token),
      base,
    })),
  ]
}

/** Checks that a peer rejects a changed signature: without verification it would be fast. */
async function refusesForged(peer: string, url: string, token: string): Promise<void> {
  const end = token.slice(-10).split('').reverse().join('')
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token.slice(0, -10)}${end}`, connection: 'close' },
  })
  await response.arrayBuffer()
  if (response.status !== 401) throw new Error(`${peer}: expected 401 for a forged token, got ${response.status}`)
}

export function tokenFilter(accessTokenResolver: object, cached: boolean, amService?: string): object {
  const cache = { enabled: cached, ...(amService !== undefined && { amService }) }
  return {
    type: 'OAuth2ResourceServerFilter',
    config: { scopes: [SCOPE], requireHttps: false, cache, accessTokenResolver },
  }
}

export function stateless({ folder, secretId }: SignedToken): object {
  return {
    type: 'StatelessAccessTokenResolver',
    config: {
      issuer: ISSUER,
      audience: AUDIENCE,
      verificationSecretId: secretId,
      secretsProvider: {
        type: 'FileSystemSecretStore',
        config: { directory: folder, format: { type: 'PemPropertyFormat' } },
      },
    },
  }
}
