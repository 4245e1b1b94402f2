import { AuditEventHandlerKind } from '#contracts'
import { boolean, config, defineType } from '#schema'
import { HANDLER_EVENTS, HANDLER_FIELDS, HANDLER_METRICS, handlerBase } from '../../lib/audit/handler-fields.ts'
import { jsonFormat } from '../../lib/audit/json-format.ts'
import { formatField } from '../../lib/audit/remote-fields.ts'

/** Writes events as JSON lines to standard output. */
export const JsonStdoutAuditEventHandler = defineType({
  name: 'JsonStdoutAuditEventHandler',
  kind: AuditEventHandlerKind,
  summary: 'Writes audit events as JSON lines to standard output, beside the log.',
  metrics: HANDLER_METRICS,
  events: HANDLER_EVENTS,
  config: {
    ...HANDLER_FIELDS,
    elasticsearchCompatible: config(boolean()).default(false).meta({
      description: 'Whether `_id` is written as `_eventId`: Elasticsearch reserves the former. For `format: common`.',
    }),
    format: formatField,
  },
  create: (values) => {
    const members = (topic: string) => ({ source: 'audit', topic, level: 'INFO' })
    return {
      ...handlerBase(values),
      format: jsonFormat('stdout', { ...values, members }),
      transport: { type: 'stdout' },
      supportsQueries: false,
    }
  },
})
