import type { JsonObject } from '#json'
import { ecsEvent } from './ecs.ts'
import { ocsfEvent } from './ocsf.ts'

/** Schemas in which events leave the gateway; `common` is the event itself. */
export const FORMAT_NAMES = ['common', 'ecs', 'ocsf'] as const

export type FormatName = (typeof FORMAT_NAMES)[number]

/** The event as an object of that schema. */
export function formatEvent(format: FormatName, topic: string, event: JsonObject): JsonObject {
  if (format === 'common') return event
  return format === 'ecs' ? ecsEvent(topic, event) : ocsfEvent(topic, event)
}
