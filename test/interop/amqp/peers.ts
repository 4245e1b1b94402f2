// Peers of the flows over AMQP 1.0, and a consumer of Qpid JMS.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readJndi } from '@identity-gateway/jms'
import type { Authority } from '#test/certificates'
import { producerPlan } from '#test/jms-plan'
import { JmsConsumer } from '../jms-consumer.ts'
import { fetchWithDependencies } from '../maven.ts'
import type { ArtemisServer } from './artemis-server.ts'

const QPID_VERSION = '1.13.0'
const QPID = 'org.apache.qpid.jms.jndi.JmsInitialContextFactory'
const ACTIVEMQ = 'org.apache.activemq.jndi.ActiveMQInitialContextFactory'

export interface Peers {
  readonly broker: ArtemisServer
  readonly authority: Authority
}

/**
 * A consumer of a topic, or of a queue where the name says so. A patient one: Artemis, too, sometimes sends nothing to a link whose
 * credit is drained again and again.
 */
export function consume(url: string, destination: string, durable?: string): Promise<JmsConsumer> {
  const folder = fetchWithDependencies(`qpid-jms-${QPID_VERSION}`, [`org.apache.qpid:qpid-jms-client:${QPID_VERSION}`])
  const jars = readdirSync(folder).flatMap((name) => (name.endsWith('.jar') ? [join(folder, name)] : []))
  return JmsConsumer.start({
    jars,
    contextFactory: QPID,
    properties: { 'connectionfactory.factory': url, [`${kindOf(destination)}.destination`]: destination },
    isPatient: true,
    ...(durable === undefined ? {} : { durable }),
  })
}

const kindOf = (destination: string): string => (destination.includes('queue') ? 'queue' : 'topic')

type PlanFields = Parameters<typeof producerPlan>[2]

export function planAt(url: string, destination: string, fields: PlanFields = {}): ReturnType<typeof producerPlan> {
  const isAmqp = /amqp/.test(url)
  const { plan, problems } = readJndi({
    contextProperties: {
      'java.naming.factory.initial': isAmqp ? QPID : ACTIVEMQ,
      [isAmqp ? 'connectionfactory.ConnectionFactory' : 'java.naming.provider.url']: url,
      [`${kindOf(destination)}.audit`]: destination,
    },
    topicName: 'audit',
    connectionFactoryName: 'ConnectionFactory',
  })
  if (plan === null) throw new Error(problems.map(({ message }) => message).join('; '))
  return producerPlan([], plan, fields)
}

export const TEXTS = [
  '{}',
  '{"name":"Zoë","price":"5 €","script":"日本語","emoji":"😀","zero":"\u0000"}',
  `{"large":"${'é'.repeat(512 * 1024)}"}`,
]
