import { Worker } from 'node:worker_threads'
import {
  type ChangeProblems,
  type CONTROL_CALLS,
  type ListeningSocket,
  ROUTE_BUILD_LIMIT,
  type RouteChange,
  UNIT_CALLS,
  type UnitSettings,
  type UnitStart,
} from '#contracts'
import { type Logger, outputThreadEnded } from '#logging'
import {
  CallTimeoutError,
  Channel,
  type Handlers,
  Heartbeat,
  type HeartbeatLimits,
  PeerEndedError,
  type Remote,
} from '#rpc'
import type { Problem } from '#schema'
import { EVENTS } from '../log-events.ts'
import { shutDown } from './socket-shutdown.ts'
import { endWithProcess } from './stuck-threads.ts'

/** Start parameters of a unit's thread, and the handlers of its calls. */
export interface UnitThread {
  /** The module of the thread. */
  readonly entry: URL
  /** Environment variables of units. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly heartbeat: HeartbeatLimits
  readonly logger: Logger
  handlers(unit: UnitLink): Handlers<typeof CONTROL_CALLS>
  /** The unit has no requests any more, and ends after this; it does not reject. */
  drained(unit: UnitLink): Promise<void>
  /** The unit has ended; `error` is the uncaught error that ended it, if any. */
  ended(unit: UnitLink, error: Error | null): void
}

/** Why a unit could not start. */
export class UnitStartError extends Error {
  readonly problems: readonly Problem[]

  constructor(message: string, problems: readonly Problem[]) {
    super(message)
    this.name = 'UnitStartError'
    this.problems = problems
  }
}

/** A unit that serves. */
type StartedUnit = Extract<UnitStart, { readonly ports: readonly number[] }>

/** `unresponsive`: its event loop is blocked; it may recover. */
type UnitState = 'starting' | 'ready' | 'unresponsive' | 'ended'

/** The control plane's end of one unit thread. */
export class UnitLink {
  readonly number: number
  /** Whether it is the first of the units that started together, which logs what is the same in all. */
  readonly isFirst: boolean
  /** Calls of the unit. */
  readonly remote: Remote<typeof UNIT_CALLS>
  /** Resolves when the unit serves; rejects when it can not. */
  readonly started: Promise<void>
  state: UnitState = 'starting'
  ports: readonly number[] = []
  /** Its listening sockets, until they were shut down from outside. */
  #sockets: readonly ListeningSocket[] = []
  /** Whether other units have its ports, so that it is to accept nothing more. */
  #isReplaced = false
  /** Whether its sockets could not be shut down when it was found stuck: connections that they get hang. */
  #stillAccepts = false
  readonly #worker: Worker
  readonly #channel: Channel<typeof UNIT_CALLS, typeof CONTROL_CALLS>
  readonly #heartbeat: Heartbeat
  readonly #logger: Logger
  readonly #onDrained: UnitThread['drained']
  readonly #onEnded: UnitThread['ended']
  readonly #gracePeriod: number
  /** Longest time for the thread to terminate, in milliseconds. */
  readonly #endLimit: number
  /** Number of open routers of this unit by folder: old and new routes overlap for a while. */
  readonly #routers = new Map<string, number>()
  readonly #ended = Promise.withResolvers<void>()
  #hasExited = false
  #error: Error | null = null
  #readyAt = 0
  /** Deploys that wait for this unit. */
  #deploys = 0
  #draining: Promise<number> | null = null

  /** `standby`: it is started when it is built, and serves when `listen` is called. */
  constructor(thread: UnitThread, settings: UnitSettings, standby = false) {
    this.number = settings.unit
    this.isFirst = settings.unit % settings.units === 0
    this.#gracePeriod = Math.max(0, ...settings.connectors.map(({ gracePeriod }) => gracePeriod))
    this.#endLimit = thread.heartbeat.ending * thread.heartbeat.interval
    this.#logger = thread.logger.child({ unit: settings.unit })
    this.#onDrained = thread.drained
    this.#onEnded = thread.ended
    this.#worker = new Worker(thread.entry, { workerData: settings, env: { ...thread.env }, name: this.name })
    this.#worker.on('error', (error) => {
      this.#error = error as Error
    })
    const { threadId } = this.#worker
    this.#worker.on('exit', () => {
      outputThreadEnded(threadId)
      this.#exit()
    })
    this.#channel = new Channel(this.#worker, {
      peer: this.name,
      remote: UNIT_CALLS,
      handlers: thread.handlers(this),
      onFault: (error) => this.#logger.error({ error }, EVENTS.UNIT_MESSAGE_FAILED),
    })
    this.remote = this.#channel.remote
    this.#heartbeat = this.#watch(thread.heartbeat)
    this.started = this.#start(standby)
    this.started.catch(() => {})
  }

  get name(): string {
    return `unit-${this.number}`
  }

  /** Milliseconds since the unit was ready; 0 for one that never was. */
  get servedFor(): number {
    return this.ports.length === 0 ? 0 : performance.now() - this.#readyAt
  }

  /** State of the unit, for operators. */
  get detail(): string {
    return this.state === 'unresponsive' ? `unresponsive for ${this.#heartbeat.unansweredFor / 1_000} s` : this.state
  }

  /** Resolves when the unit has ended, or is stuck. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Whether the unit has ended but its thread still exists, since it can not be terminated. */
  get isStuck(): boolean {
    return this.state === 'ended' && !this.#hasExited
  }

  /** Whether a stuck unit still gets connections, which it does not serve. */
  get stillAccepts(): boolean {
    return this.isStuck && this.#stillAccepts
  }

  /** Whether a router of this unit is open on a folder. */
  hasOpen(directory: string): boolean {
    return this.state !== 'ended' && this.#routers.has(directory)
  }

  /** Whether a router of this unit is or was open on a folder: a unit that has ended is started again with the same routers. */
  uses(directory: string): boolean {
    return this.#routers.has(directory)
  }

  opens(directory: string): void {
    this.#routers.set(directory, (this.#routers.get(directory) ?? 0) + 1)
  }

  closes(directory: string): void {
    const open = this.#routers.get(directory) ?? 0
    if (open > 1) this.#routers.set(directory, open - 1)
    else this.#routers.delete(directory)
  }

  /** Null when the unit ended before it answered: its replacement starts from the deployed routes. */
  async prepare(
    deploy: number,
    directory: string,
    changes: readonly RouteChange[],
  ): Promise<readonly ChangeProblems[] | null> {
    const builds = Math.max(1, changes.length) * Math.max(1, this.#routers.get(directory) ?? 1)
    const timeout = builds * ROUTE_BUILD_LIMIT + 10_000
    try {
      return await this.#deploying(() => this.remote.prepare({ deploy, directory, changes }, { timeout }))
    } catch (error) {
      if (error instanceof PeerEndedError) return null
      const message = (error as Error).message
      return changes.map((_, change) => ({ change, problems: [{ pointer: '', message }] }))
    }
  }

  /** A unit that does not commit a deploy is terminated: it would serve outdated routes. */
  async commit(deploy: number, changes: readonly number[]): Promise<void> {
    try {
      await this.#deploying(() => this.remote.commit({ deploy, changes }))
    } catch (error) {
      if (!(error instanceof PeerEndedError)) await this.end(`it did not take a deploy: ${(error as Error).message}`)
    }
  }

  /** Opens the ports of a standby unit. */
  async listen(): Promise<void> {
    const start = await this.remote.listen()
    if (!('ports' in start)) throw new UnitStartError(start.message, start.problems)
    if (this.state === 'ended') throw this.#error ?? new Error(`${this.name} ended while it opened its ports`)
    this.#serves(start)
  }

  /** Closes the listening sockets, when what they have queued is accepted. */
  async stopAccepting(): Promise<void> {
    if (this.state === 'starting' || this.state === 'ended') return
    this.#isReplaced = true
    if (this.state === 'unresponsive') this.#shutDownSockets()
    // The drain that follows reports what is wrong with the unit.
    await this.remote.stopAccepting().catch(() => {})
  }

  /** Resolves when the unit has drained, with the number of aborted requests. */
  drain(isHandover = false): Promise<number> {
    this.#draining ??= this.#drain(isHandover)
    return this.#draining
  }

  /** Terminates the thread. Resolves when it has ended, or is stuck. */
  async end(reason: string | null = null): Promise<void> {
    if (this.state === 'ended') return
    if (reason !== null) this.#error ??= new Error(`${this.name} was ended: ${reason}`)
    void this.#worker.terminate()
    const timer = setTimeout(() => this.#giveUp(), this.#endLimit)
    await this.ended
    clearTimeout(timer)
  }

  async #start(standby: boolean): Promise<void> {
    const start = await this.remote.start({ standby }).catch(async (error: unknown) => {
      if (error instanceof CallTimeoutError) await this.end(error.message)
      throw this.#error ?? error
    })
    if (!('ports' in start)) throw new UnitStartError(start.message, start.problems)
    if (this.state === 'ended') throw this.#error ?? new Error(`${this.name} ended while it was starting`)
    if (!standby) this.#serves(start)
  }

  #serves({ ports, sockets }: StartedUnit): void {
    this.state = 'ready'
    this.ports = ports
    this.#sockets = sockets
    this.#readyAt = performance.now()
  }

  async #drain(isHandover: boolean): Promise<number> {
    // A unit that is still starting has no requests, and would open its ports after the drain.
    if (this.state === 'starting') await this.end()
    if (this.state === 'ended') return 0
    let aborted = 0
    try {
      const timeout = this.#gracePeriod + this.#endLimit
      aborted = (await this.remote.drain({ isHandover }, { timeout })).aborted
      await this.#onDrained(this)
      await this.remote.close(undefined, { timeout: this.#endLimit })
      const timer = setTimeout(() => void this.end(), this.#endLimit)
      await this.ended
      clearTimeout(timer)
    } catch (error) {
      if (!(error instanceof PeerEndedError)) {
        this.#logger.error({ error }, EVENTS.UNIT_DRAIN_FAILED)
      }
      await this.end()
    }
    return aborted
  }

  async #deploying<T>(step: () => Promise<T>): Promise<T> {
    if (this.state === 'unresponsive') void this.end(MISSED_DEPLOY)
    this.#deploys++
    try {
      return await step()
    } finally {
      this.#deploys--
    }
  }

  #watch(limits: HeartbeatLimits): Heartbeat {
    const heartbeat = new Heartbeat(limits, {
      ping: () => this.#channel.ping(),
      isStarting: () => this.state === 'starting',
      unresponsive: () => {
        if (this.state !== 'ready') return
        this.state = 'unresponsive'
        this.#logger.warn({ unansweredFor: heartbeat.unansweredFor }, EVENTS.UNIT_UNRESPONSIVE)
        if (this.#deploys > 0) void this.end(MISSED_DEPLOY)
        if (this.#isReplaced) this.#shutDownSockets()
      },
      recovered: () => {
        if (this.state !== 'unresponsive') return
        this.state = 'ready'
        this.#logger.info('a unit answers again')
      },
      lost: () => void this.end(`it did not answer for ${heartbeat.unansweredFor / 1_000} s`),
    })
    this.#channel.onPong = () => heartbeat.answered()
    return heartbeat
  }

  #exit(): void {
    this.#hasExited = true
    this.#finish()
  }

  #giveUp(): void {
    if (this.state === 'ended') return
    this.#logger.error(EVENTS.UNIT_STUCK)
    endWithProcess(this.#worker)
    const reason = this.#shutDownSockets()
    this.#stillAccepts = reason !== null
    if (this.#stillAccepts) this.#logger.error({ reason }, EVENTS.UNIT_STILL_ACCEPTS)
    this.#finish()
  }

  /** Connections that its sockets get hang with it. Returns why they still may get some; null where they do not. */
  #shutDownSockets(): string | null {
    const reason = shutDown(this.#sockets)
    if (reason === null) this.#sockets = []
    return reason
  }

  #finish(): void {
    if (this.state === 'ended') return
    this.state = 'ended'
    this.#heartbeat[Symbol.dispose]()
    this.#channel.close()
    this.#ended.resolve()
    this.#onEnded(this, this.#error)
  }
}

const MISSED_DEPLOY = 'it does not answer while a deploy waits for it'
