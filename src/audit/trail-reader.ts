import { isPlainObject, type JsonObject, parseJson } from '#json'
import { ChainedLines } from './chain/chained-lines.ts'
import { type FileLine, LineFile } from './files/lines.ts'
import { COMPRESSED, type TopicFiles } from './files/topic-files.ts'

/** An event as it was read. */
export interface ReadEvent {
  readonly id: string
  readonly fields: JsonObject
  /** Length of its line. */
  readonly bytes: number
}

/** The files of a topic. */
export type TrailFiles = Pick<TopicFiles, 'path' | 'rotated' | 'isChained'>

/** A file of a trail that can not be read to its end, such as a truncated compressed one. Events of the others are not known to be all. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'
}

/** How a trail is read. */
interface ReadOptions {
  /** Order of the files; the lines of each are read from its beginning. */
  readonly order?: 'newest first' | 'oldest first'
  /** Only lines with this text are parsed. */
  readonly containing?: string
}

/**
 * The events of a topic, some at a time, each file to where it ended when reading began. Lines that are no events are
 * skipped: a crash may have truncated one. Those of a tamper-evident trail are lines of its chain.
 */
export async function* readTrail(
  files: TrailFiles,
  { order = 'newest first', containing = '' }: ReadOptions = {},
): AsyncGenerator<readonly ReadEvent[]> {
  // The active file is opened before the others are listed. One that is rotated between is listed too, and recognised.
  const active = await LineFile.open(files.path)
  const events = (file: LineFile, path: string) => eventsOf(file, path, { containing, isChained: files.isChained })
  try {
    const rotated = (await files.rotated()).map(({ path }) => path)
    const isAscending = order === 'oldest first'
    if (!isAscending && active !== null) yield* events(active, files.path)
    for (const path of isAscending ? rotated : rotated.reverse()) {
      // A file may be compressed or expire meanwhile.
      const file = (await LineFile.open(path)) ?? (await LineFile.open(`${path}${COMPRESSED}`))
      if (file === null) continue
      try {
        if (file.identity !== active?.identity) yield* events(file, path)
      } finally {
        await file.close()
      }
    }
    if (isAscending && active !== null) yield* events(active, files.path)
  } finally {
    await active?.close()
  }
}

async function* eventsOf(
  file: LineFile,
  path: string,
  { containing, isChained }: { readonly containing: string; readonly isChained: boolean },
): AsyncGenerator<readonly ReadEvent[]> {
  const chained = isChained ? new ChainedLines() : null
  const read = (lines: readonly FileLine[]) => lines.flatMap((line) => eventIn(line, containing))
  for await (const lines of linesOf(file, path)) yield read(chained?.take(lines) ?? lines)
  if (chained !== null) yield read(chained.rest())
}

/** The lines of a file. One that can not be read to its end throws an error that names it. */
export async function* linesOf(file: LineFile, path: string): AsyncGenerator<readonly FileLine[]> {
  try {
    yield* file.lines()
  } catch (error) {
    const advice = 'restore the file, or move it to another folder to read the others'
    throw new UnreadableFileError(`${path} can not be read to its end: ${(error as Error).message}; ${advice}`)
  }
}

/** The event of a line; none for a line that is no event. */
export function eventIn({ bytes }: FileLine, containing = ''): readonly ReadEvent[] {
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
