// Addresses of AMQP brokers with the options of Qpid JMS.
import { type ConnectionPlan, DEFAULT_LIMITS, type Endpoint } from '../producer-plan.ts'
import { type AddressPart, parseBrokerAddress } from './broker-address.ts'
import type { Findings } from './findings.ts'
import { OptionReader } from './option-reader.ts'
import { DEFAULT_RECONNECT, readEndpoints } from './read-endpoints.ts'
import { readTlsOptions } from './tls-options.ts'

const DEFAULT_PORTS: ReadonlyMap<string, number> = new Map([
  ['amqp', 5672],
  ['amqps', 5671],
])
/** The mechanisms that are spoken. */
const MECHANISMS = ['EXTERNAL', 'PLAIN', 'ANONYMOUS']

/** Options for consumers, threads and buffers of a JVM. */
const HARMLESS_JMS =
  /^jms\.(?:(?:prefetch|redelivery|messageID|deserialization)Policy\.|(?:force|local|receive|validate)|(?:closeTimeout|requestTimeout|clientIDPrefix|connectionIDPrefix|awaitClientID|useDaemonThread|tracing|completionThreads)$)/
const HARMLESS_TRANSPORT =
  /^(?:transport\.(?:(?:send|receive)BufferSize|trafficClass|soTimeout|soLinger|tcpKeepAlive|tcpNoDelay|useEpoll|useKQueue|useOpenSSL|contextProtocol|localAddress|localPort)$|amqp\.(?:maxFrameSize|drainTimeout|traceFrames|allowNonSecureRedirects)$)/
const HARMLESS_FAILOVER =
  /^failover\.(?:nested\.|(?:initialReconnectDelay|warnAfterReconnectAttempts|startupMaxReconnectAttempts|amqpOpenServerListAction)$)/

type AddressPlan = Omit<ConnectionPlan, 'destination'>

/** Reads an address; null where something is wrong, which is in the findings. */
export function readQpidAddress(text: string, path: readonly string[], findings: Findings): AddressPlan | null {
  const address = parseBrokerAddress(text)
  if ('problem' in address) {
    findings.problem(path, address.problem)
    return null
  }
  const found = findings.problems.length
  const reader = new OptionReader(address.options, findings, path)
  const factory = {
    userName: reader.text('jms.username'),
    password: reader.text('jms.password'),
    clientId: reader.text('jms.clientID'),
    sendTimeout: reader.duration('jms.sendTimeout', DEFAULT_LIMITS.sendTimeout) ?? DEFAULT_LIMITS.sendTimeout,
  }
  const connectTimeout = reader.duration('jms.connectTimeout', DEFAULT_LIMITS.connectTimeout)
  for (const name of [
    'jms.topicPrefix',
    'jms.queuePrefix',
    'jms.populateJMSXUserID',
    'jms.presettlePolicy.presettleAll',
  ]) {
    reader.unsupported(name, 'has no effect', ['false', ''])
  }
  const failover = address.isFailover ? readFailover(reader) : null
  const options = {
    nested: 'failover.nested.',
    harmless: { client: HARMLESS_JMS, transport: HARMLESS_TRANSPORT, failover: HARMLESS_FAILOVER },
    readPart: (part: AddressPart, own: OptionReader) => readPart(part, own, connectTimeout, path, findings),
  }
  const endpoints = readEndpoints(address, reader, options, { path, findings })
  if (findings.problems.length > found) return null
  return {
    protocol: 'amqp',
    ...factory,
    endpoints,
    randomize: failover?.randomize ?? false,
    reconnect: failover?.reconnect ?? DEFAULT_RECONNECT,
    producerWindow: DEFAULT_LIMITS.producerWindow,
  }
}

function readFailover(reader: OptionReader) {
  reader.unsupported('failover.maxReconnectAttempts', 'connections are tried again without limit', ['-1'])
  const isGrowing = reader.boolean('failover.useReconnectBackOff') ?? true
  const multiplier = reader.number('failover.reconnectBackOffMultiplier', 1) ?? DEFAULT_RECONNECT.multiplier
  return {
    randomize: reader.boolean('failover.randomize') ?? false,
    reconnect: {
      initialDelay: reader.number('failover.reconnectDelay') ?? DEFAULT_RECONNECT.initialDelay,
      maxDelay: reader.number('failover.maxReconnectDelay') ?? DEFAULT_RECONNECT.maxDelay,
      multiplier: isGrowing ? multiplier : 1,
    },
  }
}

function readPart(
  { scheme, host, port }: AddressPart,
  reader: OptionReader,
  connectTimeout: number | null,
  path: readonly string[],
  findings: Findings,
): Endpoint | null {
  const defaultPort = DEFAULT_PORTS.get(scheme)
  if (defaultPort === undefined) {
    const advice = /^(?:tcp|ssl)$/.test(scheme)
      ? '; for OpenWire use org.apache.activemq.jndi.ActiveMQInitialContextFactory'
      : ''
    findings.problem(path, `expected amqp://, amqps:// or failover:, got ${scheme}://, which is not supported${advice}`)
    return null
  }
  for (const name of ['keyStoreLocation', 'keyStorePassword', 'trustStoreLocation', 'trustStorePassword', 'trustAll']) {
    reader.unsupported(`transport.${name}`, 'has no effect: certificates and trust are those of the field tls', [
      'false',
    ])
  }
  reader.unsupported('amqp.saslLayer', 'a SASL layer is always used', ['true'])
  const mechanisms = reader.list('amqp.saslMechanisms')
  if (mechanisms !== null && !mechanisms.some((name) => MECHANISMS.includes(name))) {
    reader.problem('amqp.saslMechanisms', `expected one of ${MECHANISMS.join(', ')}`)
  }
  const transportTimeout = reader.duration('transport.connectTimeout', DEFAULT_LIMITS.connectTimeout)
  return {
    host,
    port: port ?? defaultPort,
    connectTimeout: connectTimeout ?? transportTimeout ?? DEFAULT_LIMITS.connectTimeout,
    idleTimeout: reader.duration('amqp.idleTimeout', 0) ?? DEFAULT_LIMITS.idleTimeout,
    tls:
      scheme === 'amqps'
        ? readTlsOptions(reader, {
            verifyHost: 'transport.verifyHost',
            protocols: 'transport.enabledProtocols',
            suites: 'transport.enabledCipherSuites',
          })
        : null,
    virtualHost: reader.text('amqp.vhost'),
    saslMechanisms: mechanisms,
  }
}
