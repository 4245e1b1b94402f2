import { type FORMAT_NAMES, formatEvent } from '#audit'
import type { EventFormat } from '#contracts'
import type { JsonObject } from '#json'
import { jsonText } from '#logging'

/** Settings of events as JSON. */
interface JsonSettings {
  readonly format: (typeof FORMAT_NAMES)[number]
  /** Whether `_id` is named `_eventId`. */
  readonly elasticsearchCompatible: boolean
  /** Members after those of the event. */
  readonly members?: (topic: string) => JsonObject
}

/** The format of handlers whose events are JSON in one line. */
export function jsonFormat(name: string, { format, elasticsearchCompatible, members }: JsonSettings): EventFormat {
  const membersOf = members ?? (() => ({}))
  const key = `${name} ${format}${elasticsearchCompatible ? ' elasticsearch' : ''}`
  const forTopic: EventFormat['forTopic'] = ({ name: topic }) => {
    const added = membersOf(topic)
    if (format !== 'common') return (event) => jsonText({ ...formatEvent(format, topic, event), ...added })
    if (!elasticsearchCompatible) return (event) => jsonText({ ...event, ...added })
    return ({ _id: id, ...event }) => jsonText({ ...(id !== undefined && { _eventId: id }), ...event, ...added })
  }
  if (format !== 'common') return { key, forTopic }
  const idName = elasticsearchCompatible ? '_eventId' : '_id'
  return { key, forTopic, json: ({ name }) => ({ idName, members: membersOf(name) }) }
}
