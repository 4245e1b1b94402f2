import type { JsonShape } from '#contracts'
import type { TextTarget } from '#durable-queue'
import type { JsonObject } from '#json'
import type { TopicFilter } from '../policies/filter-policies.ts'
import { type AccessEventData, type AccessNames, accessEvent } from './access-event.ts'
import type { AccessFields } from './access-fields.ts'
import { accessLine, idPosition } from './access-line.ts'

type Texts = readonly (string | undefined)[]

/** A format of the topic. */
export interface TopicFormat {
  format(event: JsonObject): string
  /** Set where texts are the JSON of the event. */
  readonly json: JsonShape | undefined
}

/** Formats access events, by the number of the format. */
interface AccessFormatter {
  /** Undefined where no handler with that format accepts the topic. */
  format(data: AccessEventData): Texts
  /** See `FormattedRecord.write`. */
  write(data: AccessEventData, format: number, target: TextTarget): boolean | null
  /** Position of the id in the first text; undefined where it has none there. */
  readonly idAt: number | undefined
}

/** Where the safelist applies and the format is JSON, events are written at once; otherwise they are built and filtered. */
export function accessFormatter(
  formats: readonly (TopicFormat | undefined)[],
  filter: TopicFilter,
  names: AccessNames,
  fields: AccessFields,
): AccessFormatter {
  const lines = formats.map((format) => {
    if (format === undefined) return null
    return filter.isSafelistOnly && format.json !== undefined ? accessLine(names, fields, format.json) : undefined
  })
  const json = filter.isSafelistOnly ? formats[0]?.json : undefined
  return {
    format: (data) => {
      const built = accessEvent(data, names, fields)
      const event = filter.isSafelistOnly ? built : filter.filter(built)
      return formats.map((format) => format?.format(event))
    },
    write: (data, format, target) => {
      const line = lines[format]
      if (line === null) return null
      return line === undefined ? false : line(data, target)
    },
    idAt: json === undefined ? undefined : idPosition(json),
  }
}
