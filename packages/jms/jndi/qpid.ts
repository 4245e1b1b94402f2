// The properties of Qpid JMS' initial context.
import type { ConnectionPlan } from '../producer-plan.ts'
import { findDestination, type JndiProperties } from './destination.ts'
import { type Findings, property } from './findings.ts'
import { readQpidAddress } from './qpid-address.ts'

const KNOWN_PROPERTY = /^(?:java\.naming\.|topic\.|queue\.|connectionfactory\.|property\.)/
const FACTORY = 'connectionfactory.'

/** Reads the connection plan; null where something is wrong, which is in the findings. */
export function readQpid(
  properties: JndiProperties,
  topicName: string,
  connectionFactoryName: string,
  findings: Findings,
): ConnectionPlan | null {
  for (const name of Object.keys(properties).filter((key) => !KNOWN_PROPERTY.test(key))) {
    findings.warning(
      property(name),
      `is not known and has no effect${findings.names.didYouMean(name, [FACTORY + connectionFactoryName])}`,
    )
  }
  if (properties['java.naming.provider.url'] !== undefined) {
    findings.warning(
      property('java.naming.provider.url'),
      `is the path of a properties file for Qpid JMS, and has no effect; addresses are those of ${FACTORY}<name>`,
    )
  }
  const destination = findDestination(properties, topicName, findings)
  const key = FACTORY + connectionFactoryName
  const address = properties[key] ?? ''
  if (address === '') {
    const names = Object.keys(properties).flatMap((name) =>
      name.startsWith(FACTORY) ? [name.slice(FACTORY.length)] : [],
    )
    const found = names.length === 0 ? 'none is defined' : `defined: ${names.join(', ')}`
    findings.problem(
      ['connectionFactoryName'],
      `expected a connection factory that contextProperties defines: add "${key}": "amqp://host:5672"; ${found}${findings.names.didYouMean(connectionFactoryName, names)}`,
    )
    return null
  }
  const connection = readQpidAddress(address, property(key), findings)
  if (connection === null || destination === null) return null
  const of = (name: string): string | null => properties[`property.${key}.${name}`] ?? null
  return {
    ...connection,
    destination: { ...destination, name: `${of(`${destination.kind}Prefix`) ?? ''}${destination.name}` },
    userName: of('username') ?? connection.userName ?? properties['java.naming.security.principal'] ?? null,
    password: of('password') ?? connection.password ?? properties['java.naming.security.credentials'] ?? null,
    clientId: of('clientID') ?? connection.clientId,
  }
}
