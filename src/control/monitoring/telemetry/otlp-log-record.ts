import { isPlainObject, type JsonObject, parseJson } from '#json'
import { nanoseconds, otlpAttributes } from '#telemetry'

/** Severity numbers of the OpenTelemetry log data model. */
const SEVERITIES: Readonly<Record<string, number>> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17 }

/** A line of the log as a LogRecord of OTLP; null for a line that is not one. */
export function otlpLogRecordOf(line: string): string | null {
  let entry: unknown
  try {
    entry = parseJson(line)
  } catch {
    return null
  }
  if (!isPlainObject(entry)) return null
  const { level, time, message, logger, traceId, ...fields } = entry as JsonObject
  const timeUnixNano = nanoseconds(Date.parse(String(time)))
  return JSON.stringify({
    timeUnixNano,
    observedTimeUnixNano: timeUnixNano,
    severityNumber: SEVERITIES[String(level)] ?? 0,
    severityText: String(level).toUpperCase(),
    body: { stringValue: String(message) },
    attributes: otlpAttributes({ ...fields, ...(logger !== undefined && { 'log.logger': logger }) }),
    ...(typeof traceId === 'string' && { traceId }),
  })
}
