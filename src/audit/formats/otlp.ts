import type { JsonObject, JsonValue } from '#json'
import { jsonText } from '#logging'
import { otlpAttributes, otlpValue } from '#telemetry'
import { integerAt, objectAt, requestHeader, textAt } from './event-fields.ts'
import { type FormatName, formatEvent } from './event-format.ts'

/** Severity numbers of the OpenTelemetry log data model. */
const INFO = { severityNumber: 9, severityText: 'INFO' }
const WARN = { severityNumber: 13, severityText: 'WARN' }

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/

/**
 * An event as the JSON text of an OTLP LogRecord (opentelemetry-proto, JSON Protobuf encoding: 64-bit numbers are texts,
 * ids are hexadecimal). The body is the event in its format; the attributes are those of the semantic conventions.
 */
export function otlpLogRecord(format: FormatName, topic: string, event: JsonObject): string {
  const time = Date.parse(textAt(event, 'timestamp') ?? '')
  const traceId = textAt(event, 'traceId')
  return jsonText({
    ...(!Number.isNaN(time) && { timeUnixNano: `${time}000000`, observedTimeUnixNano: `${time}000000` }),
    ...(textAt(event, 'response', 'status') === 'FAILED' ? WARN : INFO),
    eventName: textAt(event, 'eventName') ?? topic,
    body: otlpValue(formatEvent(format, topic, event)),
    attributes: attributesOf(topic, event),
    ...(traceId !== undefined && TRACE_ID.test(traceId) && { traceId }),
  })
}

function attributesOf(topic: string, event: JsonObject): JsonValue[] {
  const [client, server] = [objectAt(event, 'client') ?? {}, objectAt(event, 'server') ?? {}]
  return otlpAttributes({
    'log.record.uid': textAt(event, '_id'),
    'audit.topic': topic,
    'audit.transaction_id': textAt(event, 'transactionId'),
    'user.id': textAt(event, 'userId'),
    'client.address': textAt(client, 'ip'),
    'client.port': integerAt(client, 'port'),
    'server.address': textAt(server, 'ip'),
    'server.port': integerAt(server, 'port'),
    'http.request.method': textAt(event, 'http', 'request', 'method'),
    'url.full': textAt(event, 'http', 'request', 'path'),
    'http.response.status_code': integerAt(event, 'response', 'statusCode'),
    'user_agent.original': requestHeader(event, 'user-agent'),
  })
}
