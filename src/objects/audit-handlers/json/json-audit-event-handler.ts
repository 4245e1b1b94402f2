import { AUDIT_FILE_EVENTS } from '#audit'
import { AuditEventHandlerKind } from '#contracts'
import { boolean, config, defineType, duration, integer, object } from '#schema'
import { checkFileFields, FILE_FIELDS, filePlanOf, OLDER_FILE_FIELDS } from '../../lib/audit/file-fields.ts'
import { HANDLER_EVENTS, HANDLER_FIELDS, HANDLER_METRICS, handlerBase } from '../../lib/audit/handler-fields.ts'
import { jsonFormat } from '../../lib/audit/json-format.ts'
import { formatField } from '../../lib/audit/remote-fields.ts'

/** Writes events as JSON lines to a file for each topic. */
export const JsonAuditEventHandler = defineType({
  name: 'JsonAuditEventHandler',
  kind: AuditEventHandlerKind,
  summary: 'Writes audit events as JSON lines to `<topic>.audit.json`; its events can be queried.',
  metrics: HANDLER_METRICS,
  events: [...HANDLER_EVENTS, ...Object.values(AUDIT_FILE_EVENTS)],
  config: {
    ...HANDLER_FIELDS,
    ...FILE_FIELDS,
    elasticsearchCompatible: config(boolean()).default(false).meta({
      description: 'Whether `_id` is written as `_eventId`: Elasticsearch reserves the former. For `format: common`.',
    }),
    format: formatField,
    buffering: object({
      maxSize: config(integer({ min: 1, max: 10_000_000 }))
        .optional()
        .meta({ description: 'Maximum of pending events in memory; the same as `queue.maxEvents`.' }),
      writeInterval: config(duration()).default('100 ms').meta({
        description:
          'Maximum time until a written event is flushed to the disk, with all others of that time; `disabled`: each batch at once, `unlimited`: when the system does it.',
      }),
      enabled: config(boolean()).optional().meta({
        description: 'Whether events are buffered.',
        unsupported: 'events always wait in the queue until they are written',
      }),
      maxBatchedEvents: config(integer({ min: 1 }))
        .optional()
        .meta({
          description: 'Maximum of events that are written together.',
          unsupported: 'all events that wait are written together, within the limits of `queue`',
        }),
    })
      .default({})
      .meta({ description: 'Limits of memory and of the time until events are on the disk.' }),
  },
  older: OLDER_FILE_FIELDS,
  check: checkFileFields,
  create: async (values, env) => {
    const { buffering, format } = values
    const base = handlerBase(values)
    return {
      ...base,
      queue: { ...base.queue, maxEvents: buffering.maxSize ?? base.queue.maxEvents },
      format: jsonFormat('json', values),
      transport: await filePlanOf(
        values,
        { extension: '.audit.json', lineEnd: '\n', sync: buffering.writeInterval, csv: null },
        env,
      ),
      supportsQueries: format === 'common',
    }
  },
})
