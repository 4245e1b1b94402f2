import { AUDIT_WORDING } from '#audit'
import type { HealthCheck } from '#contracts'
import { Delivery, type QueuedRecord } from '#durable-queue'
import { type Logger, ReplaceableLogger } from '#logging'
import type { MetricsScope } from '#metrics'
import type { Clock, HandlerPlan } from '#schema'
import { delayObserver, exposeDeliveryCounts, keepDeliveryCounts } from './audit-metrics.ts'
import { CurrentTransport, type OtherProcess, type RecordsPassed } from './current-transport.ts'

/** Milliseconds in which queued events are written before a file is handed over. */
const HANDOVER_LIMIT = 2_000

/** Services of handlers. */
export interface HandlerServices extends OtherProcess {
  readonly logger: Logger
  readonly clock: Clock
  openMetrics(): MetricsScope
  /** For counts of handlers that have ended. */
  readonly keptMetrics: MetricsScope
}

/** One event handler of one audit service: its queue and its destination, for all units and versions of a route. */
export class HandlerDelivery {
  readonly #delivery: Delivery
  readonly #transport: CurrentTransport
  readonly #metrics: MetricsScope
  readonly #keptMetrics: MetricsScope
  readonly #name: string
  /** Of the writer, and as this handler of its service. */
  readonly #writerLogger: Logger
  readonly #logger: ReplaceableLogger
  /** Services, in units, that may send to it. */
  users = 0
  #isClosed = false
  /** Number of the service whose settings apply. */
  #openedAs = 0

  constructor(
    service: string,
    { name, topics, transport, queue }: HandlerPlan,
    { logger, clock, openMetrics, keptMetrics, ...other }: HandlerServices,
    onFullChange: (isFull: boolean) => void,
  ) {
    this.#name = name
    this.#metrics = openMetrics()
    this.#keptMetrics = keptMetrics
    this.#writerLogger = logger
    this.#logger = new ReplaceableLogger(this.#loggerOf(service))
    this.#transport = new CurrentTransport(transport, { logger: this.#logger, clock }, other)
    this.#delivery = new Delivery(this.#transport, queue, {
      logger: this.#logger,
      clock,
      name,
      wording: AUDIT_WORDING,
      ...(queue.onFull === 'block' && { onFullChange }),
      onDelay: delayObserver(this.#metrics, name),
    })
    this.exposeCounts(topics)
  }

  /** Exposes its counts by topic; those that are exposed already stay as they are. */
  exposeCounts(topics: readonly string[]): void {
    exposeDeliveryCounts(this.#metrics, { handler: this.#name, topics }, this.#delivery)
  }

  get isFull(): boolean {
    return this.#delivery.isFull
  }

  /** An outage of audit never makes the gateway unready (decisions 6). */
  get check(): HealthCheck {
    const { isUp, reason } = this.#delivery.state
    const detail = reason ?? 'events are delivered'
    return { name: `audit.${this.#name}`, ok: true, state: isUp ? 'up' : 'degraded', detail }
  }

  /** Applies the settings of a service, unless a service that was opened later has applied its own. */
  use(service: string, { transport }: HandlerPlan, openedAs: number): void {
    if (openedAs < this.#openedAs) return
    this.#openedAs = openedAs
    if (service !== this.#logger.name) this.#logger.replace(this.#loggerOf(service))
    this.#transport.use(transport)
  }

  #loggerOf(service: string): Logger {
    return this.#writerLogger.child({ logger: service, handler: this.#name })
  }

  /** Whether some of them were added. */
  add(records: readonly QueuedRecord[]): boolean {
    const { added } = this.#delivery
    this.#delivery.add(records)
    return this.#delivery.added > added
  }

  /** Tells whether the records that were added until now are delivered or stored; `lost` when they never will be. */
  safety(): () => 'waiting' | 'safe' | 'lost' {
    const { added } = this.#delivery
    return () => (this.#delivery.safe >= added ? 'safe' : this.#isClosed ? 'lost' : 'waiting')
  }

  /** Closes a file that only one process may write; its events are passed on. */
  async handOver(pass: RecordsPassed): Promise<void> {
    if (!this.#transport.isExclusive) return
    await this.#delivery.flush(HANDOVER_LIMIT)
    await this.#transport.handOver(pass)
  }

  reopen(): Promise<void> {
    return this.#delivery.reopen()
  }

  /** Delivers or spools within the limit, which a later call shortens. */
  async close(limit: number): Promise<void> {
    await this.#delivery.close(limit)
    if (this.#isClosed) return
    this.#isClosed = true
    keepDeliveryCounts(this.#keptMetrics, this.#name, this.#delivery.counts)
    this.#metrics.release()
  }
}
