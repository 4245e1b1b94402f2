import { AUDIT_EVENTS } from '#audit'
import type { AuditEventHandler } from '#contracts'
import type { LogEvent } from '#logging'
import {
  boolean,
  config,
  type DecodedMembers,
  duration,
  integer,
  list,
  object,
  oneOf,
  type Settled,
  string,
} from '#schema'

const MEBIBYTE = 1024 * 1024

/** Log events of every audit event handler. */
export const HANDLER_EVENTS: readonly LogEvent[] = [
  AUDIT_EVENTS.DELIVERY_FAILED,
  AUDIT_EVENTS.QUEUE_FULL,
  AUDIT_EVENTS.EVENT_REFUSED,
  AUDIT_EVENTS.EVENT_TOO_LARGE,
  AUDIT_EVENTS.EVENTS_LOST,
  AUDIT_EVENTS.EVENTS_NOT_STORED,
  AUDIT_EVENTS.CLOSE_FAILED,
  AUDIT_EVENTS.JOURNAL_UNREADABLE,
  AUDIT_EVENTS.SPOOL_FULL,
  AUDIT_EVENTS.SPOOL_LOCKED,
  AUDIT_EVENTS.SPOOL_FAILED,
  AUDIT_EVENTS.SPOOL_READ_FAILED,
  AUDIT_EVENTS.SPOOL_UNREADABLE,
]

/** Names of the metrics of every audit event handler. */
export const HANDLER_METRICS: readonly string[] = [
  'gw_audit_events_total',
  'gw_audit_failures_total',
  'gw_audit_lost_total',
  'gw_audit_queued',
  'gw_audit_spooled_bytes',
  'gw_audit_oldest_seconds',
  'gw_audit_delivery_delay_seconds',
]

/** Fields of every audit event handler. */
export const HANDLER_FIELDS = {
  name: config(string({ nonEmpty: true })).meta({
    description: 'Name of the event handler, for queries, metrics and health; unique in its service.',
  }),
  topics: list(config(string({ nonEmpty: true })), { nonEmpty: true }).meta({
    description:
      'Topics of the events that it receives: `access`, `config`, `notifications`, or topics with a schema in `topicSchemasDirectory`.',
  }),
  enabled: config(boolean()).default(true).meta({ description: 'Whether the handler receives events.' }),
  queue: object({
    maxEvents: config(integer({ min: 1, max: 10_000_000 }))
      .default(100_000)
      .meta({
        description:
          'Maximum of pending events in memory. A larger burst goes to the spool, where there is one, within `maxBytes`.',
      }),
    maxBytes: config(integer({ min: MEBIBYTE, max: 4096 * MEBIBYTE }))
      .default(32 * MEBIBYTE)
      .meta({ description: 'Maximum bytes of pending events in memory.' }),
  })
    .default({})
    .meta({ description: 'Limits of the queue in memory.' }),
  spool: object({
    enabled: config(boolean()).optional().meta({
      description:
        'Whether events that are not accepted at once are stored on disk, where they survive an outage and a restart. False by default, true with `deliveryMode: PERSISTENT`.',
    }),
    maxBytes: config(integer({ min: MEBIBYTE }))
      .default(256 * MEBIBYTE)
      .meta({ description: 'Maximum bytes of segment files. The journals of units have up to 64 MiB beside them.' }),
  })
    .default({})
    .meta({ description: 'Segment files on disk, below `spool/audit` of the instance.' }),
  onFull: config(oneOf(['drop', 'block']))
    .default('drop')
    .meta({
      description:
        'When queue and spool are full: `drop` discards new events and counts them; `block` delays new requests until there is space, up to `maxBlockTime`, and then discards new events.',
    }),
  maxBlockTime: config(duration({ unlimited: false }))
    .default('5 seconds')
    .meta({ description: 'Maximum time for which `onFull: block` delays a request.' }),
}

type HandlerValues = Settled<DecodedMembers<typeof HANDLER_FIELDS>>

/** The parts of an event handler that its common fields set. `isDurable` is the default of `spool.enabled`. */
export function handlerBase(
  { name, topics, enabled, queue, spool, onFull, maxBlockTime }: HandlerValues,
  isDurable = false,
): Pick<AuditEventHandler, 'name' | 'topics' | 'enabled' | 'queue'> {
  return {
    name,
    topics,
    enabled,
    queue: {
      ...queue,
      onFull,
      maxBlockTime,
      spool: (spool.enabled ?? isDurable) ? { maxBytes: spool.maxBytes } : null,
    },
  }
}
