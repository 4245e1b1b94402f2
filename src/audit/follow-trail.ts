import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { LineSplitter } from './files/lines.ts'
import { eventIn, type ReadEvent, type TrailFiles } from './trail-reader.ts'

const { O_RDONLY, O_NONBLOCK = 0 } = constants
const CHUNK_BYTES = 65_536

/** Events of the active file. */
interface FollowedEvents {
  readonly events: readonly ReadEvent[]
  /** False for those that were there when reading began. */
  readonly isNew: boolean
}

/** The events of the active file of a topic, and all that follow, also in the files after it; ends never by itself. */
export async function* followTrail(
  { path }: TrailFiles,
  pause: () => Promise<unknown>,
): AsyncGenerator<FollowedEvents> {
  let file: GrowingFile | null = null
  let isNew = false
  try {
    for (;;) {
      file ??= await GrowingFile.open(path)
      const isCurrent: boolean = file === null || (await file.isAt(path))
      if (file !== null) for await (const events of file.read()) yield { events, isNew }
      if (!isNew) yield { events: [], isNew: true }
      isNew = true
      if (isCurrent) await pause()
      else {
        // Read to its end: the file was rotated before, so nothing follows in it.
        await file?.close()
        file = null
      }
    }
  } finally {
    await file?.close()
  }
}

/** A file that is read as it grows. */
class GrowingFile {
  readonly #handle: FileHandle
  readonly #lines = new LineSplitter()
  #offset = 0

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  static async open(path: string): Promise<GrowingFile | null> {
    try {
      return new GrowingFile(await open(path, O_RDONLY | O_NONBLOCK))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }

  /** Whether the path leads to this file, and that was not truncated. */
  async isAt(path: string): Promise<boolean> {
    const [own, there] = await Promise.all([this.#handle.stat(), lstat(path).catch(() => null)])
    return there !== null && own.dev === there.dev && own.ino === there.ino && own.size >= this.#offset
  }

  async *read(): AsyncGenerator<readonly ReadEvent[]> {
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      const { bytesRead } = await this.#handle.read(chunk, 0, CHUNK_BYTES, this.#offset)
      if (bytesRead === 0) return
      this.#offset += bytesRead
      yield this.#lines.take(chunk.subarray(0, bytesRead)).flatMap((line) => eventIn(line))
    }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}
