import type { JsonShape } from '#contracts'
import type { JsonObject } from '#json'
import type { TopicFilter } from '../policies/filter-policies.ts'
import { type AccessEventData, type AccessNames, accessEvent } from './access-event.ts'
import type { AccessFields } from './access-fields.ts'
import { accessText } from './access-text.ts'

type Texts = readonly (string | undefined)[]

/** A format of the topic. */
export interface TopicFormat {
  format(event: JsonObject): string
  /** Set where texts are the JSON of the event. */
  readonly json: JsonShape | undefined
}

/**
 * Formats access events, by the number of the format; undefined where no handler with that format accepts the topic. Where the safelist
 * applies and the format is JSON, the text is written at once; otherwise the event is built and filtered.
 */
export function accessFormatter(
  formats: readonly (TopicFormat | undefined)[],
  filter: TopicFilter,
  names: AccessNames,
  fields: AccessFields,
): (data: AccessEventData) => Texts {
  const direct = formats.map((format) =>
    filter.isSafelistOnly && format?.json !== undefined ? accessText(names, fields, format.json) : undefined,
  )
  const needsEvent = formats.some((format, at) => format !== undefined && direct[at] === undefined)
  if (!needsEvent) return (data) => direct.map((text) => text?.(data))
  return (data) => {
    const built = accessEvent(data, names, fields)
    const event = filter.isSafelistOnly ? built : filter.filter(built)
    return formats.map((format, at) => direct[at]?.(data) ?? format?.format(event))
  }
}
