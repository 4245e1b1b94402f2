import { readJndi } from '@identity-gateway/jms'
import type { JmsPlan } from '#audit'
import { AuditEventHandlerKind, cipherSuite, protocolProblem, secretsProvider } from '#contracts'
import { formatPointer } from '#json'
import { config, defineType, didYouMean, json, map, object, oneOf, secretId, string } from '#schema'
import { HANDLER_EVENTS, HANDLER_FIELDS, HANDLER_METRICS, handlerBase } from '../../lib/audit/handler-fields.ts'
import { jsonFormat } from '../../lib/audit/json-format.ts'
import { readTls, renewalOf, secretText, tlsField } from '../../lib/audit/remote-fields.ts'

const NAMES = { didYouMean, cipherSuite, protocolProblem }

const jndi = object({
  contextProperties: map(config(string())).default({}).meta({
    description:
      'JNDI properties: `java.naming.factory.initial` selects the protocol, `java.naming.provider.url` (ActiveMQ) or `connectionfactory.<name>` (Qpid JMS) is the address, `topic.<name>` the topic at the broker.',
  }),
  topicName: config(string({ nonEmpty: true })).meta({
    description: 'JNDI name of the topic: `audit` for the topic that the property `topic.audit` defines.',
  }),
  connectionFactoryName: config(string({ nonEmpty: true })).meta({
    description: 'JNDI name of the connection factory; that of ActiveMQ is `ConnectionFactory`.',
  }),
})

/** Publishes events to a JMS broker. */
export const JmsAuditEventHandler = defineType({
  name: 'JmsAuditEventHandler',
  kind: AuditEventHandlerKind,
  summary: 'Publishes audit events to a topic of a JMS broker: ActiveMQ (OpenWire), or any broker with AMQP 1.0.',
  metrics: HANDLER_METRICS,
  events: HANDLER_EVENTS,
  config: {
    ...HANDLER_FIELDS,
    deliveryMode: config(oneOf(['PERSISTENT', 'NON_PERSISTENT'])).meta({
      description:
        '`PERSISTENT`: the broker stores each event on its disk before it is accepted, and pending events are spooled. `NON_PERSISTENT`: the broker stores events in memory.',
    }),
    sessionMode: config(oneOf(['AUTO', 'CLIENT', 'DUPS_OK'])).meta({
      description:
        'How consumers of the session acknowledge. All modes are the same here: the session of the gateway has no consumer.',
    }),
    jndi: jndi.meta({ description: 'Broker, topic and connection factory.' }),
    envelope: config(oneOf(['event', 'topic']))
      .default('event')
      .meta({
        description:
          'Text of a message: `event` is the JSON of the event, `topic` is `{"auditTopic": ..., "event": ...}`.',
      }),
    userNameSecretId: config(secretId())
      .optional()
      .meta({ description: 'Secret id of the name of the user, instead of one in `contextProperties`.' }),
    passwordSecretId: config(secretId())
      .optional()
      .meta({ description: 'Secret id of the password, instead of one in `contextProperties`.' }),
    secretsProvider: secretsProvider('the secrets'),
    tls: tlsField('TLS settings of `ssl://` and `amqps://`; by default the trust of the platform.'),
    batch: json().optional().meta({
      description: 'Accepted for existing configurations, without effect: replaced by `queue` and `spool`.',
    }),
  },
  check: ({ jndi }, report, warn) => {
    const { problems, warnings } = readJndi(jndi, NAMES)
    for (const { path, message } of problems) report(formatPointer(['jndi', ...path]), message)
    for (const { path, message } of warnings) warn(`${formatPointer(['jndi', ...path])}: ${message}`)
  },
  create: async (values, env) => {
    const { deliveryMode, envelope, userNameSecretId, passwordSecretId } = values
    const { plan } = readJndi(values.jndi, NAMES)
    // Problems are reported by `check`.
    if (plan === null) throw new TypeError('jndi does not describe a broker')
    const transport = await readTransport()
    if (transport.producer.connection.password !== null && plan.endpoints.some(({ tls }) => tls === null)) {
      env.warn('the password is sent in clear text to brokers without TLS; use ssl:// or amqps://')
    }
    return {
      ...handlerBase(values, deliveryMode === 'PERSISTENT'),
      format: jsonFormat('json', { format: 'common', elasticsearchCompatible: false }),
      transport,
      renewal: renewalOf(readTransport, values.tls, values.secretsProvider),
      supportsQueries: false,
    }

    async function readTransport(): Promise<JmsPlan & { readonly type: 'jms' }> {
      const connection = {
        ...plan!,
        userName: (await textOf(userNameSecretId, '/userNameSecretId')) ?? plan!.userName,
        password: (await textOf(passwordSecretId, '/passwordSecretId')) ?? plan!.password,
      }
      return { type: 'jms', producer: { connection, deliveryMode, tls: await readTls(values.tls) }, envelope }
    }

    async function textOf(id: string | undefined, pointer: string): Promise<string | null> {
      return id === undefined ? null : secretText(values.secretsProvider, id, pointer)
    }
  },
})
