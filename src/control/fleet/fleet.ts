import { join } from 'node:path'
import type { HealthCheck, ServedFolders } from '#contracts'
import { EtcdClient, type EtcdError, type EtcdErrorKind } from '#etcd'
import type { Logger } from '#logging'
import { type Authorship, EtcdReleases, type FileChange, type WriteOutcome } from '#releases'
import { type Clock, systemClock } from '#schema'
import { boundedWait } from '#timing'
import { EVENTS } from '../log-events.ts'
import { makeFirstRelease } from './first-release.ts'
import { fleetCheck } from './fleet-health.ts'
import type { FleetSettings } from './fleet-settings.ts'
import { defaultInstanceId } from './instance-id.ts'
import { firstInstance, InstanceRecord, readInstances } from './instance-record.ts'
import { comparedWith, type InstanceStatus, type ReleaseProblem } from './instance-status.ts'
import { LocalCopy, type UnitFolders } from './local-copy.ts'
import { Reconciler } from './reconciler.ts'
import { RefusedError } from './release-failure.ts'
import { ReleaseSweep } from './release-sweep.ts'
import { ReleaseVersions } from './release-versions.ts'
import type { ServingHost } from './serving-host.ts'
import { StoreFollower, type StoreState } from './store-follower.ts'

/** Milliseconds for the changes of others, before a change is decided again. */
const CATCH_UP_LIMIT = 10_000

/** Input of a fleet. */
interface FleetInput {
  readonly settings: FleetSettings
  /** The state directory. */
  readonly state: string
  /** The folders of the instance itself. */
  readonly own: ServedFolders
  readonly version: string
  readonly logger: Logger
  readonly host: ServingHost
  /** Another process of the instance serves, and writes the local copy, until this one takes over. */
  readonly standby: boolean
  readonly clock?: Clock
  /** Where this instance serves traffic. */
  address(): string
}

/** This gateway as one of several with the configuration of a store. */
export class Fleet {
  readonly id: string
  readonly settings: FleetSettings
  readonly releases: EtcdReleases
  readonly versions: ReleaseVersions
  readonly copy: LocalCopy
  readonly #input: FleetInput
  readonly #client: EtcdClient
  readonly #follower: StoreFollower
  readonly #reconciler: Reconciler
  readonly #record: InstanceRecord
  readonly #sweep: ReleaseSweep
  /** Resolves with the first state of the store; rejects when the fleet is closed before. */
  readonly #known = Promise.withResolvers<void>()
  /** Those that units have started with; null for those of the instance. */
  #opened: UnitFolders | null = null
  #isStarted = false
  #isClosed = false
  #hasLoggedLocalFiles = false
  #recordRefusal: EtcdErrorKind | null = null

  private constructor(input: FleetInput, id: string, copy: LocalCopy) {
    const { settings, logger, clock = systemClock } = input
    const { store } = settings
    this.#input = input
    this.id = id
    this.settings = settings
    this.copy = copy
    this.#known.promise.catch(() => {})
    this.#client = new EtcdClient({
      endpoints: store.endpoints,
      username: store.username,
      password: () => store.password(),
      tls: store.tls,
    })
    const { prefix, maxReleaseSize: maxReleaseBytes, keepReleases } = store
    this.releases = new EtcdReleases(this.#client, { prefix, clock, maxReleaseBytes, keepReleases })
    this.versions = new ReleaseVersions({
      labels: settings.labels,
      clock,
      stored: () => copy.newest,
      changed: () => this.#record.changed(),
    })
    const { releases, versions } = this
    this.#reconciler = new Reconciler({ releases, copy, versions, logger, host: input.host, own: input.own })
    this.#record = new InstanceRecord({
      client: this.#client,
      keys: releases.keys,
      clock,
      status: () => this.status,
      rivalChanged: (address) => this.#rivalChanged(address),
      refusalChanged: (refusal) => this.#refusalChanged(refusal),
    })
    this.#sweep = new ReleaseSweep({ releases, logger, isOwn: () => this.#isFirst() })
    this.#follower = new StoreFollower({
      releases,
      logger,
      clock,
      local: () => copy.newest,
      changed: (found) => this.#storeChanged(found),
      connectionChanged: () => {
        if (this.isConnected) this.#record.changed()
      },
    })
  }

  static async open(input: FleetInput): Promise<Fleet> {
    const { settings, state, logger } = input
    const root = join(state, 'release')
    const copy = input.standby ? await LocalCopy.openShared(root, logger) : await LocalCopy.open(root, logger)
    return new Fleet(input, settings.instanceId ?? (await defaultInstanceId(state)), copy)
  }

  /** The folders to start with: those of the local copy, or null for those of the instance where the store has no release. */
  async openFolders(): Promise<ServedFolders | null> {
    const { newest } = this.copy
    this.#opened = newest && (await this.copy.openFolders(newest))
    return this.#opened?.folders ?? null
  }

  get isConnected(): boolean {
    return this.#follower.connection.state === 'connected'
  }

  /** Whether units serve a release, and not the folders of the instance. */
  get servesRelease(): boolean {
    return this.versions.running !== null
  }

  get isStarted(): boolean {
    return this.#isStarted
  }

  /** Whether the files of the local copy were those of the release when they were compared. */
  get isVerified(): boolean {
    return this.#reconciler.isVerified
  }

  get failure(): Reconciler['failure'] {
    return this.#reconciler.failure
  }

  get connection(): StoreFollower['connection'] {
    return this.#follower.connection
  }

  /** Why the store does not take the record of this instance; null where it does. */
  get recordRefusal(): EtcdErrorKind | null {
    return this.#recordRefusal
  }

  /** The record of this instance. */
  get status(): InstanceStatus {
    const { wanted, served, state, problems, since } = this.versions
    return {
      id: this.id,
      version: this.#input.version,
      address: this.#input.address(),
      labels: this.settings.labels,
      wanted: wanted ?? this.copy.release?.release ?? null,
      served,
      state,
      problems,
      since: new Date(since).toISOString(),
    }
  }

  /** The living instances. */
  async instances(): Promise<InstanceStatus[]> {
    const found = await readInstances(this.#client, this.releases.keys)
    const { pointer, divergence } = this.versions
    if (pointer === null || pointer === undefined || divergence !== null) return found
    return found.map((status) => comparedWith(status, pointer))
  }

  /** Number of living instances, as of some seconds before. */
  get instanceCount(): number {
    return this.#record.instances
  }

  checks(): HealthCheck[] {
    return [fleetCheck(this)]
  }

  /**
   * Resolves when there is something to serve: at once with a local copy, else when the store has answered. Rejects when the
   * fleet is closed before that. Without a local copy, another process that serves has the files of the instance.
   */
  async ready(): Promise<void> {
    this.#follower.start()
    if (this.copy.newest !== null || !this.copy.isOwned) return
    await this.#known.promise
    while (this.copy.newest === null && !this.versions.wantsLocalFiles) {
      try {
        await this.#reconciler.store()
        if (this.copy.newest === null) throw new Error('no release is wanted yet')
      } catch (error) {
        await this.#reconciler.failed(error)
      }
    }
  }

  /** Units can not start with the release: resolves when it is time to try again, or when there is another one. */
  async startFailed(problems: readonly ReleaseProblem[]): Promise<void> {
    this.#record.start()
    if (this.#opened !== null) await this.copy.closeFolders(this.#opened.folders)
    await this.#reconciler.failed(new RefusedError(problems))
    await this.#reconciler.store().catch(() => {})
  }

  /** Units serve, and no other process does: takes what that one has stored since these units started. */
  async tookOver(): Promise<void> {
    await this.copy.own()
    this.#start()
  }

  /** Units serve. */
  async started(): Promise<void> {
    if (this.#opened !== null) await this.copy.serves(this.#opened.folders)
    this.#start()
  }

  #start(): void {
    this.#isStarted = true
    this.#record.start()
    this.#sweep.start()
    this.#reconciler.started(this.#opened?.release ?? null)
  }

  /** SIGHUP, before routes are read again: files of the local copy that were changed by hand are overwritten. */
  repair(): Promise<void> {
    return this.#reconciler.verify()
  }

  /** SIGHUP, after routes were read again: what failed is tried again, and the record has the problems that are left. */
  async reload(): Promise<void> {
    this.#reconciler.retry()
    await this.#reconciler.settled()
  }

  /** A change of files makes a release. On a store without one it is the first, of the files of this instance with that change. */
  async write(changes: readonly FileChange[], by: Authorship): Promise<WriteOutcome> {
    const local = this.copy.newest
    if (local !== null) return this.releases.write(changes, by, { local })
    const { own, settings } = this.#input
    return makeFirstRelease(this.releases, { folders: own, maxBytes: settings.store.maxReleaseSize }, changes, by)
  }

  /** After a write: the local copy gets its release. */
  async onWriteCommitted(outcome: WriteOutcome): Promise<void> {
    if (outcome.state !== 'done' || outcome.release === undefined) this.#follower.wake()
    // The first release also replaces the units, whose files are those of the instance until then.
    else if (!this.servesRelease) await this.onReleaseCreated()
    else await this.#reconciler.wrote(outcome.release)
  }

  /** A release was made over this gateway: waits a bounded time until it serves it. */
  onReleaseCreated(): Promise<void> {
    return this.#upToDate(() => this.#reconciler.settled())
  }

  /** Resolves when the local copy has the changes of routes that the store has now; after a bounded time in any case. */
  catchUp(): Promise<void> {
    return this.#upToDate(() => this.#reconciler.store())
  }

  async #upToDate(step: () => Promise<void>): Promise<void> {
    // The follower reports what is wrong with the store, and the reconciler what is wrong with a release.
    const refreshed = this.#follower
      .refresh()
      .then(step)
      .catch(() => {})
    await boundedWait(refreshed, CATCH_UP_LIMIT)
  }

  /**
   * The store as it is becomes the truth for this instance: its release, or the files of the instance where it has none.
   * Rejects with an EtcdError or ReleaseError where it can not be read.
   */
  async forceSync(): Promise<void> {
    const { pointer } = await this.releases.head()
    this.versions.forceSync(pointer)
    this.#reconciler.forceSync()
    await this.onReleaseCreated()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const reason = new Error('the gateway is stopping')
    const reconciled = this.#reconciler.close(reason)
    this.#known.reject(reason)
    this.#sweep.close()
    await this.#record.close()
    this.releases[Symbol.dispose]()
    const ended = Promise.all([this.#follower.close(), reconciled])
    await this.#client[Symbol.asyncDispose]()
    // Also ends what waits for a copy that another process has.
    await Promise.all([ended, this.copy.close()])
  }

  /** The instance with the smallest id removes what is no longer needed. */
  async #isFirst(): Promise<boolean> {
    if (!this.isConnected || this.versions.divergence !== null) return false
    return (await firstInstance(this.#client, this.releases.keys)) === this.id
  }

  #rivalChanged(address: string | null): void {
    const { logger } = this.#input
    if (address === null) logger.info('no other gateway has the instanceId of this one any more')
    else logger.error({ instanceId: this.id, address }, EVENTS.INSTANCE_ID_SHARED)
    this.versions.rivalIs(address)
  }

  #refusalChanged(refusal: EtcdError | null): void {
    const { logger } = this.#input
    this.#recordRefusal = refusal?.kind ?? null
    if (refusal === null) logger.info('the configuration store takes the record of this instance again')
    else logger.error({ reason: refusal.message }, EVENTS.RECORD_REFUSED)
  }

  #storeChanged({ pointer, divergence }: StoreState): void {
    const { logger } = this.#input
    if (divergence !== null && divergence.reason !== this.versions.divergence?.reason)
      logger.error({ reason: divergence.reason }, EVENTS.STORE_DIVERGED)
    if (pointer === null && divergence === null && !this.#hasLoggedLocalFiles) {
      this.#hasLoggedLocalFiles = true
      logger.info('the configuration store has no release; the files of this instance are served until the first one')
    }
    this.versions.storeHas(pointer, divergence)
    this.#known.resolve()
    this.#reconciler.changed()
  }
}
