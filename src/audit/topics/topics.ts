import type { AuditTopic } from '#contracts'
import { CONFIG_TOPIC } from '../config-event.ts'
import type { AccessNames } from '../events/access-event.ts'
import { ACCESS_SAFELIST, ACCESS_TOPIC, accessTopicOf } from './access-topic.ts'
import { NOTIFICATIONS_TOPIC } from './notifications-topic.ts'
import { type CustomTopic, EVENT_FIELDS } from './topic-schemas.ts'

/** A topic with the fields that are written without a policy. */
export interface WrittenTopic {
  readonly topic: AuditTopic
  /** Pointers relative to the event. */
  readonly safelist: readonly string[]
  /** Pointers that the schema file excludes. */
  readonly excludeIf: readonly string[]
  /** Whether events come from configuration and are checked; those of the gateway itself fit by construction. */
  readonly isCustom: boolean
}

const EVERYTHING = ['']

/** The topics of the gateway itself, by name. */
const BUILT_IN: ReadonlyMap<string, WrittenTopic> = new Map(
  [
    { topic: ACCESS_TOPIC, safelist: ACCESS_SAFELIST },
    { topic: { name: 'config', schema: CONFIG_TOPIC.schema }, safelist: EVERYTHING },
    { topic: NOTIFICATIONS_TOPIC, safelist: EVERYTHING },
  ].map(({ topic, safelist }) => [topic.name, { topic, safelist, excludeIf: [], isCustom: false }]),
)

/** The topic of a name: one of the gateway, or one with a schema file; null for an unknown one. */
export function findTopic(
  name: string,
  custom: ReadonlyMap<string, CustomTopic>,
  { group }: AccessNames,
): WrittenTopic | null {
  const builtIn = BUILT_IN.get(name)
  if (builtIn?.topic === ACCESS_TOPIC) return { ...builtIn, topic: accessTopicOf(group) }
  if (builtIn !== undefined) return builtIn
  const topic = custom.get(name)
  if (topic === undefined) return null
  const safelist = [...EVENT_FIELDS.map((field) => `/${field}`), ...topic.includeIf]
  return { topic, safelist, excludeIf: topic.excludeIf, isCustom: true }
}

/** Why filters and scripts can not send events of a topic with any service; null where they can. */
export function ownTopicProblem(name: string): string | null {
  if (!BUILT_IN.has(name)) return null
  return `only the gateway itself writes the topic "${name}"; send the event to a custom topic, which has a schema file`
}

/** The topics of the gateway itself. */
export const BUILT_IN_TOPICS: readonly AuditTopic[] = [...BUILT_IN.values()].map(({ topic }) => topic)
