import { hostname } from 'node:os'
import { SYSLOG_FACILITIES, SYSLOG_SEVERITIES, type SyslogPlan, type SyslogSettings, syslogMessage } from '#audit'
import { AuditEventHandlerKind, type EventFormat } from '#contracts'
import {
  boolean,
  config,
  type DecodedMembers,
  defineType,
  integer,
  list,
  map,
  object,
  oneOf,
  renamed,
  type Settled,
  string,
} from '#schema'
import { HANDLER_EVENTS, HANDLER_FIELDS, HANDLER_METRICS, handlerBase } from '../../lib/audit/handler-fields.ts'
import { formatField, readTls, renewalOf, timeLimit, tlsField } from '../../lib/audit/remote-fields.ts'

/** Bytes of a message by protocol: size of datagrams, and usual limit of receivers. */
const DEFAULT_MAX_BYTES = { UDP: 8_192, TCP: 65_536, TLS: 65_536 }
const MAX_DATAGRAM = 65_507

const CONNECT_TIMEOUT = 5_000

const mapping = object({
  topic: config(string({ nonEmpty: true })).meta({ description: 'Topic of the events.' }),
  field: config(string({ nonEmpty: true })).meta({
    description: 'The field that sets the severity, such as `response/status`.',
  }),
  valueMappings: map(config(oneOf(SYSLOG_SEVERITIES))).meta({ description: 'Severities by value of the field.' }),
})

const FIELDS = {
  ...HANDLER_FIELDS,
  protocol: config(oneOf(['UDP', 'TCP', 'TLS'])).meta({ description: 'Transport protocol.' }),
  host: config(string({ nonEmpty: true })).meta({ description: 'Host of the syslog receiver.' }),
  port: config(integer({ min: 1, max: 65_535 })).meta({ description: 'Port of the syslog receiver.' }),
  facility: config(oneOf(SYSLOG_FACILITIES)).meta({ description: 'Facility of all messages (RFC 5424, table 1).' }),
  severityFieldMappings: list(mapping)
    .default([])
    .meta({ description: 'Severities of messages; the first mapping with a value is used, else `INFORMATIONAL`.' }),
  connectTimeout: config(integer({ min: 0, max: 50_000 }))
    .default(CONNECT_TIMEOUT)
    .meta({ description: 'Milliseconds until a connection must be established (TCP, TLS). 0: 5000.' }),
  sendTimeout: timeLimit('10 seconds', 'Longest time in which the receiver takes no bytes.'),
  tls: tlsField(
    'TLS settings with `protocol: TLS`; by default the certificate must be trusted by the platform and name the host.',
  ),
  format: formatField,
  hostname: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'HOSTNAME of messages; the name of the machine by default.' }),
  appName: config(string({ nonEmpty: true }))
    .default('identity-gateway')
    .meta({ description: 'APP-NAME of messages.' }),
  maxMessageSize: config(integer({ min: 1_024, max: 1_048_576 }))
    .optional()
    .meta({ description: 'Bytes of a message; longer ones are truncated. 8192 with UDP, else 65536 by default.' }),
  buffering: object({
    enabled: config(boolean())
      .default(false)
      .meta({ description: 'Accepted, without effect: events are always queued.' }),
    maxSize: config(integer({ min: 1 }))
      .default(5_000)
      .meta({ description: 'Accepted, without effect: see `queue`.' }),
  })
    .default({})
    .meta({ description: 'Accepted for existing configurations; replaced by `queue` and `spool`.' }),
}

type Values = Settled<DecodedMembers<typeof FIELDS>>

/** Sends events to a syslog receiver. */
export const SyslogAuditEventHandler = defineType({
  name: 'SyslogAuditEventHandler',
  kind: AuditEventHandlerKind,
  summary: 'Sends audit events to a syslog receiver (RFC 5424) over UDP, TCP or TLS.',
  metrics: HANDLER_METRICS,
  events: HANDLER_EVENTS,
  config: FIELDS,
  older: [renamed('productName', 'appName')],
  check: ({ protocol, tls, maxMessageSize }, report) => {
    if (tls !== undefined && protocol !== 'TLS') report('/tls', 'expected none without "protocol": "TLS"')
    if (protocol === 'UDP' && maxMessageSize !== undefined && maxMessageSize > MAX_DATAGRAM) {
      report('/maxMessageSize', `expected at most ${MAX_DATAGRAM}, the bytes of a datagram`)
    }
  },
  create: async (values) => {
    const { protocol, host, port, connectTimeout, sendTimeout, tls } = values
    const readTransport = async (): Promise<SyslogPlan & { readonly type: 'syslog' }> => ({
      type: 'syslog',
      protocol,
      host,
      port,
      connectTimeout: connectTimeout || CONNECT_TIMEOUT,
      sendTimeout,
      tls: protocol === 'TLS' ? await readTls(tls) : null,
    })
    return {
      ...handlerBase(values),
      format: syslogFormat(values),
      transport: await readTransport(),
      renewal: renewalOf(readTransport, tls),
      supportsQueries: false,
    }
  },
})

function syslogFormat(values: Values): EventFormat {
  const { protocol, facility, severityFieldMappings, format, appName } = values
  const settings: SyslogSettings = {
    facility,
    severityMappings: severityFieldMappings.map(({ topic, field, valueMappings }) => ({
      topic,
      path: field.replace(/^\//, '').split('/'),
      severities: new Map(Object.entries(valueMappings)),
    })),
    format,
    hostname: values.hostname ?? hostname(),
    appName,
    processId: String(process.pid),
    maxBytes: values.maxMessageSize ?? DEFAULT_MAX_BYTES[protocol],
  }
  const key = `syslog ${JSON.stringify([facility, severityFieldMappings, format, settings.hostname, appName, settings.maxBytes])}`
  return {
    key,
    forTopic:
      ({ name }) =>
      (event) =>
        syslogMessage(settings, name, event),
  }
}
