// Servers of the flows of this suite.
import { readJndi } from '@identity-gateway/jms'
import type { Authority, Issued } from '#test/certificates'
import { numbered, type producerOf, producerPlan } from '#test/jms-plan'
import type { ConsumedMessage } from '../jms-consumer.ts'
import { JmsConsumer } from '../jms-consumer.ts'
import type { ActiveMqBroker } from './broker.ts'

export interface Peers {
  readonly authority: Authority
  readonly client: Issued
  /** Without authentication over TCP; requires a client certificate over TLS. */
  readonly broker: ActiveMqBroker
}

export const CONTEXT_FACTORY = 'org.apache.activemq.jndi.ActiveMQInitialContextFactory'

/** Debian's jars of the client. */
const JARS = [
  'activemq-client',
  'geronimo-jms_1.1_spec',
  'geronimo-j2ee-management-1.1-spec',
  'hawtbuf',
  'slf4j-api',
].map((name) => `/usr/share/java/${name}.jar`)

/** A consumer of a topic, or of a queue where the name says so (`queue.`). */
export function consume(url: string, destination: string, durable?: string): Promise<JmsConsumer> {
  const kind = destination.startsWith('queue.') ? 'queue' : 'topic'
  return JmsConsumer.start({
    jars: JARS,
    contextFactory: CONTEXT_FACTORY,
    properties: {
      connectionFactoryNames: 'factory',
      'connection.factory.brokerURL': url,
      [`${kind}.destination`]: destination,
    },
    ...(durable === undefined ? {} : { durable }),
  })
}

type PlanFields = Parameters<typeof producerPlan>[2]

/** A plan from the properties that a configuration would have. */
export function planAt(
  url: string,
  destination: string,
  fields: PlanFields = {},
  properties: Readonly<Record<string, string>> = {},
): ReturnType<typeof producerPlan> {
  const kind = destination.startsWith('queue.') ? 'queue' : 'topic'
  const { plan, problems } = readJndi({
    contextProperties: {
      'java.naming.factory.initial': CONTEXT_FACTORY,
      'java.naming.provider.url': url,
      [`${kind}.audit`]: destination,
      ...properties,
    },
    topicName: 'audit',
    connectionFactoryName: 'ConnectionFactory',
  })
  if (plan === null) throw new Error(problems.map(({ message }) => message).join('; '))
  return producerPlan([], plan, fields)
}

/** Sends messages in batches, each again until it is accepted, as the delivery of audit events does. */
export async function deliver(
  producer: ReturnType<typeof producerOf>,
  messages: ReturnType<typeof numbered>,
  batch = 500,
  onBatch: (sent: number) => unknown = () => {},
): Promise<{ failures: number }> {
  let failures = 0
  for (let at = 0; at < messages.length; at += batch) {
    for (;;) {
      try {
        await producer.send(messages.slice(at, at + batch))
        break
      } catch {
        failures++
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
    await onBatch(at + batch)
  }
  return { failures }
}

/** Messages with ids of their own for each flow. */
export function messagesOf(flow: string, count: number, text?: (index: number) => string): ReturnType<typeof numbered> {
  return numbered(count, text).map((message) => ({ ...message, id: `${flow}-${message.id}` }))
}

export const idsOf = (messages: readonly { readonly id: string }[]): string[] => messages.map(({ id }) => id)
export const correlationIdsOf = (messages: readonly ConsumedMessage[]): string[] =>
  messages.map(({ correlationId }) => correlationId)
