import type { ConnectionPlan } from '../producer-plan.ts'
import { readActiveMq } from './activemq.ts'
import type { JndiProperties } from './destination.ts'
import { Findings, type JndiFinding, property } from './findings.ts'
import { type KnownNames, PLAIN_NAMES } from './known-names.ts'
import { readQpid } from './qpid.ts'

/** The object `jndi` of a configuration. */
export interface JndiConfig {
  readonly contextProperties: JndiProperties
  readonly topicName: string
  readonly connectionFactoryName: string
}

/** Result of reading the properties. The plan is null where there are problems. */
export interface JndiReading {
  readonly plan: ConnectionPlan | null
  readonly problems: readonly JndiFinding[]
  readonly warnings: readonly JndiFinding[]
}

type Read = (
  properties: JndiProperties,
  topicName: string,
  connectionFactoryName: string,
  findings: Findings,
) => ConnectionPlan | null

const INITIAL_FACTORY = 'java.naming.factory.initial'

/** Initial context factories; each implies the wire protocol of its client. */
const FACTORIES: Readonly<Record<string, Read>> = {
  'org.apache.activemq.jndi.ActiveMQInitialContextFactory': readActiveMq,
  'org.apache.activemq.jndi.ActiveMQSslInitialContextFactory': readActiveMq,
  'org.apache.qpid.jms.jndi.JmsInitialContextFactory': readQpid,
}

/** Speaks the Core protocol of Artemis, which no client but its own does; its brokers speak the other two as well. */
const ARTEMIS = 'org.apache.activemq.artemis.jndi.ActiveMQInitialContextFactory'

/** Reads JNDI properties as the initial context factory in them would in a JVM. */
export function readJndi(
  { contextProperties, topicName, connectionFactoryName }: JndiConfig,
  names: Partial<KnownNames> = {},
): JndiReading {
  const findings = new Findings({ ...PLAIN_NAMES, ...names })
  const read = findFactory(contextProperties, findings)
  const plan = read === null ? null : read(contextProperties, topicName, connectionFactoryName, findings)
  const { problems, warnings } = findings
  return { plan: problems.length === 0 ? plan : null, problems, warnings }
}

function findFactory(properties: JndiProperties, findings: Findings): Read | null {
  const names = Object.keys(FACTORIES)
  if (Object.keys(properties).length === 0) {
    findings.problem(
      ['contextProperties'],
      `expected the JNDI properties of a broker: there is no application server whose JMS resources could be used. Set ${INITIAL_FACTORY} to ${names[0]} (ActiveMQ) or ${names[2]} (AMQP 1.0)`,
    )
    return null
  }
  const name = properties[INITIAL_FACTORY]
  const expected = `expected ${names[0]} (ActiveMQ, OpenWire) or ${names[2]} (AMQP 1.0)`
  if (name === undefined) {
    findings.problem(['contextProperties'], `${INITIAL_FACTORY}: ${expected}, which chooses the protocol`)
    return null
  }
  const factory = Object.hasOwn(FACTORIES, name) ? FACTORIES[name] : undefined
  if (factory !== undefined) return factory
  const found =
    name === ARTEMIS
      ? 'the Core protocol of Artemis is not spoken; its acceptors also speak OpenWire and AMQP'
      : `got ${JSON.stringify(name)}${findings.names.didYouMean(name, names)}`
  findings.problem(property(INITIAL_FACTORY), `${expected}; ${found}`)
  return null
}
