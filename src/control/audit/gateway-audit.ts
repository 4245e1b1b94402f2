import {
  AUDIT_WORDING,
  CONFIG_TOPIC,
  configTrailFolder,
  configTrailPlan,
  openFiles,
  spoolsFolder,
  trailCollection,
} from '#audit'
import type { AuditService } from '#contracts'
import type { Collection, Refusal } from '#crest'
import { Delivery } from '#durable-queue'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import type { MetricsScope } from '#metrics'
import type { Clock, Directories, QueuePlan } from '#schema'
import { TopicFiles } from '#trail'
import { delayObserver, exposeDeliveryCounts } from './audit-metrics.ts'
import { AuditQueries } from './audit-queries.ts'
import type { AuditWriter } from './audit-writer.ts'
import { ConfigAudit } from './config-audit.ts'
import { WaitingEvents } from './waiting-events.ts'

/** The name of the built-in handler in logs and metrics. */
const CONFIG_HANDLER = 'config-trail'
const CONFIG_QUEUE: QueuePlan = {
  maxEvents: 100_000,
  maxBytes: 8 * 1024 * 1024,
  onFull: 'drop',
  maxBlockTime: 0,
  spool: null,
}
/** A disk that recovers gets the events soon, also without a further change. */
const LONGEST_RETRY = 5_000
const CLOSE_LIMIT = 2_000

interface GatewayAuditServices {
  readonly logger: Logger
  readonly clock: Clock
  readonly metrics: MetricsScope
  readonly writer: AuditWriter
  /** Of admin.json. */
  readonly auditService: Pick<AuditService, 'publish'>
  /** Passes an event of the topic `config` to the audit service of config.json; false where no unit serves yet. */
  publishInUnit(event: JsonObject): boolean
}

/** Audit trails of the gateway itself, below the folder `logs/audit`. */
export class GatewayAudit {
  /** Changes of the configuration. */
  readonly config: ConfigAudit
  readonly #queries: AuditQueries
  readonly #trail: Delivery
  readonly #waiting: WaitingEvents
  readonly #writer: AuditWriter
  readonly #spools: string

  constructor(
    directories: Pick<Directories, 'logs' | 'writable'>,
    { logger, clock, metrics, writer, auditService, publishInUnit }: GatewayAuditServices,
  ) {
    const plan = configTrailPlan(configTrailFolder(directories))
    const env = { logger: logger.child({ logger: 'audit' }), clock }
    this.#trail = new Delivery(openFiles(plan, env), CONFIG_QUEUE, {
      ...env,
      name: CONFIG_HANDLER,
      wording: AUDIT_WORDING,
      onDelay: delayObserver(metrics, CONFIG_HANDLER),
      timing: { longestRetry: LONGEST_RETRY },
    })
    exposeDeliveryCounts(metrics, { handler: CONFIG_HANDLER, topics: ['config'] }, this.#trail)
    this.#waiting = new WaitingEvents(publishInUnit)
    this.config = new ConfigAudit(this.#trail, clock, (event) => {
      auditService.publish('config', event)
      this.#waiting.add(event)
    })
    const own = new Map([['config', trailCollection(new TopicFiles(plan, 'config'), CONFIG_TOPIC)]])
    this.#queries = new AuditQueries(own, writer)
    this.#writer = writer
    this.#spools = spoolsFolder(directories)
  }

  /** The collections of topics that can be queried, by topic. */
  get topics(): ReadonlyMap<string, Collection> {
    return this.#queries.topics
  }

  /** The collection of a topic; a refusal where its events can not be queried, null for an unknown topic. */
  find(topic: string): Collection | Refusal | null {
    return this.#queries.find(topic)
  }

  /** Logs spools that no handler uses. While a unit starts, the audit services of its routes may not be open yet. */
  async logOrphanedSpools(units: readonly { readonly state: string }[]): Promise<void> {
    if (units.every(({ state }) => state === 'ready')) await this.#writer.logOrphanedSpools(this.#spools)
  }

  /** Writes queued events. */
  close(): Promise<void> {
    this.#waiting[Symbol.dispose]()
    return this.#trail.close(CLOSE_LIMIT)
  }
}
