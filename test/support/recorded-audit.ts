import { type AuditEventHandler, AuditEventHandlerKind } from '#contracts'
import { BatchBuilder, type FormattedRecord, recordsOf } from '#durable-queue'
import type { JsonObject } from '#json'
import { type AuditOutlet, type AuditPlan, defineType } from '#schema'
import { HANDLER_FIELDS, handlerBase } from '../../src/objects/lib/audit/handler-fields.ts'

/** An event handler for tests: JSON text, and a transport that the recording outlet replaces. */
export const RecordingAuditEventHandler = defineType({
  name: 'RecordingAuditEventHandler',
  kind: AuditEventHandlerKind,
  summary: 'Records events for tests.',
  config: HANDLER_FIELDS,
  create: (values): AuditEventHandler => ({
    ...handlerBase(values),
    format: {
      key: 'common',
      forTopic: () => (event) => JSON.stringify(event),
      json: () => ({ idName: '_id', members: {} }),
    },
    transport: { type: 'recording' },
    supportsQueries: false,
  }),
})

/** Replaces the writer on the control thread, and records its events. */
export class RecordedAudit {
  readonly plans: AuditPlan[] = []
  readonly published: FormattedRecord[] = []
  isFull = false

  readonly openAudit = async (plan: AuditPlan): Promise<AuditOutlet> => {
    this.plans.push(plan)
    const recorded = this
    return {
      begin: null,
      publish: (event) => void this.published.push(event),
      get isFull() {
        return recorded.isFull
      },
      waitForRoom: () => Promise.resolve(),
      renew: (plan) => void this.plans.push(plan),
      serveQueries: () => {},
      close: () => {},
    }
  }

  /** The events of a topic as the writer gets them, parsed. */
  events(topic: string): JsonObject[] {
    const batch = new BatchBuilder()
    for (const event of this.published) batch.add(event)
    const records = recordsOf(batch.build(), 1, { format: 0, topics: [topic] })
    return records.map(({ text }) => JSON.parse(text) as JsonObject)
  }
}
