import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { isPlainObject, type JsonObject, parseJson } from '#json'
import { MAX_LINE_BYTES } from './event.ts'
import type { TrailFile } from './trail-file.ts'

/** An event as it was read. */
export interface ReadEvent {
  readonly id: string
  readonly fields: JsonObject
}

const CHUNK_BYTES = 65_536
const LINE_END = 0x0a

/**
 * The events of a trail, some at a time: the newest file first, each from its beginning to where it ended when reading
 * began. Lines that are no events are passed over: a crash may have cut one. Where only lines with a certain text are
 * wanted, others are not taken apart.
 */
export async function* readTrail(trail: TrailFile, containing = ''): AsyncGenerator<readonly ReadEvent[]> {
  // The growing file is opened before the others are listed. One that is put aside between is met twice, and known by its number.
  const growing = await openIfThere(trail.path)
  const seen = new Set<number>()
  try {
    if (growing !== null) yield* readEvents(growing, seen, containing)
  } finally {
    await growing?.close()
  }
  for (const path of [...(await trail.aside())].reverse()) {
    const file = await openIfThere(path)
    try {
      if (file !== null) yield* readEvents(file, seen, containing)
    } finally {
      await file?.close()
    }
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants
  try {
    return await open(path, O_RDONLY | O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function* readEvents(
  file: FileHandle,
  seen: Set<number>,
  containing: string,
): AsyncGenerator<readonly ReadEvent[]> {
  const stats = await file.stat()
  if (!stats.isFile() || seen.has(stats.ino)) return
  seen.add(stats.ino)
  const lines = new Lines()
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let at = 0; at < stats.size; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(CHUNK_BYTES, stats.size - at), at)
    if (bytesRead === 0) break
    at += bytesRead
    yield eventsIn(lines.take(chunk.subarray(0, bytesRead)), containing)
  }
  yield eventsIn(lines.rest(), containing)
}

/** Assembles the lines of a file; a line over the limit is dropped. */
class Lines {
  #begun: Buffer[] = []
  #length = 0

  /** The lines that end in this part. */
  take(part: Buffer): string[] {
    const ended: string[] = []
    let from = 0
    for (;;) {
      const end = part.indexOf(LINE_END, from)
      if (end === -1) break
      this.#keep(part.subarray(from, end))
      ended.push(...this.rest())
      from = end + 1
    }
    // Copied, since the part is read into again.
    this.#keep(Buffer.from(part.subarray(from)))
    return ended
  }

  /** The line that has begun, if it holds anything. */
  rest(): string[] {
    const line = this.#length > MAX_LINE_BYTES ? '' : Buffer.concat(this.#begun).toString('utf8')
    this.#begun = []
    this.#length = 0
    return line === '' ? [] : [line]
  }

  #keep(bytes: Buffer): void {
    this.#length += bytes.length
    if (this.#length > MAX_LINE_BYTES) this.#begun = []
    else this.#begun.push(bytes)
  }
}

function eventsIn(lines: readonly string[], containing: string): readonly ReadEvent[] {
  return lines.flatMap((line) => {
    if (!line.includes(containing)) return []
    try {
      const fields = parseJson(line)
      if (!isPlainObject(fields)) return []
      const { _id: id } = fields as JsonObject
      return typeof id === 'string' && id !== '' ? [{ id, fields: fields as JsonObject }] : []
    } catch {
      return []
    }
  })
}
