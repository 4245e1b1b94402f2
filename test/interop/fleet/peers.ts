// Three members of etcd, three gateways of two units, HAProxy and Redis, all as processes on loopback ports.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { EtcdMember } from '#test/etcd'
import { pathRoute } from '#test/gateway'
import { type Managed, ROUTES } from '#test/management'
import { RedisServer } from '#test/redis'
import { TcpRelay } from '#test/tcp-relay'
import { waitUntil } from '#test/waiting'
import { GatewayNode } from './gateway-node.ts'
import { Haproxy } from './haproxy.ts'
import { SteadyLoad } from './steady-load.ts'
import { StoreWatch } from './store-watch.ts'

export const PREFIX = '/identity-gateway'

/** Quota of the members: enough for the run, and soon filled. */
const QUOTA = 96 * 1024 * 1024

/** A marker is served where so many new connections in sequence get it: they reach both units. */
const SAME_RESPONSES = 6

/** Everything that flows use. */
export interface Peers {
  readonly members: readonly EtcdMember[]
  readonly gateways: readonly GatewayNode[]
  /** Between the last gateway and each member. */
  readonly relays: readonly TcpRelay[]
  readonly redis: RedisServer
  readonly load: SteadyLoad
  readonly watch: StoreWatch
  /** Times from a release in the store to its responses on every gateway, by the state of the fleet. */
  readonly times: Map<string, number[]>
  /** Releases that a gateway served later than a second after the store had them. */
  readonly late: string[]
}

export async function startPeers(owned: AsyncDisposableStack): Promise<Peers> {
  const members = await EtcdMember.startAll(['one', 'two', 'three'], [`--quota-backend-bytes=${QUOTA}`])
  for (const member of members) owned.use(member)
  const redis = owned.use(await RedisServer.start())
  const relays = await Promise.all(members.map(({ port }) => TcpRelay.start(port)))
  for (const relay of relays) owned.use(relay)
  const urls = members.map(({ url }) => url)
  const plans = [
    { name: 'gateway1', endpoints: urls, clock: null },
    { name: 'gateway2', endpoints: urls, clock: '+5h' },
    { name: 'gateway3', endpoints: relays.map(({ url }) => url), clock: '-5h' },
  ]
  const gateways = await Promise.all(plans.map((plan) => GatewayNode.create(plan)))
  for (const gateway of gateways) owned.use(gateway)
  const watch = owned.use(new StoreWatch(members, PREFIX))
  // The first start reads the files of the whole program from disk.
  for (const gateway of gateways) await gateway.start()
  const haproxy = owned.use(await Haproxy.start(gateways))
  await firstRelease(gateways[0]!, redis)
  for (const gateway of gateways) await serves(gateway, '/marker', '0')
  await pause(2_000)
  const load = owned.use(new SteadyLoad(haproxy.port))
  return { members, gateways, relays, redis, load, watch, times: new Map(), late: [] }
}

async function firstRelease(gateway: GatewayNode, redis: RedisServer): Promise<void> {
  const store = { name: 'Counts', type: 'RedisThrottlingStore', config: { url: redis.url, timeout: '2 seconds' } }
  const limited = (name: string, requestGroupingPolicy: string, numberOfRequests: number) => {
    const rate = { numberOfRequests, duration: '1 hour' }
    const limits = { requestGroupingPolicy, rate, store: 'Counts', onStoreFailure: 'LOCAL' }
    const filters = [{ type: 'ThrottlingFilter', config: limits }]
    const handler = { type: 'StaticResponseHandler', config: { status: 200, entity: name } }
    return {
      condition: `\${request.uri.path == '/${name}'}`,
      heap: [store],
      handler: { type: 'Chain', config: { filters, handler } },
    }
  }
  const routes = {
    load: limited('load', `\${request.method}`, 10_000_000),
    limited: limited('limited', `\${request.headers['x-group'][0]}`, 50),
    marker: pathRoute('/marker', '0'),
  }
  const files = Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [`config/routes/${name}.json`, JSON.stringify(route)]),
  )
  const { status, text } = await gateway.manage('POST', '/api/system/releases?_action=create', { body: { files } })
  assert.equal(status, 201, text)
}

/** Waits until a gateway responds to a path with a text on both units. */
export async function serves(gateway: GatewayNode, path: string, text: string, limit = 60_000): Promise<void> {
  await servedAt(gateway, path, text, limit)
}

/** When a gateway began to respond with a text and no other one. */
export async function servedAt(
  gateway: GatewayNode,
  path: string,
  text: string,
  limit = 60_000,
  { aborted } = { aborted: () => false },
): Promise<number> {
  let since = 0
  let same = 0
  await waitUntil(
    `${gateway.name} responds to ${path} with ${text}`,
    async () => {
      if (aborted()) return true
      const response = await gateway.ask(path).catch(() => null)
      if (response?.text !== text) {
        same = 0
        await pause(10)
        return false
      }
      if (same === 0) since = performance.now()
      return ++same >= SAME_RESPONSES
    },
    limit,
  )
  return since
}

let markers = 0

function nextMarker(): string {
  return `${++markers}`
}

/** A change of the marker over one gateway, which makes a release; the marker, and the response. */
export async function mark(gateway: GatewayNode, text = nextMarker()): Promise<{ text: string; response: Managed }> {
  const response = await gateway.manage('PUT', `${ROUTES}/marker`, { body: pathRoute('/marker', text) })
  return { text, response }
}

/**
 * Makes a release over one gateway and measures, for each of the others and itself, the time from the store to the responses.
 * Resolves with the longest one.
 */
export async function release(
  { watch, times, late }: Peers,
  by: GatewayNode,
  on: readonly GatewayNode[],
  { state, limit = 40_000 }: { readonly state: string; readonly limit?: number },
): Promise<number> {
  const before = watch.newest
  const begin = performance.now()
  const text = nextMarker()
  // From now on: others may serve it before the writer has its response.
  let isRefused = false
  const serving = on.map((gateway) => servedAt(gateway, '/marker', text, limit, { aborted: () => isRefused }))
  const all = Promise.allSettled(serving)
  const { response } = await mark(by, text)
  const answered = performance.now()
  isRefused = response.status !== 200
  if (isRefused) await all
  assert.equal(response.status, 200, response.text)
  const served = await Promise.all(serving)
  await waitUntil('the watch has the release', () => watch.newest > before, 5_000).catch(() => {})
  const stored = Math.min(answered, watch.releases.get(before + 1) ?? answered)
  const lags = served.map((at) => Math.max(0, at - stored))
  if (lags.some((lag) => lag > 1_000)) {
    const each = on.map(({ name }, at) => `${name} ${Math.round(lags[at] as number)} ms`)
    late.push(
      `${state}: by ${by.name} in ${Math.round(answered - begin)} ms, stored after ${Math.round(stored - begin)} ms: ${each.join(', ')}`,
    )
  }
  times.set(state, [...(times.get(state) ?? []), ...lags])
  return Math.max(...lags)
}

/** A release in a state where the store may be changing its leader: tries again while nothing was changed. */
export async function releaseSoon(
  peers: Peers,
  by: GatewayNode,
  on: readonly GatewayNode[],
  state: string,
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await release(peers, by, on, { state })
    } catch (error) {
      if (attempt === 20 || !/503/.test(String((error as { actual?: unknown }).actual))) throw error
      await pause(200)
    }
  }
}

/** No request failed but those inside a killed gateway. */
export function assertNoFailure({ load }: Peers): void {
  const failures = load.unexplained()
  assert.deepEqual(failures.slice(0, 5), [], `${failures.length} requests failed`)
}
