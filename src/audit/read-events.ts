import { isPlainObject, type JsonObject, parseJson } from '#json'
import { type FileLine, followTrail, type MissedFiles, type ReadOrder, readTrail, type TrailFiles } from '#trail'

/** An event as it was read. */
export interface ReadEvent {
  readonly id: string
  readonly fields: JsonObject
  /** Length of its line. */
  readonly bytes: number
}

/** How a trail is read. */
interface ReadOptions {
  readonly order?: ReadOrder
  /** Only lines with this text are parsed. */
  readonly containing?: string
}

/** The events of a topic, some at a time. Lines that are no events are skipped: a crash may have truncated one. */
export async function* readEvents(
  files: TrailFiles,
  { order = 'newest first', containing = '' }: ReadOptions = {},
): AsyncGenerator<readonly ReadEvent[]> {
  for await (const lines of readTrail(files, order)) yield lines.flatMap((line) => eventIn(line, containing))
}

/** Events of a trail, whether they came after reading began, and what is missing before them. */
interface FollowedEvents {
  readonly events: readonly ReadEvent[]
  readonly isNew: boolean
  readonly missed?: MissedFiles
}

/** The events of the active file of a topic, and all that follow; ends never by itself. */
export async function* followEvents(files: TrailFiles, pause: () => Promise<unknown>): AsyncGenerator<FollowedEvents> {
  for await (const { lines, ...followed } of followTrail(files, pause)) {
    yield { ...followed, events: lines.flatMap((line) => eventIn(line)) }
  }
}

/** The event of a line; none for a line that is no event. */
function eventIn({ bytes }: FileLine, containing = ''): readonly ReadEvent[] {
  const text = bytes.toString('utf8')
  if (!text.includes(containing)) return []
  try {
    const value = parseJson(text)
    if (!isPlainObject(value)) return []
    // Members of tamper evidence are no part of the event; `_eventId` is the id in files for Elasticsearch.
    const { _chain: _, _eventId: eventId, ...fields } = value as JsonObject
    const id = fields['_id'] ?? eventId
    if (typeof id !== 'string' || id === '') return []
    return [{ id, fields: { ...fields, _id: id }, bytes: bytes.length }]
  } catch {
    return []
  }
}
