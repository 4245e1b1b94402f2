import { type KafkaPlan, kafkaText } from '#audit'
import { AuditEventHandlerKind, secretsProvider } from '#contracts'
import { withoutBrackets } from '#http'
import { boolean, config, defineType, integer, list, object, oneOf, secretId, string } from '#schema'
import { HANDLER_EVENTS, HANDLER_FIELDS, HANDLER_METRICS, handlerBase } from '../../lib/audit/handler-fields.ts'
import { formatField, readTls, renewalOf, secretText, timeLimit, tlsField } from '../../lib/audit/remote-fields.ts'

const BROKER = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/
const TOPIC_CHARACTERS = /^[A-Za-z0-9._-]*$/
/** Kafka's limit for names of topics, less the longest name of an audit topic. */
const MAX_PREFIX = 249 - 64

const sasl = object({
  mechanism: config(oneOf(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'])).meta({ description: 'SASL mechanism.' }),
  username: config(string({ nonEmpty: true })).meta({ description: 'User name of the gateway at the brokers.' }),
  passwordSecretId: config(secretId()).meta({ description: 'Secret id of the password.' }),
})

/** Produces events to Kafka. */
export const KafkaAuditEventHandler = defineType({
  name: 'KafkaAuditEventHandler',
  kind: AuditEventHandlerKind,
  summary: 'Produces audit events to Apache Kafka, acknowledged by all in-sync replicas.',
  metrics: HANDLER_METRICS,
  events: HANDLER_EVENTS,
  config: {
    ...HANDLER_FIELDS,
    brokers: list(config(string({ nonEmpty: true })), { nonEmpty: true }).meta({
      description: 'Brokers as `host:port`; the others of the cluster are discovered from them.',
    }),
    kafkaTopic: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Kafka topic of all events; by default `topicPrefix` and the audit topic of each event.' }),
    topicPrefix: config(string())
      .default('')
      .meta({ description: 'Precedes the audit topic in names of Kafka topics.' }),
    clientId: config(string({ nonEmpty: true }))
      .default('identity-gateway')
      .meta({ description: 'Client id in logs and quotas of the brokers.' }),
    sasl: sasl.optional().meta({ description: 'How the gateway authenticates at the brokers.' }),
    secretsProvider: secretsProvider('the secrets'),
    tls: tlsField('TLS settings; without them connections are not encrypted.'),
    idempotent: config(boolean())
      .default(true)
      .meta({ description: 'Whether brokers discard duplicates of one request; needs Kafka 0.11 or newer.' }),
    compression: config(oneOf(['none', 'gzip']))
      .default('none')
      .meta({ description: 'Compression of record batches.' }),
    maxRequestSize: config(integer({ min: 1_024, max: 104_857_600 }))
      .default(900_000)
      .meta({ description: 'Bytes of events in one request; less than `message.max.bytes` of the brokers.' }),
    connectTimeout: timeLimit('5 seconds', 'Time until a connection must be established, TLS and SASL included.'),
    requestTimeout: timeLimit('10 seconds', 'Time until a broker must have answered one request.'),
    sendTimeout: timeLimit('30 seconds', 'Time until all brokers must have acknowledged a batch, retries included.'),
    format: formatField,
  },
  check: ({ brokers, kafkaTopic, topicPrefix, sasl, tls }, report, warn) => {
    if (sasl?.mechanism === 'PLAIN' && tls === undefined)
      warn('sasl PLAIN without tls sends the password in clear text; set tls')
    for (const [at, broker] of brokers.entries()) {
      const port = Number(BROKER.exec(broker)?.[1])
      if (!(port >= 1 && port <= 65_535)) report(`/brokers/${at}`, `expected host:port, got "${broker}"`)
    }
    if (kafkaTopic !== undefined && (!TOPIC_CHARACTERS.test(kafkaTopic) || kafkaTopic.length > 249)) {
      report('/kafkaTopic', 'expected letters, digits, ".", "_" and "-", at most 249')
    }
    if (!TOPIC_CHARACTERS.test(topicPrefix) || topicPrefix.length > MAX_PREFIX) {
      report('/topicPrefix', `expected letters, digits, ".", "_" and "-", at most ${MAX_PREFIX}`)
    }
    if (kafkaTopic !== undefined && topicPrefix !== '') report('/topicPrefix', 'expected none beside kafkaTopic')
  },
  create: async (values) => {
    const { clientId, compression, idempotent, connectTimeout, requestTimeout, sendTimeout, format, tls } = values
    const readTransport = async (): Promise<KafkaPlan & { readonly type: 'kafka' }> => ({
      type: 'kafka',
      brokers: values.brokers.map((broker) => {
        const end = broker.lastIndexOf(':')
        return { host: withoutBrackets(broker.slice(0, end)), port: Number(broker.slice(end + 1)) }
      }),
      clientId,
      kafkaTopic: values.kafkaTopic ?? null,
      topicPrefix: values.topicPrefix,
      compression,
      idempotent,
      connectTimeout,
      requestTimeout,
      sendTimeout,
      maxRequestBytes: values.maxRequestSize,
      sasl: values.sasl === undefined ? null : await credentials(values.sasl),
      tls: tls === undefined ? null : await readTls(tls),
    })
    return {
      ...handlerBase(values),
      format: {
        key: `kafka ${format}`,
        forTopic:
          ({ name }) =>
          (event) =>
            kafkaText(format, name, event),
      },
      transport: await readTransport(),
      renewal: renewalOf(readTransport, tls, values.secretsProvider),
      supportsQueries: false,
    }

    async function credentials({ mechanism, username, passwordSecretId }: NonNullable<typeof values.sasl>) {
      const provider = values.secretsProvider
      return { mechanism, username, password: await secretText(provider, passwordSecretId, '/sasl/passwordSecretId') }
    }
  },
})
