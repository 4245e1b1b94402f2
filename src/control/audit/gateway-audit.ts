import { join } from 'node:path'
import { AuditTrail, CONFIG_TOPIC, TrailFile, trailCollection } from '#audit'
import type { Collection } from '#crest'
import type { Logger } from '#logging'
import type { MetricsScope } from '#metrics'
import type { Clock } from '#schema'
import { exposeTrailCounts } from '../monitoring/audit-metrics.ts'
import { ConfigAudit } from './config-audit.ts'

/** Audit trails of the gateway itself, below the folder `logs/audit`. */
export class GatewayAudit {
  /** Changes of the configuration. */
  readonly config: ConfigAudit
  /** The collections of topics that can be queried, by topic. */
  readonly topics: ReadonlyMap<string, Collection>
  readonly #trail: AuditTrail

  constructor(logs: string, { logger, clock, metrics }: { logger: Logger; clock: Clock; metrics: MetricsScope }) {
    const file = new TrailFile({ directory: join(logs, 'audit'), topic: 'config', now: () => clock.now() })
    this.#trail = new AuditTrail(file, logger.child({ logger: 'audit' }))
    exposeTrailCounts(metrics, 'config', this.#trail)
    this.config = new ConfigAudit(this.#trail, clock)
    this.topics = new Map([['config', trailCollection(file, CONFIG_TOPIC)]])
  }

  /** Writes what waits. */
  close(): Promise<void> {
    return this.#trail.close()
  }
}
