import { join } from 'node:path'
import { CONFIG_TOPIC, configTrailPlan, Delivery, openFiles, TopicFiles, trailCollection } from '#audit'
import type { Collection } from '#crest'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import type { MetricsScope } from '#metrics'
import type { Clock, QueuePlan } from '#schema'
import { delayObserver, exposeDeliveryCounts } from '../monitoring/audit-metrics.ts'
import { ConfigAudit } from './config-audit.ts'

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
  /** Passes events of the topic `config` to the audit services that handle it. */
  publish(event: JsonObject): void
}

/** Audit trails of the gateway itself, below the folder `logs/audit`. */
export class GatewayAudit {
  /** Changes of the configuration. */
  readonly config: ConfigAudit
  /** The collections of topics that can be queried, by topic. */
  readonly topics: ReadonlyMap<string, Collection>
  readonly #trail: Delivery

  constructor(logs: string, { logger, clock, metrics, publish }: GatewayAuditServices) {
    const plan = configTrailPlan(join(logs, 'audit'))
    const env = { logger: logger.child({ logger: 'audit' }), clock }
    this.#trail = new Delivery(openFiles(plan, env), CONFIG_QUEUE, {
      ...env,
      name: CONFIG_HANDLER,
      onDelay: delayObserver(metrics, CONFIG_HANDLER),
      timing: { longestRetry: LONGEST_RETRY },
    })
    exposeDeliveryCounts(metrics, { handler: CONFIG_HANDLER, topics: ['config'] }, this.#trail)
    this.config = new ConfigAudit(this.#trail, clock, publish)
    this.topics = new Map([['config', trailCollection(new TopicFiles(plan, 'config'), CONFIG_TOPIC)]])
  }

  /** Writes queued events. */
  close(): Promise<void> {
    return this.#trail.close(CLOSE_LIMIT)
  }
}
