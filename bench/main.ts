// npm run bench: CPU time of the gateway. docs/guide/performance.md explains the results.

import { parseArgs } from 'node:util'
import { accessLogBenchmark, missedAccessLogTargets } from './access-log.ts'
import { allocationsBenchmark } from './allocations.ts'
import { auditBenchmark, missedAuditTargets } from './audit.ts'
import { bulkBenchmark, missedBulkTargets } from './bulk.ts'
import { burstBenchmark, missedBurstTargets } from './burst.ts'
import { connectionsBenchmark } from './connections.ts'
import { leaveSubjectCore } from './cores.ts'
import { fleetBenchmark, followersText, idleText, missedFleetTargets } from './fleet.ts'
import { latencyBenchmark, missedLatencyTargets } from './latency.ts'
import type { Rounds } from './measure.ts'
import { besidePeer, missedOAuth2Targets, oauth2Benchmark } from './oauth2.ts'
import { missedPolicyTargets, policyBenchmark } from './policy.ts'
import { missedProxyTargets, peerNames, proxyBenchmark } from './proxy.ts'
import {
  bulkTable,
  burstTable,
  comparedTable,
  environment,
  fleetTable,
  latencyTable,
  proxyTable,
  routesTable,
  startTable,
  tlsTable,
  webSocketTable,
} from './report.ts'
import { missedTargets, routesBenchmark } from './routes.ts'
import { missedScriptTargets, scriptsBenchmark } from './scripts.ts'
import { stopAll } from './server-process.ts'
import { missedStartTargets, startBenchmark } from './start.ts'
import { missedStudioTargets, studioBenchmark } from './studio.ts'
import { missedThrottlingTargets, throttlingBenchmark } from './throttling.ts'
import { tlsBenchmark } from './tls.ts'
import { missedTracingTargets, tracingBenchmark } from './tracing.ts'
import { choiceTable, missedUpstreamTargets, upstreamsBenchmark } from './upstreams.ts'
import { missedVersionsTargets, versionsBenchmark } from './versions.ts'
import { webSocketBenchmark } from './websocket.ts'

const help = `usage: npm run bench [-- [NAME...] [OPTION...]]

benchmarks (proxy and routes without a name):
  proxy      CPU time of one proxied request and WebSocket message: the gateway beside ${peerNames.slice(1).join(', ')}
  burst      CPU time and latency of 2,000 requests after 10 s of silence
  latency    50th and 99th percentile at half of the most that the bare proxy serves
  bulk       CPU time and memory of bodies of 1 GB, in each direction
  connections  spread of client connections over units, memory of up to 50,000 idle ones, and 10,000 that open at once
  allocations  bytes that one proxied request allocates
  tls        CPU time of one request with TLS on either side: the gateway beside nginx
  websocket  bytes of WebSocket messages per CPU second, small and large messages: the gateway beside nginx
  oauth2     CPU time of validating access tokens, with and without cache: the gateway beside HAProxy with jwt_verify
  policy     CPU time of enforcing cached policy decisions
  audit      CPU time of an access event for each request, to a file, to standard output and to JMS (ActiveMQ)
  accesslog  CPU time of an access line for each request, to a file and to standard output
  tracing    CPU time of OpenTelemetry spans: none, 1 % and all requests sampled
  studio     CPU time of a request while the live monitor is open
  throttling CPU time of rate limiting, in the gateway and in Redis, beside npm rate-limiter-flexible
  scripts    CPU time of a script for each request, in JavaScript, TypeScript and Groovy
  start      CPU time to ready and idle memory with one and two units, from this checkout and from its installed package
  fleet      many routes in etcd and two gateways: push, roll back, start, one changed route; 200 followers; an hour without changes
  routes     10, 1,000 and 10,000 routes: time to load, CPU time of a request for the last
  upstreams  time and allocation of the choice of one server, by policy and number of servers
  versions   requests of several kinds beside the checkout of --baseline: the cost of a change

options:
  --rounds N        measured rounds of each (1 to 20, default 5), after two warm-up rounds; three of audit
  --seconds N       length of a round (1 to 30, default 3)
  --connections N   concurrent connections (1 to 512, default 32)
  --peers A,B       of ${peerNames.join(', ')} (default: all; only for proxy, burst, latency, bulk and websocket)
  --baseline DIR    another checkout of the gateway, installed with npm ci (only for proxy and versions)
  --routes N        routes of fleet (10 to 10,000, default 10,000)
  --bodies          proxy also with POST of 1 KB and 100 KB: three times as long
  --check           exit with 1 if a target is missed
  --json            the result as JSON on standard output; progress goes to standard error
  --help
`

/** An invalid command line; exit code 64. */
class UsageError extends Error {}

interface Options extends Rounds {
  readonly names: readonly string[]
  readonly peers: readonly string[]
  readonly bodies: boolean
  readonly routes: number
  readonly baseline: string | undefined
  readonly check: boolean
  readonly json: boolean
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stopAll().finally(() => process.exit(130)))
}
try {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') process.stdout.write(help)
  else process.exitCode = await run(options)
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = error instanceof UsageError ? 64 : 1
}

async function run({ names, peers, bodies, routes, baseline, check, json, ...rounds }: Options): Promise<number> {
  if (process.platform !== 'linux') throw new UsageError('CPU time is read from /proc: run it on Linux')
  leaveSubjectCore()
  const progress = (text: string): void => void process.stderr.write(`${text}\n`)
  const result: Record<string, unknown> = { ...environment(), ...rounds }
  const failures: string[] = []
  progress(
    Object.entries(result)
      .map(([name, value]) => `${name}: ${value}`)
      .join(', '),
  )
  const checkTargets = (missed: readonly string[]): void => {
    for (const miss of missed) progress(`target missed: ${miss}`)
    if (check) failures.push(...missed)
  }
  if (names.includes('proxy')) {
    const rows = await proxyBenchmark(rounds, { chosen: peers, bodies, baseline }, progress)
    result['proxy'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\nproxy\n${proxyTable(rows)}`)
    checkTargets(missedProxyTargets(rows))
  }
  if (names.includes('tls')) {
    const rows = await tlsBenchmark(rounds, progress)
    result['tls'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\ntls\n${tlsTable(rows)}`)
  }
  if (names.includes('websocket')) {
    const rows = await webSocketBenchmark(rounds, peers, progress)
    result['websocket'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\nwebsocket\n${webSocketTable(rows)}`)
  }
  if (names.includes('burst')) {
    const rows = await burstBenchmark(rounds.rounds, peers, progress)
    result['burst'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\nburst\n${burstTable(rows)}`)
    checkTargets(missedBurstTargets(rows))
  }
  if (names.includes('latency')) {
    const rows = await latencyBenchmark(rounds, peers, progress)
    result['latency'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\nlatency\n${latencyTable(rows)}`)
    checkTargets(missedLatencyTargets(rows))
  }
  if (names.includes('bulk')) {
    const rows = await bulkBenchmark(rounds.rounds, peers, progress)
    result['bulk'] = rows
    if (!json) console.log(`\nbulk\n${bulkTable(rows)}`)
    checkTargets(missedBulkTargets(rows))
  }
  if (names.includes('connections')) await connectionsBenchmark(json ? progress : console.log)
  if (names.includes('allocations')) {
    const allocations = await allocationsBenchmark(rounds.seconds, rounds.connections)
    result['allocations'] = allocations
    failures.push(...withErrors([allocations]))
    const [control = 0, unit = 0] = allocations.bytesByThread
    const text = `${unit.toFixed(0)} bytes in the unit, ${control.toFixed(0)} in the control thread`
    if (!json) console.log(`\nallocations\nof one request: ${text} (${allocations.requests} requests)`)
  }
  if (names.includes('oauth2')) {
    const rows = await oauth2Benchmark(rounds, progress)
    result['oauth2'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\noauth2\n${comparedTable('access token', rows)}\n\n${besidePeer(rows) ?? ''}`)
    checkTargets(missedOAuth2Targets(rows))
  }
  if (names.includes('policy')) {
    const rows = await policyBenchmark(rounds, progress)
    result['policy'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\npolicy\n${comparedTable('policy decision', rows)}`)
    checkTargets(missedPolicyTargets(rows))
  }
  if (names.includes('audit')) {
    const rows = await auditBenchmark(rounds, progress)
    result['audit'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\naudit\n${comparedTable('access events to', rows)}`)
    checkTargets(missedAuditTargets(rows))
  }
  if (names.includes('accesslog')) {
    const rows = await accessLogBenchmark(rounds, progress)
    result['accesslog'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\naccesslog\n${comparedTable('access log', rows)}`)
    checkTargets(missedAccessLogTargets(rows))
  }
  if (names.includes('tracing')) {
    const rows = await tracingBenchmark(rounds, progress)
    result['tracing'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\ntracing\n${comparedTable('tracing', rows)}`)
    checkTargets(missedTracingTargets(rows))
  }
  if (names.includes('studio')) {
    const rows = await studioBenchmark(rounds, progress)
    result['studio'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\nstudio\n${comparedTable('open', rows)}`)
    checkTargets(missedStudioTargets(rows))
  }
  if (names.includes('throttling')) {
    const rows = await throttlingBenchmark(rounds, progress)
    result['throttling'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\nthrottling\n${comparedTable('counted', rows)}`)
    checkTargets(missedThrottlingTargets(rows))
  }
  if (names.includes('scripts')) {
    const rows = await scriptsBenchmark(rounds, progress)
    result['scripts'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\nscripts\n${comparedTable('script', rows)}`)
    checkTargets(missedScriptTargets(rows))
  }
  if (names.includes('start')) {
    const rows = await startBenchmark(rounds.rounds, progress)
    result['start'] = rows
    if (!json) console.log(`\nstart\n${startTable(rows)}`)
    checkTargets(missedStartTargets(rows))
  }
  if (names.includes('fleet')) {
    const fleet = await fleetBenchmark(rounds, routes, progress)
    result['fleet'] = fleet
    const texts = [followersText(fleet.followers), idleText(fleet.idle)]
    if (!json) console.log(`\nfleet\n${fleetTable(fleet)}\n\n${texts.join('\n')}`)
    checkTargets(missedFleetTargets(fleet))
  }
  if (names.includes('routes')) {
    const rows = await routesBenchmark(rounds, progress)
    result['routes'] = rows
    failures.push(...withErrors(rows))
    const missed = missedTargets(rows)
    result['missed'] = missed
    checkTargets(missed)
    if (!json) console.log(`\nroutes\n${routesTable(rows)}`)
  }
  if (names.includes('upstreams')) {
    const rows = upstreamsBenchmark()
    result['upstreams'] = rows
    if (!json) console.log(`\nupstreams\n${choiceTable(rows)}`)
    checkTargets(missedUpstreamTargets(rows))
  }
  if (names.includes('versions') && baseline !== undefined) {
    const rows = await versionsBenchmark(rounds, baseline, progress)
    result['versions'] = rows
    failures.push(...withErrors(rows))
    if (!json) console.log(`\nversions\n${comparedTable('request', rows, 'baseline')}`)
    checkTargets(missedVersionsTargets(rows))
  }
  if (json) console.log(JSON.stringify(result, null, 2))
  for (const failure of failures) progress(`failed: ${failure}`)
  return failures.length === 0 ? 0 : 1
}

function withErrors(rows: readonly { name: string; errors: number }[]): string[] {
  return rows.filter(({ errors }) => errors > 0).map(({ name, errors }) => `${name} gave ${errors} errors`)
}

function readOptions(args: readonly string[]): Options | 'help' {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  const names = positionals.length > 0 ? positionals : ['proxy', 'routes']
  among('benchmark', names, [
    'proxy',
    'burst',
    'latency',
    'bulk',
    'allocations',
    'connections',
    'tls',
    'websocket',
    'oauth2',
    'policy',
    'audit',
    'accesslog',
    'tracing',
    'studio',
    'throttling',
    'scripts',
    'start',
    'fleet',
    'routes',
    'upstreams',
    'versions',
  ])
  if (names.includes('versions') && values.baseline === undefined)
    throw new UsageError('versions needs --baseline DIR: another checkout of the gateway, installed with npm ci')
  const peers = values.peers?.split(',') ?? peerNames
  among('peer', peers, peerNames)
  return {
    names,
    peers,
    bodies: values.bodies ?? false,
    routes: whole('routes', values.routes, 10_000, 10_000, 10),
    baseline: values.baseline,
    check: values.check ?? false,
    json: values.json ?? false,
    rounds: whole('rounds', values.rounds, 5, 20),
    seconds: whole('seconds', values.seconds, 3, 30),
    connections: whole('connections', values.connections, 32, 512),
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const numbers = { rounds: text, seconds: text, connections: text, routes: text }
  const options = { ...numbers, peers: text, baseline: text, bodies: flag, check: flag, json: flag, help: flag }
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${help}`)
  }
}

function among(what: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new UsageError(`no ${what} "${unknown}"; there are ${known.join(', ')}`)
}

function whole(name: string, text: string | undefined, fallback: number, most: number, least = 1): number {
  const value = text === undefined ? fallback : Number(text)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new UsageError(`--${name}: expected a whole number from ${least} to ${most}, got "${text}"`)
}
