import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { boundedWait, type ServedFolders } from '#contracts'
import { EtcdClient, type EtcdError, type EtcdErrorKind } from '#etcd'
import type { Logger } from '#logging'
import { type Authorship, type ContentEntry, EtcdReleases, type FileChange, type WriteOutcome } from '#releases'
import { type Clock, systemClock } from '#schema'
import type { HealthCheck } from '../admin/health.ts'
import { EVENTS } from '../log-events.ts'
import { CopyWatcher } from './copy-watcher.ts'
import { makeFirstRelease } from './first-release.ts'
import { fleetCheck } from './fleet-health.ts'
import type { FleetSettings } from './fleet-settings.ts'
import { FleetState } from './fleet-state.ts'
import { defaultInstanceId } from './instance-id.ts'
import { firstInstance, InstanceRecord, readInstances } from './instance-record.ts'
import { comparedWith, type InstanceStatus, type ReleaseProblem } from './instance-status.ts'
import { LocalCopy } from './local-copy.ts'
import { ReleaseApplier } from './release-applier.ts'
import { ReleaseSweep } from './release-sweep.ts'
import { servedFolders } from './served-folders.ts'
import type { ServingHost } from './serving-host.ts'
import { StoreFollower, type StoreState } from './store-follower.ts'

/** Milliseconds for the changes of others, before a change is decided again. */
const CATCH_UP_LIMIT = 10_000

/** Milliseconds before the first release is read again. */
const FIRST_READ_PAUSE = 1_000

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
  readonly isAside: boolean
  readonly clock?: Clock
  /** Where this instance serves traffic. */
  address(): string
}

/** This gateway as one of several with the configuration of a store. */
export class Fleet {
  readonly id: string
  readonly settings: FleetSettings
  readonly releases: EtcdReleases
  readonly state: FleetState
  readonly copy: LocalCopy
  readonly #input: FleetInput
  readonly #client: EtcdClient
  readonly #follower: StoreFollower
  readonly #applier: ReleaseApplier
  readonly #record: InstanceRecord
  readonly #sweep: ReleaseSweep
  readonly #watcher: CopyWatcher
  readonly #ending = new AbortController()
  /** Resolves with the first state of the store; rejects when the fleet is closed before. */
  readonly #known = Promise.withResolvers<void>()
  #isStarted = false
  #isClosed = false
  #hasLoggedOwn = false
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
    this.#watcher = new CopyWatcher(copy, logger)
    this.state = new FleetState(settings.labels, clock, () => {
      this.#record.changed()
      if (this.#isStarted) this.#watcher.follow()
    })
    const { releases, state } = this
    this.#applier = new ReleaseApplier({ releases, copy, state, logger, host: input.host })
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
      local: () => copy.release,
      changed: (found) => this.#storeChanged(found),
      connectionChanged: () => {
        if (this.isConnected) this.#record.changed()
      },
    })
  }

  static async open(input: FleetInput): Promise<Fleet> {
    const { settings, state, logger } = input
    const root = join(state, 'release')
    const copy = input.isAside ? await LocalCopy.openShared(root, logger) : await LocalCopy.open(root, logger)
    return new Fleet(input, settings.instanceId ?? (await defaultInstanceId(state)), copy)
  }

  /** The folders to start with: those of the local copy, or those of the instance where the store has no release. */
  get folders(): ServedFolders | null {
    return this.copy.release === null ? null : servedFolders(this.copy.root)
  }

  get isConnected(): boolean {
    return this.#follower.connection.state === 'connected'
  }

  /** Whether units serve a release, and not the folders of the instance. */
  get servesRelease(): boolean {
    return this.#applier.isServing
  }

  get isStarted(): boolean {
    return this.#isStarted
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
    const { wanted, served, state, problems, since } = this.state
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
    const { pointer, divergence } = this.state
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
    if (this.copy.release !== null || !this.copy.isOwned) return
    await this.#known.promise
    for (;;) {
      const { wanted } = this.state
      if (wanted === null) return
      try {
        return await this.#applier.copyOnly(wanted)
      } catch (error) {
        const { message } = error as Error
        if (this.state.problems[0]?.message !== message)
          this.#input.logger.error({ error, release: wanted }, EVENTS.RELEASE_UNREADABLE)
        this.state.fails([{ file: '', message }])
        await this.#pause()
      }
    }
  }

  /** Units can not start with the release: waits for another one, and copies that. */
  async startFailed(problems: readonly ReleaseProblem[]): Promise<void> {
    const failed = this.copy.release?.write
    const [first] = problems
    this.#input.logger.error({ release: this.copy.release?.release, reason: first?.message }, EVENTS.RELEASE_REFUSED)
    this.state.fails(problems)
    this.#record.start()
    while (this.copy.release?.write === failed) {
      await this.#pause()
      const { wanted } = this.state
      if (wanted !== null && wanted !== this.copy.release?.release) await this.#applier.copyOnly(wanted).catch(() => {})
    }
    this.state.fails([])
  }

  /** Units serve, and no other process does: takes what that one has copied since these units started. */
  async tookOver(): Promise<void> {
    const hadRelease = this.copy.release !== null
    const change = await this.copy.own()
    if (hadRelease) await this.#applier.copiedBefore(change)
    if (hadRelease && this.copy.release === null) await this.#applier.serveOwn(this.#input.own)
    this.#start()
  }

  /** Units serve. */
  started(): void {
    if (this.copy.release !== null) this.#applier.started()
    this.#start()
  }

  #start(): void {
    this.#isStarted = true
    this.#record.start()
    this.#sweep.start()
    this.#watcher.follow()
    this.#applier.changed()
  }

  /** SIGHUP, after routes were read again: a release that failed is tried again, and the record has the problems that are left. */
  async reload(): Promise<void> {
    this.#applier.changed()
    await this.#applier.settled()
  }

  /** A change of files makes a release. On a store without one it is the first, of the files of this instance with that change. */
  async write(changes: readonly FileChange[], by: Authorship): Promise<WriteOutcome> {
    const local = this.copy.release
    if (local !== null) return this.releases.write(changes, by, { local })
    const { own, settings } = this.#input
    return makeFirstRelease(this.releases, { folders: own, maxBytes: settings.store.maxReleaseSize }, changes, by)
  }

  /** After a write: the local copy gets its release. */
  async written(outcome: WriteOutcome): Promise<void> {
    if (outcome.state !== 'done' || outcome.release === undefined) this.#follower.wake()
    // The first release also replaces the units, whose files are those of the instance until then.
    else if (!this.servesRelease) await this.made(outcome.release)
    else await this.#applier.written(outcome.release)
  }

  /** A release was made over this gateway: waits a bounded time until it serves it. */
  async made(release: number): Promise<void> {
    await this.#applier.written(release)
    await this.#upToDate(() => this.#applier.settled())
  }

  /** Units could start with the files of a release that is about to be made. */
  triedOut(files: ReadonlyMap<string, ContentEntry>): void {
    this.#applier.triedOut(files)
  }

  /** Resolves when the local copy has the changes of routes that the store has now; after a bounded time in any case. */
  async catchUp(): Promise<void> {
    await this.#upToDate(async () => {
      const { wanted } = this.state
      if (wanted !== null) await this.#applier.copyRoutes(wanted)
    })
  }

  async #upToDate(step: () => Promise<void>): Promise<void> {
    // The follower reports what is wrong with the store.
    const refreshed = this.#follower.refresh().then(step, () => {})
    await boundedWait(refreshed, CATCH_UP_LIMIT)
  }

  /**
   * The store as it is becomes the truth for this instance: its release, or the files of the instance where it has none.
   * Rejects with an EtcdError or ReleaseError where it can not be read.
   */
  async adopt(): Promise<void> {
    const { pointer } = await this.releases.head()
    this.#applier.forgetOwnWrites()
    this.state.storeHas(pointer, null)
    if (pointer === null) await this.#applier.serveOwn(this.#input.own)
    else await this.#applier.adopt()
    await this.#upToDate(() => this.#applier.settled())
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const reason = new Error('the gateway is stopping')
    this.#ending.abort(reason)
    this.#known.reject(reason)
    this.#sweep.close()
    this.#watcher[Symbol.dispose]()
    await this.#record.close()
    this.releases[Symbol.dispose]()
    const ended = Promise.all([this.#follower.close(), this.#applier.close()])
    await this.#client[Symbol.asyncDispose]()
    await ended
    await this.copy.close()
  }

  /** Before the next read; rejects when the fleet is closed. */
  async #pause(): Promise<void> {
    const { signal } = this.#ending
    await delay(FIRST_READ_PAUSE, undefined, { ref: false, signal }).catch(() => signal.throwIfAborted())
  }

  /** The instance with the smallest id removes what is no longer needed. */
  async #isFirst(): Promise<boolean> {
    if (!this.isConnected || this.state.divergence !== null) return false
    return (await firstInstance(this.#client, this.releases.keys)) === this.id
  }

  #rivalChanged(address: string | null): void {
    const { logger } = this.#input
    if (address === null) logger.info('no other gateway has the instanceId of this one any more')
    else logger.error({ instanceId: this.id, address }, EVENTS.INSTANCE_ID_SHARED)
    this.state.rivalIs(address)
  }

  #refusalChanged(refusal: EtcdError | null): void {
    const { logger } = this.#input
    this.#recordRefusal = refusal?.kind ?? null
    if (refusal === null) logger.info('the configuration store takes the record of this instance again')
    else logger.error({ reason: refusal.message }, EVENTS.RECORD_REFUSED)
  }

  #storeChanged({ pointer, divergence }: StoreState): void {
    const { logger } = this.#input
    if (divergence !== null && divergence.reason !== this.state.divergence?.reason)
      logger.error({ reason: divergence.reason }, EVENTS.STORE_DIVERGED)
    if (pointer === null && divergence === null && !this.#hasLoggedOwn) {
      this.#hasLoggedOwn = true
      logger.info('the configuration store has no release; the files of this instance are served until the first one')
    }
    this.state.storeHas(pointer, divergence)
    this.#known.resolve()
    if (this.#isStarted) this.#applier.changed()
  }
}
