import type { JsonObject } from '#json'
import { ClusterCalls } from './cluster-calls.ts'
import { DoubledWatch } from './doubled-watch.ts'
import { EtcdError } from './etcd-error.ts'
import { countKeys, type KeyPage, type ListOptions, listKeys } from './key-list.ts'
import type { KeyValue, OperationResult, Transaction } from './key-value.ts'
import { MalformedResponse } from './malformed-response.ts'
import type { EtcdSettings } from './settings.ts'
import { changesAnything, resultsOf, transactionMessage } from './transaction.ts'
import { Watch, type WatchListener, type WatchTarget } from './watch.ts'
import {
  encodedKey,
  flagOf,
  idOf,
  integerOf,
  objectOf,
  objectsOf,
  rawItemOf,
  readable,
  revisionOf,
  textOf,
} from './wire.ts'

const WATCH_CHECK_INTERVAL = 10_000

/** The member that answered, and its cluster. */
export interface EtcdStatus {
  readonly endpoint: string
  readonly version: string
  readonly memberId: string
  readonly clusterId: string
  /** Whether the member knows a leader. */
  readonly hasLeader: boolean
}

/**
 * A client of etcd 3.4 and newer by its JSON gateway. Reads are linearizable: a member without a majority does not answer them.
 * Requests reject with an EtcdError; a request that can be repeated safely is sent to each endpoint once, a write only where
 * the endpoints before certainly did not apply it.
 */
export class EtcdClient implements AsyncDisposable {
  readonly #cluster: ClusterCalls
  readonly #watches = new Set<Watch>()
  readonly #checkInterval: number
  readonly #random: () => number

  /** Throws where an endpoint is no URL of a server; opens no connection. */
  constructor(settings: EtcdSettings) {
    this.#cluster = new ClusterCalls(settings)
    this.#checkInterval = settings.watchCheckInterval ?? WATCH_CHECK_INTERVAL
    this.#random = settings.random ?? Math.random
  }

  /** The value of a key, and the revision of the store. */
  async get(key: string): Promise<{ item: KeyValue | null; revision: bigint }> {
    return this.#cluster.call({ path: 'kv/range', message: { key: encodedKey(key) } }, (response) => {
      const [item] = readable(objectsOf(response['kvs'], 'kvs').map((each) => rawItemOf(each, 'kvs')))
      return { item: item ?? null, revision: revisionOf(response) }
    })
  }

  /** A page of the keys with a prefix. */
  list(prefix: string, options: ListOptions = {}): Promise<KeyPage> {
    return listKeys(this.#cluster, prefix, options)
  }

  /** Number of keys with a prefix. */
  count(prefix: string): Promise<number> {
    return countKeys(this.#cluster, prefix)
  }

  /** At most 128 operations and 1.5 MiB, by the defaults of etcd; more is `too-large`. */
  async transact(transaction: Transaction): Promise<{
    succeeded: boolean
    revision: bigint
    responses: OperationResult[]
  }> {
    const request = {
      path: 'kv/txn',
      message: transactionMessage(transaction),
      isWrite: changesAnything(transaction) && transaction.isRepeatable !== true,
    }
    return this.#cluster.call(request, (response) => {
      const succeeded = flagOf(response['succeeded'], 'succeeded')
      const executed = succeeded ? transaction.success : (transaction.failure ?? [])
      return { succeeded, revision: revisionOf(response), responses: resultsOf(response['responses'], executed) }
    })
  }

  /**
   * Watches a key or the keys with a prefix at one member, until it fails. The caller begins the next watch at the revision
   * after the last one that was delivered; it goes to another endpoint.
   */
  watch(target: WatchTarget, listener: WatchListener): Disposable {
    return this.#watch(target, listener, this.#cluster.endpoints.current, this.#checkInterval)
  }

  /**
   * Watches as `watch` does, at two members at once where there are two endpoints: a member that is silent delays no change. A
   * change is delivered once. It ends when both watches have failed.
   */
  follow(target: WatchTarget, listener: WatchListener): Disposable {
    const { endpoints } = this.#cluster
    const checkInterval = this.#checkInterval * Math.min(2, endpoints.count)
    const open = (origin: string, from: bigint, each: WatchListener) =>
      this.#watch({ ...target, from }, each, origin, checkInterval)
    return new DoubledWatch(endpoints, target.from, listener, { open, random: this.#random })
  }

  #watch(target: WatchTarget, listener: WatchListener, origin: string, checkInterval: number): Disposable {
    const watch: Watch = new Watch(this.#cluster, target, listener, {
      origin,
      checkInterval,
      random: this.#random,
      onEnd: () => this.#watches.delete(watch),
    })
    this.#watches.add(watch)
    watch.start()
    return watch
  }

  /** A lease that expires after so many seconds without `keepAlive`. */
  grantLease(seconds: number): Promise<{ lease: string; seconds: number }> {
    // A second lease after a lost response expires by itself: no write of the caller is at stake.
    return this.#cluster.call({ path: 'lease/grant', message: { TTL: String(seconds) } }, (response) => {
      const lease = idOf(response['ID'], 'ID')
      if (lease === '0') throw new MalformedResponse('ID: expected that of a lease, got none')
      return { lease, seconds: Number(integerOf(response['TTL'], 'TTL')) }
    })
  }

  /** Renews a lease once; resolves with its seconds. Rejects with `lease-not-found` where it has expired. */
  async keepAlive(lease: string): Promise<number> {
    const seconds = await this.#cluster.call({ path: 'lease/keepalive', message: { ID: lease } }, (response) => {
      const { TTL } = objectOf(response['result'], 'result')
      return Number(integerOf(TTL, 'TTL'))
    })
    if (seconds === 0) throw new EtcdError('lease-not-found', `etcd: expected lease ${lease}, which has expired`)
    return seconds
  }

  /** Ends a lease and deletes its keys; one that has expired is fine. */
  async revokeLease(lease: string): Promise<void> {
    try {
      await this.#cluster.call({ path: 'lease/revoke', message: { ID: lease } }, () => null)
    } catch (error) {
      if (!(error instanceof EtcdError && error.kind === 'lease-not-found')) throw error
    }
  }

  /** Also answered by a member without a majority. */
  status(): Promise<EtcdStatus> {
    return this.#cluster.call({ path: 'maintenance/status', message: {}, needsLeader: false }, statusOf)
  }

  /** Ends watches without a callback, and aborts requests. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const watch of [...this.#watches]) watch[Symbol.dispose]()
    await this.#cluster[Symbol.asyncDispose]()
  }
}

function statusOf(response: JsonObject, endpoint: string): EtcdStatus {
  const header = objectOf(response['header'], 'header')
  return {
    endpoint,
    version: textOf(response['version'], 'version').slice(0, 64),
    memberId: idOf(header['member_id'], 'header.member_id'),
    clusterId: idOf(header['cluster_id'], 'header.cluster_id'),
    hasLeader: idOf(response['leader'], 'leader') !== '0',
  }
}
