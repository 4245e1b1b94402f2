import type { JsonObject } from '#json'
import { jsonText } from '#logging'
import { textAt, valueAt } from './event-fields.ts'
import { type FormatName, formatEvent } from './event-format.ts'

/** Facilities of RFC 5424, table 1; the position of each is its number. */
export const SYSLOG_FACILITIES = [
  'KERN',
  'USER',
  'MAIL',
  'DAEMON',
  'AUTH',
  'SYSLOG',
  'LPR',
  'NEWS',
  'UUCP',
  'CRON',
  'AUTHPRIV',
  'FTP',
  'NTP',
  'LOGAUDIT',
  'LOGALERT',
  'CLOCKD',
  'LOCAL0',
  'LOCAL1',
  'LOCAL2',
  'LOCAL3',
  'LOCAL4',
  'LOCAL5',
  'LOCAL6',
  'LOCAL7',
] as const

type SyslogFacility = (typeof SYSLOG_FACILITIES)[number]

/** Severities of RFC 5424, table 2; the position of each is its number. */
export const SYSLOG_SEVERITIES = [
  'EMERGENCY',
  'ALERT',
  'CRITICAL',
  'ERROR',
  'WARNING',
  'NOTICE',
  'INFORMATIONAL',
  'DEBUG',
] as const

type SyslogSeverity = (typeof SYSLOG_SEVERITIES)[number]

/** Severity of the events of a topic by the value of a field. */
interface SeverityMapping {
  readonly topic: string
  /** Names of the field and of the objects around it. */
  readonly path: readonly string[]
  readonly severities: ReadonlyMap<string, SyslogSeverity>
}

/** How events become syslog messages. */
export interface SyslogSettings {
  readonly facility: SyslogFacility
  readonly severityMappings: readonly SeverityMapping[]
  readonly format: FormatName
  readonly hostname: string
  readonly appName: string
  readonly processId: string
  /** Bytes of a whole message; a longer one is truncated. At least 1024: header and structured data always fit. */
  readonly maxBytes: number
}

/**
 * Name of the structured data element. 32473 is the enterprise number for examples and documentation (RFC 5612): the project
 * has no number of its own.
 */
const ELEMENT = 'event@32473'

/** Bytes of one structured data value, so that header and structured data always fit into `maxBytes`. */
const MAX_PARAMETER_BYTES = 64

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)$/

/**
 * An event as a message of RFC 5424: header, structured data for receivers that filter, then the event as JSON. No byte order
 * mark precedes the JSON: parsers refuse it. Nothing in the message ends a line or a frame (threats B87).
 */
export function syslogMessage(settings: SyslogSettings, topic: string, event: JsonObject): string {
  const header = headerOf(settings, topic, event)
  const body = jsonText(formatEvent(settings.format, topic, event))
  const message = `${header} ${structuredData(topic, event, false)} ${body}`
  // Most messages are short: no text has more than three bytes for each code unit.
  if (message.length * 3 <= settings.maxBytes || Buffer.byteLength(message) <= settings.maxBytes) return message
  return truncated(`${header} ${structuredData(topic, event, true)} ${body}`, settings.maxBytes)
}

/** The part of a text that fits, without a broken character at its end. */
function truncated(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  // A continuation byte of UTF-8 begins with the bits 10.
  while (((bytes[end] as number) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

function headerOf(settings: SyslogSettings, topic: string, event: JsonObject): string {
  const priority = SYSLOG_FACILITIES.indexOf(settings.facility) * 8 + severityOf(settings, topic, event)
  const time = textAt(event, 'timestamp') ?? ''
  return [
    `<${priority}>1`,
    TIMESTAMP.test(time) ? time : '-',
    headerField(settings.hostname, 64),
    headerField(settings.appName, 48),
    headerField(settings.processId, 32),
    headerField(textAt(event, 'eventName') ?? topic, 32),
  ].join(' ')
}

function severityOf({ severityMappings }: SyslogSettings, topic: string, event: JsonObject): number {
  for (const mapping of severityMappings) {
    if (mapping.topic !== topic) continue
    const severity = mapping.severities.get(String(valueAt(event, mapping.path) ?? ''))
    if (severity !== undefined) return SYSLOG_SEVERITIES.indexOf(severity)
  }
  return SYSLOG_SEVERITIES.indexOf('INFORMATIONAL')
}

/** Printable ASCII without spaces, or the nil value. */
function headerField(text: string, length: number): string {
  const printable = text.replace(/[^\x21-\x7e]/g, '').slice(0, length)
  return printable === '' ? '-' : printable
}

function structuredData(topic: string, event: JsonObject, isTruncated: boolean): string {
  const parameters: readonly (readonly [string, string | undefined])[] = [
    ['topic', topic],
    ['id', textAt(event, '_id')],
    ['transactionId', textAt(event, 'transactionId')],
    ['status', textAt(event, 'response', 'status')],
    ['truncated', isTruncated ? 'true' : undefined],
  ]
  const written = parameters.flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${parameter(value)}"`]))
  return `[${ELEMENT} ${written.join(' ')}]`
}

/** RFC 5424, 6.3.3: quote, backslash and closing bracket are escaped; control characters become U+FFFD. */
function parameter(value: string): string {
  return truncated(
    value.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '\ufffd'),
    MAX_PARAMETER_BYTES,
  ).replace(/["\\\]]/g, '\\$&')
}
