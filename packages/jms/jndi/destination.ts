import type { Destination } from '../producer-plan.ts'
import { type Findings, property } from './findings.ts'

/** JNDI properties by name. */
export type JndiProperties = Readonly<Record<string, string>>

/**
 * The destination with a JNDI name: defined by `topic.<name>` or `queue.<name>`, or created by its name alone in the
 * contexts `dynamicTopics/` and `dynamicQueues/`.
 */
export function findDestination(properties: JndiProperties, name: string, findings: Findings): Destination | null {
  const [, context, dynamic] = /^dynamic(Topics|Queues)\/(.+)$/s.exec(name) ?? []
  if (dynamic !== undefined) return { kind: context === 'Topics' ? 'topic' : 'queue', name: dynamic }
  for (const kind of ['topic', 'queue'] as const) {
    const key = `${kind}.${name}`
    const value = properties[key]
    if (value === undefined) continue
    if (value !== '') return { kind, name: value }
    findings.problem(property(key), `expected the name of a ${kind} at the broker, got an empty text`)
    return null
  }
  const defined = Object.keys(properties).flatMap((key) => /^(?:topic|queue)\.(.+)$/s.exec(key)?.[1] ?? [])
  const found =
    defined.length === 0 ? 'contextProperties defines none' : `contextProperties defines ${defined.join(', ')}`
  findings.problem(
    ['topicName'],
    `expected a topic that contextProperties defines: add "topic.${name}": "<name at the broker>"; ${found}${findings.names.didYouMean(name, defined)}`,
  )
  return null
}
