import { Worker } from 'node:worker_threads'
import type {
  ChangeProblems,
  FromUnit,
  ImaginedMessage,
  MetricReport,
  RouteChange,
  ToUnit,
  UnitSettings,
} from '#contracts'
import type { Problem } from '#schema'

/** What the control plane does with what a unit says or suffers. */
export interface UnitEvents {
  message(unit: UnitLink, message: FromUnit): void
  /** The thread has ended; `error` is what ended it, if anything was thrown. */
  ended(unit: UnitLink, error: Error | null): void
}

/** The module that a unit's thread runs, and the environment variables it sees. */
export interface UnitThread {
  readonly entry: URL
  readonly env: Readonly<Record<string, string | undefined>>
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

/** The answer of a unit's routes to a request. */
export type TriedRoutes = Extract<FromUnit, { type: 'routes-tried' }>['answer']

/** The control plane's end of one unit thread. */
export class UnitLink {
  readonly number: number
  state: 'starting' | 'ready' | 'ended' = 'starting'
  ports: readonly number[] = []
  readonly #worker: Worker
  /** Folders of the routers this unit has open, and how many of them: old and new routes overlap for a while. */
  readonly #routers = new Map<string, number>()
  readonly #waiting = new Map<string, (message: FromUnit | null) => void>()
  readonly #started = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<void>()
  #error: Error | null = null
  #readyAt = 0

  constructor({ entry, env }: UnitThread, settings: UnitSettings, events: UnitEvents) {
    this.number = settings.unit
    this.#worker = new Worker(entry, { workerData: settings, env: { ...env }, name: `unit-${settings.unit}` })
    this.#started.promise.catch(() => {})
    this.#worker.on('message', (message: FromUnit) => this.#take(message, events))
    this.#worker.on('error', (error) => {
      this.#error = error as Error
    })
    this.#worker.on('exit', () => {
      this.state = 'ended'
      this.#started.reject(this.#error ?? new Error('the unit ended while it was starting'))
      for (const answer of this.#waiting.values()) answer(null)
      this.#waiting.clear()
      this.#ended.resolve()
      events.ended(this, this.#error)
    })
  }

  /** Resolves when the unit serves; rejects when it can not. */
  get started(): Promise<void> {
    return this.#started.promise
  }

  /** Milliseconds since the unit was ready; 0 for one that never was. */
  get servedFor(): number {
    return this.ports.length === 0 ? 0 : performance.now() - this.#readyAt
  }

  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Whether a router of this unit is open on a folder. */
  hasOpen(directory: string): boolean {
    return this.state !== 'ended' && this.#routers.has(directory)
  }

  opens(directory: string): void {
    this.#routers.set(directory, (this.#routers.get(directory) ?? 0) + 1)
  }

  closes(directory: string): void {
    const open = this.#routers.get(directory) ?? 0
    if (open > 1) this.#routers.set(directory, open - 1)
    else this.#routers.delete(directory)
  }

  send(message: ToUnit): void {
    this.#worker.postMessage(message)
  }

  /** Null when the unit ended before it answered: its successor will start from what is deployed then. */
  async prepare(
    deploy: number,
    directory: string,
    changes: readonly RouteChange[],
  ): Promise<readonly ChangeProblems[] | null> {
    this.send({ type: 'prepare', deploy, directory, changes })
    const answer = await this.#answer(`prepared ${deploy}`)
    return answer?.type === 'prepared' ? answer.problems : null
  }

  async commit(deploy: number, changes: readonly number[]): Promise<void> {
    this.send({ type: 'commit', deploy, changes })
    await this.#answer(`committed ${deploy}`)
  }

  /** What the unit has measured; null when it ended before it answered. */
  async collect(ask: number): Promise<MetricReport | null> {
    this.send({ type: 'collect', ask })
    const answer = await this.#answer(`collected ${ask}`)
    return answer?.type === 'collected' ? answer.report : null
  }

  /** What the routes of a router say to a request that nobody has sent; null when the unit ended before it answered. */
  async tryRoutes(ask: number, router: string, request: ImaginedMessage): Promise<TriedRoutes | null> {
    this.send({ type: 'try-routes', ask, router, request })
    const answer = await this.#answer(`routes-tried ${ask}`)
    return answer?.type === 'routes-tried' ? answer.answer : null
  }

  /** Resolves when the unit has let its requests end; gives how many it had to cut off. */
  async drain(): Promise<number> {
    if (this.state === 'ended') return 0
    // One that is still starting has no requests, and would open its ports only after it was told to close them.
    if (this.state === 'starting') await this.terminate()
    if (this.state !== 'ready') return 0
    this.send({ type: 'drain' })
    const answer = await this.#answer('drained')
    await this.ended
    return answer?.type === 'drained' ? answer.aborted : 0
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  #take(message: FromUnit, events: UnitEvents): void {
    const waiting = this.#waiting.get(answerKey(message))
    if (waiting !== undefined) {
      this.#waiting.delete(answerKey(message))
      waiting(message)
      return
    }
    if (message.type === 'ready') {
      this.state = 'ready'
      this.ports = message.ports
      this.#readyAt = performance.now()
      this.#started.resolve()
    }
    if (message.type === 'failed') this.#started.reject(new UnitStartError(message.message, message.problems))
    events.message(this, message)
  }

  #answer(key: string): Promise<FromUnit | null> {
    if (this.state === 'ended') return Promise.resolve(null)
    const { promise, resolve } = Promise.withResolvers<FromUnit | null>()
    this.#waiting.set(key, resolve)
    return promise
  }
}

function answerKey(message: FromUnit): string {
  if (message.type === 'prepared' || message.type === 'committed') return `${message.type} ${message.deploy}`
  if (message.type === 'collected' || message.type === 'routes-tried') return `${message.type} ${message.ask}`
  return message.type
}
