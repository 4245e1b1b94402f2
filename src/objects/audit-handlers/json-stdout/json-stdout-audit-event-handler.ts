import { formatEvent, jsonText } from '#audit'
import { AuditEventHandlerKind } from '#contracts'
import { boolean, config, defineType } from '#schema'
import { HANDLER_FIELDS, handlerBase } from '../../lib/audit/handler-fields.ts'
import { formatField } from '../../lib/audit/remote-fields.ts'

/** Writes events as JSON lines to standard output. */
export const JsonStdoutAuditEventHandler = defineType({
  name: 'JsonStdoutAuditEventHandler',
  kind: AuditEventHandlerKind,
  summary: 'Writes audit events as JSON lines to standard output, beside the log.',
  config: {
    ...HANDLER_FIELDS,
    elasticsearchCompatible: config(boolean()).default(false).meta({
      description: 'Whether `_id` is written as `_eventId`: Elasticsearch reserves the former. For `format: common`.',
    }),
    format: formatField,
  },
  create: (values) => {
    const { elasticsearchCompatible, format } = values
    return {
      ...handlerBase(values),
      format: {
        key: `stdout ${format}${elasticsearchCompatible ? ' elasticsearch' : ''}`,
        forTopic: ({ name: topic }) => {
          const marks = { source: 'audit', topic, level: 'INFO' }
          if (format !== 'common') return (event) => jsonText({ ...formatEvent(format, topic, event), ...marks })
          if (!elasticsearchCompatible) return (event) => jsonText({ ...event, ...marks })
          return ({ _id: id, ...event }) => jsonText({ ...(id !== undefined && { _eventId: id }), ...event, ...marks })
        },
      },
      transport: { type: 'stdout' },
      supportsQueries: false,
    }
  },
})
