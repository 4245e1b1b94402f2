import type { Delivery, DeliveryCounts } from '#durable-queue'
import type { MetricsScope } from '#metrics'

const ACCEPTED = ['gw_audit_events_total', 'Audit events that the destination accepted.'] as const
const LOST = ['gw_audit_lost_total', 'Audit events that were not delivered, and will not be.'] as const
const FAILED = ['gw_audit_failures_total', 'Failed deliveries of audit events; the events are sent again.'] as const

/** Exposes the counts of a handler. */
export function exposeDeliveryCounts(
  metrics: MetricsScope,
  { handler, topics }: { readonly handler: string; readonly topics: readonly string[] },
  delivery: Pick<Delivery, 'counts'>,
): void {
  const labels = { handler }
  for (const topic of topics) {
    metrics.countReading(...ACCEPTED, {
      labels: { topic, handler },
      read: () => delivery.counts.delivered.get(topic) ?? 0,
    })
  }
  for (const reason of Object.keys(delivery.counts.lost) as (keyof DeliveryCounts['lost'])[]) {
    metrics.countReading(...LOST, {
      labels: { handler, reason },
      read: () => delivery.counts.lost[reason],
    })
  }
  metrics.countReading(...FAILED, { labels, read: () => delivery.counts.failures })
  metrics.reading('gw_audit_queued', 'Audit events that wait for delivery.', {
    labels,
    read: () => delivery.counts.queued,
  })
  metrics.reading('gw_audit_spooled_bytes', 'Size of the segment files with undelivered audit events.', {
    labels,
    read: () => delivery.counts.spooledBytes,
  })
  metrics.reading('gw_audit_oldest_seconds', 'Age of the oldest undelivered audit event in memory.', {
    labels,
    read: () => delivery.counts.oldestAge / 1000,
    merge: 'max',
  })
}

/** Keeps the counts of a handler that has ended: losses at its end are seen, and the counters of its successor do not go down. */
export function keepDeliveryCounts(metrics: MetricsScope, handler: string, counts: DeliveryCounts): void {
  const { delivered, lost, failures } = counts
  for (const [topic, count] of delivered) metrics.counter(...ACCEPTED, { topic, handler }).add(count)
  for (const [reason, count] of Object.entries(lost)) {
    if (count > 0) metrics.counter(...LOST, { handler, reason }).add(count)
  }
  if (failures > 0) metrics.counter(...FAILED, { handler }).add(failures)
}

/** Observes the time from the making of an event to its acceptance, in milliseconds: of the oldest of each batch. */
export function delayObserver(metrics: MetricsScope, handler: string): (delay: number) => void {
  const help = 'Time from an audit event to its acceptance by the destination, of the oldest event of each batch.'
  const summary = metrics.summary('gw_audit_delivery_delay_seconds', help, { handler })
  return (delay) => summary.observe(delay / 1000)
}
