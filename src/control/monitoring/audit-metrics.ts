import type { TrailCounts } from '#audit'
import type { MetricsScope } from '#metrics'

/** Exposes the counts of the events of a topic. */
export function exposeTrailCounts(metrics: MetricsScope, topic: string, trail: { readonly counts: TrailCounts }): void {
  const labels = { topic }
  metrics.countReading('gw_audit_events_total', 'Audit events that were written.', {
    labels,
    read: () => trail.counts.written,
  })
  metrics.countReading('gw_audit_failures_total', 'Writes of audit events that failed; the events are tried again.', {
    labels,
    read: () => trail.counts.failures,
  })
  metrics.countReading('gw_audit_lost_total', 'Audit events that were not written, and will not be.', {
    labels,
    read: () => trail.counts.lost,
  })
  metrics.reading('gw_audit_waiting', 'Audit events that wait to be written.', {
    labels,
    read: () => trail.counts.waiting,
  })
}
