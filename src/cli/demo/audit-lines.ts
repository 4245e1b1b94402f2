import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import { prettyLine, replaceStandardOutput, standardOutput } from '#logging'

/** Shows audit events on standard output as lines of the log: their JSON would fill the terminal. The file has the whole events. */
export function showAuditEventsAsLines(colour: 'colour' | 'plain'): void {
  const output = standardOutput()
  replaceStandardOutput({ write: (line) => output.write(auditLine(line, colour) ?? line) })
}

/** The readable form of an access event of JsonStdoutAuditEventHandler; null for any other line. */
export function auditLine(line: string, colour: 'colour' | 'plain'): string | null {
  if (!line.startsWith('{"_id":')) return null
  const event = JSON.parse(line) as JsonObject
  const request = part(part(event, 'http'), 'request')
  const response = part(event, 'response')
  const { routeId, decision } = part(event, 'gateway')
  const { result, by, reason } = isPlainObject(decision) ? decision : {}
  const outcome = response['statusCode'] ?? part(response, 'detail')['reason'] ?? 'in flight'
  const fields: Record<string, JsonValue | undefined> = {
    user: event['userId'],
    route: routeId,
    decision: result,
    by,
    reason,
  }
  const shown = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const time = String(event['timestamp'])
  const message = `${request['method'] ?? 'refused request'} ${request['path'] ?? ''} ${outcome}`.replace('  ', ' ')
  return prettyLine({ time, level: 'audit', message, ...shown }, colour)
}

function part(object: JsonObject, name: string): JsonObject {
  const value = object[name]
  return isPlainObject(value) ? value : {}
}
