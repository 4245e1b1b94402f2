import { EtcdClient } from '#etcd'
import { type Content, contentOf, EtcdReleases, type Tree } from '#releases'
import { systemClock } from '#schema'
import { InstanceRecord, readInstances } from '../src/control/fleet/instance-record.ts'
import type { InstanceStatus } from '../src/control/fleet/instance-status.ts'
import { StoreHeartbeat } from '../src/control/fleet/store-heartbeat.ts'
import { idleCpu } from './fleet-idle.ts'
import { median } from './measure.ts'
import type { ServerProcess } from './server-process.ts'

/** Until every follower has a change. */
const SEEN_WITHIN = 60_000

/** Seconds from the commit of a change, of the slowest follower: median and maximum of the changes. */
export interface FollowersResult {
  readonly followers: number
  readonly changes: number
  /** Until it knows the number of the new release. */
  readonly seen: { readonly median: number; readonly max: number }
  /** Until it has also read record, shard and content of the changed file. */
  readonly read: { readonly median: number; readonly max: number }
  /** Of etcd for one change. */
  readonly etcdCpuSeconds: number
  /** Of all followers together for one change. */
  readonly followersCpuSeconds: number
  /** CPU seconds of etcd in a second without changes: leases are renewed, watches are checked. */
  readonly etcdIdle: number
  /** Seconds to read the records of all instances. */
  readonly listSeconds: number
}

/** One that follows the pointer of the store, and reads what has changed. */
class Follower implements Disposable {
  readonly #releases: EtcdReleases
  readonly #tree: Tree
  readonly #watch: Disposable
  readonly #pulse: Disposable
  #awaited = { number: 0, seen: Promise.withResolvers<number>(), read: Promise.withResolvers<number>() }

  constructor(releases: EtcdReleases, tree: Tree, from: bigint) {
    this.#releases = releases
    this.#tree = tree
    const fail = (error: Error): void => {
      this.#awaited.seen.reject(error)
      this.#awaited.read.reject(error)
    }
    const listener = {
      moved: () => {
        this.#awaited.seen.resolve(performance.now())
        this.#readChange().then(
          () => this.#awaited.read.resolve(performance.now()),
          (error: Error) => fail(error),
        )
      },
      ended: (error: Error) => fail(error),
    }
    this.#watch = releases.follow(from, listener)
    this.#pulse = new StoreHeartbeat({
      ask: () => releases.head().then(() => {}, fail),
      isQuick: () => false,
    })
  }

  /** The times at which the next change is known, and read. */
  next(number: number): Promise<[seen: number, read: number]> {
    this.#awaited = { number, seen: Promise.withResolvers<number>(), read: Promise.withResolvers<number>() }
    return Promise.all([this.#awaited.seen.promise, this.#awaited.read.promise])
  }

  async #readChange(): Promise<void> {
    const record = await this.#releases.release(this.#awaited.number)
    if (record === null) throw new Error(`release ${this.#awaited.number} is missing`)
    const tree = await this.#releases.tree(record, this.#tree)
    // Shards that both trees have are the same objects.
    const shards = [...tree.shards].filter(([id, shard]) => this.#tree.shards.get(id) !== shard)
    const changed = shards.flatMap(([, { entries }]) =>
      [...entries].filter(([path, { hash }]) => this.#tree.get(path)?.hash !== hash),
    )
    const contents: Content[] = await Array.fromAsync(this.#releases.contents(changed.map(([, entry]) => entry)))
    if (contents.length !== 1) throw new Error(`expected one changed file, got ${contents.length}`)
  }

  [Symbol.dispose](): void {
    this.#pulse[Symbol.dispose]()
    this.#watch[Symbol.dispose]()
  }
}

/** Changes one file several times, while so many followers are connected. */
export async function measureFollowers(
  etcd: { readonly server: ServerProcess; readonly url: string },
  {
    followers: count,
    changes,
    path,
    idleSeconds,
  }: { followers: number; changes: number; path: string; idleSeconds: number },
): Promise<FollowersResult> {
  const settings = { endpoints: [etcd.url], username: null, password: () => null, tls: null, callTimeout: 30_000 }
  await using client = new EtcdClient(settings)
  using releases = new EtcdReleases(client, { prefix: '/identity-gateway', clock: systemClock })
  const { pointer, revision } = await releases.head()
  const record = pointer === null ? null : await releases.release(pointer.release)
  if (record === null) throw new Error('expected a release in the store')
  const tree = await releases.tree(record)
  let text = ''
  for await (const { data } of releases.contents([tree.get(path)!])) text = String(data)
  await using clients = new AsyncDisposableStack()
  const following = Array.from({ length: count }, (_, at) => {
    // Clients of one thread with equal settings share connections, as those of two processes do not.
    const own = clients.use(new EtcdClient({ ...settings, connectTimeout: 30_000 + at }))
    const record = new InstanceRecord({
      client: own,
      keys: releases.keys,
      clock: systemClock,
      status: () => statusOf(at),
      rivalChanged: () => {},
      refusalChanged: () => {},
    })
    clients.defer(() => record.close())
    record.start()
    const reader = clients.use(new EtcdReleases(own, { prefix: '/identity-gateway', clock: systemClock }))
    return clients.use(new Follower(reader, tree, revision + 1n))
  })
  const [seen, read]: [number[], number[]] = [[], []]
  let [etcdCpu, ownCpu] = [0, 0]
  // The first change opens connections, and is not counted.
  for (let change = 0; change <= changes; change++) {
    const before = contentOf(Buffer.from(text)).hash
    text = `${text.trimEnd()}${' '.repeat(change)}\n`
    const number = record.number + change + 1
    const times = Promise.all(following.map((follower) => follower.next(number)))
    times.catch(() => {})
    const [cpu, own] = [etcd.server.cpuSeconds(), process.cpuUsage()]
    const outcome = await releases.write(
      [{ path, before, after: text }],
      { author: 'bench', note: null },
      { local: null },
    )
    const committed = performance.now()
    if (outcome.state !== 'done' || outcome.release !== number) throw new Error(JSON.stringify(outcome))
    const all = await Promise.race([times, timeout()])
    if (change === 0) continue
    seen.push(Math.max(0, ...all.map(([at]) => at - committed)) / 1_000)
    read.push(Math.max(0, ...all.map(([, at]) => at - committed)) / 1_000)
    etcdCpu += etcd.server.cpuSeconds() - cpu
    const { user, system } = process.cpuUsage(own)
    ownCpu += (user + system) / 1e6
  }
  const [etcdIdle = 0] = (await idleCpu([etcd.server], idleSeconds)).map((hour) => hour / 3_600)
  const listed = performance.now()
  const instances = await readInstances(client, releases.keys)
  const listSeconds = (performance.now() - listed) / 1_000
  if (instances.length !== count) throw new Error(`expected ${count} instances, got ${instances.length}`)
  const of = (values: readonly number[]) => ({ median: median(values), max: Math.max(...values) })
  return {
    followers: count,
    changes,
    seen: of(seen),
    read: of(read),
    etcdCpuSeconds: etcdCpu / changes,
    followersCpuSeconds: ownCpu / changes,
    etcdIdle,
    listSeconds,
  }
}

function statusOf(at: number): InstanceStatus {
  return {
    id: `gateway-${at}.region-1.example`,
    version: '1.0.0',
    address: 'http://192.0.2.1:8080',
    labels: { stage: 'production', region: 'region-1' },
    wanted: 1,
    served: 1,
    state: 'current',
    problems: [],
    since: '2026-01-01T00:00:00.000Z',
  }
}

function timeout(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`not every follower has a change after ${SEEN_WITHIN} ms`)), SEEN_WITHIN).unref()
  })
}
