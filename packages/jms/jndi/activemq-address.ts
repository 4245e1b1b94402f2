// Addresses of ActiveMQ brokers with the options of its connection factory and transports.
import { type ConnectionPlan, DEFAULT_LIMITS, type Endpoint } from '../producer-plan.ts'
import { type AddressPart, parseBrokerAddress } from './broker-address.ts'
import type { Findings } from './findings.ts'
import { OptionReader } from './option-reader.ts'
import { DEFAULT_RECONNECT, readEndpoints } from './read-endpoints.ts'
import { readTlsOptions } from './tls-options.ts'

/** Schemes of OpenWire over TCP, and whether they use TLS. */
const SCHEMES: ReadonlyMap<string, boolean> = new Map([
  ['tcp', false],
  ['nio', false],
  ['ssl', true],
  ['nio+ssl', true],
])

/** Options for consumers, threads, buffers and logs of a JVM. */
const HARMLESS_JMS =
  /^jms\.(?:(?:prefetch|redelivery|blobTransfer)Policy\.|(?:watchTopicAdvisories|dispatchAsync|copyMessageOnSend|closeTimeout|alwaysSessionAsync|alwaysSyncSend|nonBlockingRedelivery|checkForDuplicates|messagePrioritySupported|useDedicatedTaskRunner|maxThreadPoolSize|auditDepth|auditMaximumProducerNumber)$|optimize|consumer|trust|warnAbout)/
/** The encoding is negotiated, and the same for each of its options. */
const HARMLESS_TRANSPORT =
  /^(?:(?:socket\.)?(?:soTimeout|keepAlive|tcpNoDelay|soLinger|reuseAddress|trafficClass|(?:send|receive|socket|io)BufferSize)$|socket\.(?:need|want)ClientAuth$|wireFormat\.(?:tightEncodingEnabled|cache|tcpNoDelayEnabled|sizePrefixDisabled|stackTraceEnabled|maxInactivityDurationInitalDelay|maxFrameSize|version)|(?:daemon|trace|startLogging|logWriterName|dynamicManagement|jmxPort|closeAsync|threadName|stackSize|minmumWireFormatVersion|typeOfService|diffServ|useLocalHost|soWriteTimeout)$)/
const HARMLESS_FAILOVER =
  /^(?:backup|backupPoolSize|trackMessages|trackTransactionProducers|maxCacheSize|maxPullCacheSize|updateURIsSupported|rebalanceUpdateURIs|warnAfterReconnectAttempts|startupMaxReconnectAttempts)$|^nested\./

type AddressPlan = Omit<ConnectionPlan, 'destination'>

/** Reads an address; null where something is wrong, which is in the findings. */
export function readActiveMqAddress(text: string, path: readonly string[], findings: Findings): AddressPlan | null {
  const address = parseBrokerAddress(text)
  if ('problem' in address) {
    findings.problem(path, address.problem)
    return null
  }
  const found = findings.problems.length
  const reader = new OptionReader(address.options, findings, path)
  const factory = {
    userName: reader.text('jms.userName'),
    password: reader.text('jms.password'),
    clientId: reader.text('jms.clientID'),
    producerWindow: reader.number('jms.producerWindowSize') ?? DEFAULT_LIMITS.producerWindow,
  }
  const sendTimeout = reader.duration('jms.sendTimeout', DEFAULT_LIMITS.sendTimeout)
  reader.unsupported('jms.useAsyncSend', 'PERSISTENT messages always wait for the broker to acknowledge them', [
    'false',
  ])
  reader.unsupported('jms.useCompression', 'messages are sent without compression', ['false'])
  reader.unsupported('jms.disableTimeStampsByDefault', 'messages have a timestamp', ['false'])
  const failover = address.isFailover ? readFailover(reader) : null
  const options = {
    nested: 'nested.',
    harmless: { client: HARMLESS_JMS, transport: HARMLESS_TRANSPORT, failover: HARMLESS_FAILOVER },
    readPart: (part: AddressPart, own: OptionReader) => readPart(part, own, path, findings),
  }
  const endpoints = readEndpoints(address, reader, options, { path, findings })
  if (findings.problems.length > found) return null
  return {
    protocol: 'openwire',
    ...factory,
    endpoints,
    randomize: failover?.randomize ?? false,
    reconnect: failover?.reconnect ?? DEFAULT_RECONNECT,
    sendTimeout: sendTimeout ?? failover?.timeout ?? DEFAULT_LIMITS.sendTimeout,
  }
}

function readFailover(reader: OptionReader) {
  const isGrowing = reader.boolean('useExponentialBackOff') ?? true
  const multiplier = reader.number('backOffMultiplier', 1) ?? reader.number('reconnectDelayExponent', 1)
  reader.unsupported('maxReconnectAttempts', 'connections are tried again without limit', ['-1'])
  reader.unsupported('priorityBackup', 'a connection to a later broker of the list stays until it ends', ['false'])
  reader.unsupported('priorityURIs', 'the order of the list is the order of preference, with randomize=false')
  reader.unsupported('updateURIsURL', 'brokers are those of the list')
  return {
    randomize: reader.boolean('randomize') ?? true,
    timeout: reader.duration('timeout', DEFAULT_LIMITS.sendTimeout),
    reconnect: {
      initialDelay: reader.number('initialReconnectDelay') ?? DEFAULT_RECONNECT.initialDelay,
      maxDelay: reader.number('maxReconnectDelay') ?? DEFAULT_RECONNECT.maxDelay,
      multiplier: isGrowing ? (multiplier ?? DEFAULT_RECONNECT.multiplier) : 1,
    },
  }
}

function readPart(
  part: AddressPart,
  reader: OptionReader,
  path: readonly string[],
  findings: Findings,
): Endpoint | null {
  const { scheme, host, port } = part
  const usesTls = SCHEMES.get(scheme)
  if (usesTls === undefined) {
    const advice = scheme.startsWith('amqp') ? '; for AMQP use org.apache.qpid.jms.jndi.JmsInitialContextFactory' : ''
    findings.problem(path, `expected tcp://, ssl:// or failover:, got ${scheme}://, which is not supported${advice}`)
    return null
  }
  if (port === null) {
    findings.problem(path, `expected ${scheme}://host:port with a port; ActiveMQ has no default`)
    return null
  }
  const inactivity = reader.duration('wireFormat.maxInactivityDuration', 0) ?? DEFAULT_LIMITS.idleTimeout
  return {
    host,
    port,
    connectTimeout:
      reader.duration('connectionTimeout', DEFAULT_LIMITS.connectTimeout) ?? DEFAULT_LIMITS.connectTimeout,
    idleTimeout: reader.boolean('useInactivityMonitor') === false ? 0 : inactivity,
    tls: usesTls
      ? readTlsOptions(reader, {
          verifyHost: 'socket.verifyHostName',
          protocols: 'socket.enabledProtocols',
          suites: 'socket.enabledCipherSuites',
        })
      : null,
    virtualHost: null,
    saslMechanisms: null,
  }
}
