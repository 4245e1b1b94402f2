import { hostname } from 'node:os'
import { type OtlpPlan, otlpLogRecord } from '#audit'
import { AuditEventHandlerKind, secretsProvider } from '#contracts'
import { appendPointer } from '#json'
import { config, defineType, map, oneOf, secretId, string, url } from '#schema'
import { HANDLER_EVENTS, HANDLER_FIELDS, HANDLER_METRICS, handlerBase } from '../../lib/audit/handler-fields.ts'
import { formatField, readTls, renewalOf, secretText, timeLimit, tlsField } from '../../lib/audit/remote-fields.ts'
import { reportHeader } from '../../lib/messages/header-fields.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/messages/log-events.ts'

/** Sends events as OTLP log records. */
export const OtlpAuditEventHandler = defineType({
  name: 'OtlpAuditEventHandler',
  kind: AuditEventHandlerKind,
  summary: 'Exports audit events as OpenTelemetry log records by OTLP over HTTP, with JSON encoding.',
  metrics: HANDLER_METRICS,
  events: [LIB_EVENTS.HEADER_LEFT_OUT, ...HANDLER_EVENTS],
  config: {
    ...HANDLER_FIELDS,
    endpoint: config(url(['http', 'https'])).meta({
      description: 'Base URL of the receiver, such as `https://collector.example.com:4318`; `/v1/logs` is added.',
    }),
    headers: map(config(string())).default({}).meta({ description: 'Header fields of each request.' }),
    headerSecretIds: map(config(secretId()))
      .default({})
      .meta({ description: 'Header fields whose whole value is a secret: secret ids by name.' }),
    secretsProvider: secretsProvider('the secrets'),
    compression: config(oneOf(['none', 'gzip']))
      .default('none')
      .meta({ description: 'Compression of request bodies.' }),
    connectTimeout: timeLimit('5 seconds', 'Time until a connection must be established.'),
    requestTimeout: timeLimit('10 seconds', 'Time until the receiver must have answered.'),
    resourceAttributes: map(config(string())).default({}).meta({
      description:
        'Attributes of the resource. `service.name` is `identity-gateway` and `service.instance.id` the name of the machine by default.',
    }),
    tls: tlsField(
      'TLS settings with an https endpoint; by default the certificate must be trusted by the platform and name the host.',
    ),
    format: formatField,
  },
  check: ({ endpoint, tls, headers, headerSecretIds }, report) => {
    const { protocol, pathname, search, hash, username } = new URL(endpoint)
    if (/\/v1\/logs\/?$/.test(pathname)) report('/endpoint', 'expected the base URL without /v1/logs, which is added')
    if (search !== '' || hash !== '') report('/endpoint', 'expected no query and no fragment: /v1/logs is added')
    if (username !== '') report('/endpoint', 'expected no credentials; use headerSecretIds')
    if (tls !== undefined && protocol !== 'https:') report('/tls', 'expected none with an http endpoint')
    for (const [name, value] of Object.entries(headers))
      reportHeader(name, value, appendPointer('/headers', name), report)
    for (const name of Object.keys(headerSecretIds)) {
      reportHeader(name, 'secret', appendPointer('/headerSecretIds', name), report)
    }
  },
  create: async (values) => {
    const { endpoint, headers, headerSecretIds, compression, connectTimeout, requestTimeout, format } = values
    const provider = values.secretsProvider
    const secretHeader = async ([name, id]: readonly [string, string]) =>
      [name, await secretText(provider, id, appendPointer('/headerSecretIds', name))] as const
    const readTransport = async (): Promise<OtlpPlan & { readonly type: 'otlp' }> => ({
      type: 'otlp',
      endpoint,
      headers: [...Object.entries(headers), ...(await Promise.all(Object.entries(headerSecretIds).map(secretHeader)))],
      compression,
      connectTimeout,
      requestTimeout,
      resourceAttributes: {
        'service.name': 'identity-gateway',
        'service.instance.id': hostname(),
        ...values.resourceAttributes,
      },
      tls: endpoint.startsWith('https:') ? await readTls(values.tls) : null,
    })
    return {
      ...handlerBase(values),
      format: {
        key: `otlp ${format}`,
        forTopic:
          ({ name }) =>
          (event) =>
            otlpLogRecord(format, name, event),
      },
      transport: await readTransport(),
      renewal: renewalOf(readTransport, values.tls, provider),
      supportsQueries: false,
    }
  },
})
