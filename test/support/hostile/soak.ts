import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { Authority } from '../certificates.ts'
import { pathRoute } from '../gateway.ts'
import { GatewayProcess } from '../gateway-process.ts'
import { Load, type LoadResult, type LoadTarget } from '../load.ts'
import { Scrape } from '../scrape.ts'
import { secureHeap } from '../secure-connector.ts'
import { httpUpstream } from '../upstream.ts'
import { garbageUpstream } from './garbage-upstream.ts'
import { ATTACK_NAMES, type AttackCount, HostileClients } from './hostile-clients.ts'
import { SCRIPT_ROUTE } from './script-bodies.ts'
import { longestTurn, TURN_EXTENSION, TURN_ROUTE } from './turn-watch.ts'
import { type Level, levels, type Reading } from './verdict.ts'

const UNITS = 2

/** Time-out of a normal request. */
const LONGEST_ANSWER = 30_000

/** Time for the gateway to close connections of hostile clients, and the number of descriptors of its pools. */
const SETTLE_TIME = 15_000
const KEPT_DESCRIPTORS = 64

const PERIOD = 1_000

const JSON_TYPE = { 'Content-Type': 'application/json' }

const NORMAL: readonly LoadTarget[] = [
  { path: '/static', expected: '^200 - hello$' },
  { path: '/proxy/small', expected: '^200 - x{10}$' },
  { path: '/proxy/large', expected: '^200 - x{200000}$' },
  { path: '/proxy/echo', method: 'POST', body: 'b'.repeat(100_000), expected: '^200 - 100000$' },
  { path: '/json', method: 'POST', headers: JSON_TYPE, body: '{"a":"value"}', expected: '^200 - value$' },
  { path: '/nowhere', expected: '^404 ' },
]

/** The results of a run; without problems it has passed. */
export interface HostileOutcome {
  readonly problems: readonly string[]
  readonly normal: readonly (LoadResult & { readonly name: string })[]
  readonly attacks: readonly AttackCount[]
  readonly levels: readonly Level[]
  readonly descriptors: { readonly before: number; readonly after: number }
}

/** Hostile clients of every kind beside normal ones, against a gateway in a separate process. */
export async function hostileSoak(
  duration: number,
  names: readonly string[] = ATTACK_NAMES,
  onReading: (reading: Reading) => void = () => {},
): Promise<HostileOutcome> {
  using authority = new Authority()
  await using application = await normalUpstream()
  await using garbage = await garbageUpstream()
  await using gateway = await GatewayProcess.start({
    units: UNITS,
    routes: routes(application.url, garbage.url),
    extra: { 'turns.js': TURN_EXTENSION },
    admin: {
      heap: secureHeap(authority.issue({ name: 'localhost' })),
      connectors: [
        { port: 0, host: '127.0.0.1' },
        { port: 0, host: '127.0.0.1', tls: 'https' },
      ],
    },
  })
  const [port, securePort] = gateway.ports as [number, number]
  const load = { targets: NORMAL, timeout: LONGEST_ANSWER }
  const url = `http://127.0.0.1:${port}`
  await using plain = new Load({ ...load, url, connections: 8 })
  await using reconnecting = new Load({ ...load, url, connections: 2, reconnects: true })
  await using secure = new Load({ ...load, url: `https://localhost:${securePort}`, connections: 2 })
  await wait(PERIOD)
  const before = gateway.openFiles

  await using hostile = new HostileClients({ port, securePort }, names)
  const readings: Reading[] = []
  for (const end = performance.now() + duration; performance.now() < end; ) {
    const reading = await read(gateway).catch((error: Error) => {
      if (!gateway.hasEnded) throw error
      return null
    })
    if (reading === null) break
    readings.push(reading)
    onReading(reading)
    gateway.log.lines.length = 0
    await wait(PERIOD)
  }
  const attacks = await hostile.stop()
  const after = await settled(gateway, before + KEPT_DESCRIPTORS)
  const normal = [
    { name: 'HTTP/1.1', ...(await plain.stop()) },
    { name: 'new connections', ...(await reconnecting.stop()) },
    { name: 'HTTP/2', ...(await secure.stop()) },
  ]
  const scrape = await scrapeOf(gateway)
  const outcome = {
    normal,
    attacks,
    levels: levels(readings),
    descriptors: { before, after },
  }
  return { ...outcome, problems: problemsOf(outcome, scrape, gateway) }
}

function problemsOf(
  outcome: Omit<HostileOutcome, 'problems'>,
  scrape: Scrape | null,
  gateway: GatewayProcess,
): string[] {
  const { normal, attacks, levels, descriptors } = outcome
  const problems: string[] = []
  if (gateway.hasEnded || scrape === null) problems.push(`the gateway does not serve: ${gateway.errors.slice(-2_000)}`)
  const restarts = scrape?.value('gw_unit_restarts_total') ?? 0
  if (restarts > 0) problems.push(`${restarts} units had to be started again`)
  for (const { name, requests, wrongCount, wrong } of normal) {
    if (requests === 0) problems.push(`no normal request was sent over ${name}`)
    if (wrongCount > 0)
      problems.push(`${wrongCount} unexpected answers over ${name}: ${wrong.join('; ').slice(0, 1_000)}`)
  }
  for (const { name, turns, failed, reason } of attacks) {
    // An attack whose turns all fail tests nothing.
    if (failed > turns / 2) problems.push(`${failed} of ${turns} ${name} failed: ${reason}`)
  }
  for (const { problem } of levels) if (problem !== null) problems.push(problem)
  if (descriptors.after > descriptors.before + KEPT_DESCRIPTORS) {
    problems.push(`${descriptors.after} descriptors are open after the attacks, ${descriptors.before} before`)
  }
  return problems
}

function normalUpstream() {
  return httpUpstream((request, response) => {
    response.on('error', () => {})
    request.on('error', () => {})
    if (request.url?.endsWith('/slow')) return void setTimeout(() => response.end('slow'), 300)
    if (request.url?.endsWith('/endless')) return void stream(response)
    let received = 0
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    request.on('end', () => {
      const text = request.url?.endsWith('/large') ? 'x'.repeat(200_000) : 'x'.repeat(10)
      response.end(request.method === 'POST' ? String(received) : text)
    })
  })
}

/** 64 MiB, with back-pressure. */
function stream(response: ServerResponse): void {
  const piece = Buffer.alloc(65_536)
  let left = 1_024
  const fill = (): void => {
    while (left > 0 && !response.destroyed) {
      left--
      if (!response.write(piece)) return
    }
    response.end()
  }
  response.on('drain', fill)
  fill()
}

function routes(application: string, garbage: string): Record<string, unknown> {
  const proxy = (prefix: string, baseURI: string, fields: object = {}) => ({
    condition: `\${find(request.uri.path, '^${prefix}')}`,
    baseURI,
    handler: { type: 'ReverseProxyHandler', config: fields },
  })
  return {
    '0-turns': TURN_ROUTE,
    '1-static': pathRoute('/static', 'hello'),
    '2-json': pathRoute('/json', '${request.entity.json.a}'),
    '3-proxy': proxy('/proxy', application),
    '4-bulk': proxy('/bulk', application, { soTimeout: '5 seconds' }),
    '5-buffered': proxy('/garbage/buffered', garbage, { asyncBehavior: 'non_streaming', soTimeout: '1 second' }),
    '6-garbage': proxy('/garbage', garbage, { soTimeout: '1 second' }),
    '8-script': SCRIPT_ROUTE,
    '7-loop': { condition: "${find(request.uri.path, '^/loop')}", handler: 'ReverseProxyHandler' },
  }
}

async function read(gateway: GatewayProcess): Promise<Reading> {
  const scrape = await scrapeOf(gateway)
  return {
    turnMs: await longestTurn((path, asking) => gateway.ask(path, asking), UNITS),
    residentMiB: gateway.residentBytes / 2 ** 20,
    descriptors: gateway.openFiles,
    delayMs: largest(scrape, 'gw_event_loop_delay_p99_seconds'),
  }
}

/** Waits until at most so many descriptors are open, with a time-out. */
async function settled(gateway: GatewayProcess, allowed: number): Promise<number> {
  const end = performance.now() + SETTLE_TIME
  while (!gateway.hasEnded && gateway.openFiles > allowed && performance.now() < end) await wait(200)
  return gateway.hasEnded ? 0 : gateway.openFiles
}

async function scrapeOf(gateway: GatewayProcess): Promise<Scrape | null> {
  if (gateway.hasEnded) return null
  return gateway.askAdmin('/metrics/prometheus').then(
    ({ text }) => new Scrape(text),
    () => null,
  )
}

/** The largest value over all threads, in milliseconds; NaN where it could not be read. */
function largest(scrape: Scrape | null, name: string): number {
  return scrape === null ? Number.NaN : Math.max(...scrape.find(name).map(({ value }) => value * 1000))
}
