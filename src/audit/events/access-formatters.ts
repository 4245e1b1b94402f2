import type { JsonShape } from '#contracts'
import type { JsonObject } from '#json'
import type { TopicFilter } from '../policies/filter-policies.ts'
import { type AccessEventData, type AccessNames, accessEvent } from './access-event.ts'
import type { AccessFields } from './access-fields.ts'
import { accessText, idPosition } from './access-text.ts'

type Texts = readonly (string | undefined)[]

/** A format of the topic. */
export interface TopicFormat {
  format(event: JsonObject): string
  /** Set where texts are the JSON of the event. */
  readonly json: JsonShape | undefined
}

/** Formats access events. */
interface AccessFormatter {
  /** By the number of the format; undefined where no handler with that format accepts the topic. */
  format(data: AccessEventData): Texts
  /** Position of the id in the first text; undefined where it has none there. */
  readonly idAt: number | undefined
}

/** Where the safelist applies and the format is JSON, the text is written at once; otherwise the event is built and filtered. */
export function accessFormatter(
  formats: readonly (TopicFormat | undefined)[],
  filter: TopicFilter,
  names: AccessNames,
  fields: AccessFields,
): AccessFormatter {
  const direct = formats.map((format) =>
    filter.isSafelistOnly && format?.json !== undefined ? accessText(names, fields, format.json) : undefined,
  )
  const [first] = direct
  const json = first === undefined ? undefined : formats[0]?.json
  const idAt = json === undefined ? undefined : idPosition(json)
  const needsEvent = formats.some((format, at) => format !== undefined && direct[at] === undefined)
  if (first !== undefined && direct.length === 1) return { format: (data) => [first(data)], idAt }
  if (!needsEvent) return { format: (data) => direct.map((text) => text?.(data)), idAt }
  return {
    format: (data) => {
      const built = accessEvent(data, names, fields)
      const event = filter.isSafelistOnly ? built : filter.filter(built)
      return formats.map((format, at) => direct[at]?.(data) ?? format?.format(event))
    },
    idAt,
  }
}
