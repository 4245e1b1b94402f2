// The properties of ActiveMQ's initial context.
import type { ConnectionPlan } from '../producer-plan.ts'
import { readActiveMqAddress } from './activemq-address.ts'
import { findDestination, type JndiProperties } from './destination.ts'
import { type Findings, property } from './findings.ts'

/** Names of connection factories where `connectionFactoryNames` does not say otherwise. */
const DEFAULT_NAMES = ['ConnectionFactory', 'XAConnectionFactory', 'QueueConnectionFactory', 'TopicConnectionFactory']
const PROVIDER_URL = 'java.naming.provider.url'

/** Properties that are read, or have a meaning without effect here. */
const KNOWN_PROPERTY =
  /^(?:java\.naming\.|topic\.|queue\.|connection\.|connectionFactoryNames$|brokerURL$|userName$|password$|clientID$|xa$)/

/** Reads the connection plan; null where something is wrong, which is in the findings. */
export function readActiveMq(
  properties: JndiProperties,
  topicName: string,
  connectionFactoryName: string,
  findings: Findings,
): ConnectionPlan | null {
  for (const name of Object.keys(properties).filter((key) => !KNOWN_PROPERTY.test(key))) {
    findings.warning(property(name), 'is not known and has no effect')
  }
  const destination = findDestination(properties, topicName, findings)
  if (!isFactory(properties, connectionFactoryName, findings)) return null
  const [key, address] = addressOf(properties, connectionFactoryName)
  if (address === null) {
    findings.problem(
      ['contextProperties'],
      `expected "${PROVIDER_URL}": the address of the broker, like tcp://host:61616`,
    )
    return null
  }
  const connection = readActiveMqAddress(address, property(key), findings)
  if (connection === null || destination === null) return null
  const of = (name: string): string | null =>
    properties[`connection.${connectionFactoryName}.${name}`] ?? properties[name] ?? null
  return {
    ...connection,
    destination,
    // Properties are set on the factory after its address was read.
    userName: of('userName') ?? connection.userName ?? properties['java.naming.security.principal'] ?? null,
    password: of('password') ?? connection.password ?? properties['java.naming.security.credentials'] ?? null,
    clientId: of('clientID') ?? connection.clientId,
  }
}

function isFactory(properties: JndiProperties, name: string, findings: Findings): boolean {
  const listed = (properties['connectionFactoryNames'] ?? '').split(',').flatMap((item) => item.trim() || [])
  const names = listed.length === 0 ? DEFAULT_NAMES : listed
  if (names.includes(name)) return true
  const advice = listed.length === 0 ? `, or add "connectionFactoryNames": ${JSON.stringify(name)}` : ''
  findings.problem(
    ['connectionFactoryName'],
    `expected one of ${names.join(', ')}${advice} to contextProperties; got ${JSON.stringify(name)}${findings.names.didYouMean(name, names)}`,
  )
  return false
}

/** The property with the address of a factory, and the address. */
function addressOf(properties: JndiProperties, name: string): [key: string, address: string | null] {
  const keys = [`connection.${name}.brokerURL`, 'brokerURL', `connection.${name}.${PROVIDER_URL}`, PROVIDER_URL]
  const key = keys.find((candidate) => (properties[candidate] ?? '') !== '')
  return key === undefined ? [PROVIDER_URL, null] : [key, properties[key] as string]
}
