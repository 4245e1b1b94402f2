import {
  type ConnectionPlan,
  type Endpoint,
  type JmsMessage,
  openProducer,
  type ProducerPlan,
} from '@identity-gateway/jms'
import { cipherSuite, identityProblem, protocolProblem } from '#contracts'
import { didYouMean, systemClock } from '#schema'

/** What the gateway knows of names in JNDI properties. */
export const JNDI_NAMES = { didYouMean, cipherSuite, protocolProblem }

/** Never aborts. */
export const NO_SIGNAL = new AbortController().signal

/** An endpoint on the loopback interface. */
export function endpointAt(port: number, fields: Partial<Endpoint> = {}): Endpoint {
  return {
    host: '127.0.0.1',
    port,
    tls: null,
    connectTimeout: 5_000,
    idleTimeout: 30_000,
    virtualHost: null,
    saslMechanisms: null,
    ...fields,
  }
}

/** A plan for a producer on the topic `audit`. */
export function producerPlan(
  endpoints: readonly Endpoint[],
  connection: Partial<ConnectionPlan> = {},
  fields: Partial<Omit<ProducerPlan, 'connection'>> = {},
): ProducerPlan {
  return {
    connection: {
      protocol: 'openwire',
      destination: { kind: 'topic', name: 'audit' },
      endpoints,
      randomize: false,
      reconnect: { initialDelay: 0, maxDelay: 0, multiplier: 1 },
      userName: null,
      password: null,
      clientId: null,
      sendTimeout: 5_000,
      producerWindow: 1024 * 1024,
      ...connection,
    },
    deliveryMode: 'PERSISTENT',
    tls: null,
    ...fields,
  }
}

/** A producer that closes at the end of its scope. */
export function producerOf(plan: ProducerPlan) {
  const connected: string[] = []
  const onConnected = (broker: string): void => void connected.push(broker)
  const producer = openProducer(plan, { clock: systemClock, onConnected, identityProblem })
  return {
    /** Brokers in the order of connections. */
    connected,
    send: (messages: readonly JmsMessage[], signal = NO_SIGNAL) => producer.send(messages, signal),
    close: () => producer.close(),
    [Symbol.asyncDispose]: () => producer.close(),
  }
}

/** Numbered messages. */
export function numbered(count: number, text: (index: number) => string = (index) => `{"n":${index}}`): JmsMessage[] {
  return Array.from({ length: count }, (_, index) => ({ id: `id-${index}`, text: text(index) }))
}
