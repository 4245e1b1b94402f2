import { formatCount } from '#audit'
import { AUDIT_MEMORY } from '#contracts'
import { BatchBuilder } from '#durable-queue'
import { type AuditOutlet, type AuditPlan, ConfigError } from '#schema'
import type { AuditWriter } from './audit-writer.ts'

/** Passes the events of an audit service of admin.json to the writer, which runs on the same thread. */
export function openLocalOutlet(writer: AuditWriter, owner: object, plan: AuditPlan): AuditOutlet {
  const opened = writer.open(owner, plan)
  if ('problems' in opened) throw new ConfigError(opened.problems)
  const { id, memory } = opened
  const shared = new Int32Array(memory)
  const batch = new BatchBuilder(formatCount(plan))
  return {
    publish: (event) => {
      batch.add(event)
      writer.take(id, batch.build(), 0)
    },
    begin: null,
    get isFull() {
      return Atomics.load(shared, AUDIT_MEMORY.full) !== 0
    },
    // Management requests never wait: they are needed most during an outage.
    waitForRoom: () => Promise.resolve(),
    renew: (renewed) => writer.renew(id, renewed),
    serveQueries: () => {},
    close: () => writer.close(id),
  }
}
