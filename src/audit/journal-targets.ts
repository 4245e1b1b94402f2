import type { JournalTarget } from '#durable-queue'
import type { AuditPlan } from '#schema'

/** Number of formats of an audit service: texts of each event. */
export function formatCount({ handlers }: AuditPlan): number {
  return 1 + Math.max(-1, ...handlers.map(({ format }) => format))
}

/** The journals of an audit service. */
export function journalTargets(plan: AuditPlan): JournalTarget[] {
  const { handlers } = plan
  const formats = formatCount(plan)
  return handlers.flatMap(({ queue: { spool }, format, topics }) =>
    spool === null ? [] : [{ directory: spool.directory, formats, format, topics }],
  )
}
