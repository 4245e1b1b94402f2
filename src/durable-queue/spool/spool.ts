import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '#files'
import type { SpoolPlan } from '../delivery/queue-bounds.ts'
import type { QueuedRecord } from '../delivery/transport.ts'
import { recoverJournals } from './recover-journals.ts'
import { SpoolLines } from './spool-lines.ts'
import { SpoolLock } from './spool-lock.ts'
import { isSegmentName, SegmentRemoved, SpoolSegment, segmentName } from './spool-segment.ts'

const MAX_SEGMENT_BYTES = 4 * 1024 * 1024
const POSITION = 'position'

/** No room for further lines within `maxBytes`. */
export class SpoolFull extends Error {
  readonly code = 'ESPOOLFULL'

  constructor() {
    super('the spool has reached its maximum size')
  }
}

/** Records read back. */
interface SpooledRecords {
  readonly records: readonly QueuedRecord[]
  readonly isReplayed: boolean
  /** Records that can not be read: the checksum of their line is wrong, or their file is gone or broken. */
  readonly unreadable: number
}

/**
 * Segment files of one queue, in the order of their names. Positions count the records that have come into memory:
 * a segment is removed when all of its records have, and those before its end were accepted.
 */
export class Spool {
  readonly #directory: string
  readonly #maxBytes: number
  readonly #segmentBytes: number
  readonly #lock: SpoolLock
  readonly #segments: SpoolSegment[]
  /** For one call of `write` at a time. */
  readonly #lines = new SpoolLines()
  /** Receives appended lines. */
  #current: SpoolSegment | null = null
  #lastNumber: number
  #bytes = 0
  #removing: Promise<void> | null = null
  /** Position of the first record that was not accepted. */
  #accepted = 0

  private constructor(plan: SpoolPlan, lock: SpoolLock, segments: SpoolSegment[]) {
    this.#directory = plan.directory
    this.#maxBytes = plan.maxBytes
    this.#segmentBytes = Math.min(MAX_SEGMENT_BYTES, Math.ceil(plan.maxBytes / 8))
    this.#lock = lock
    this.#segments = segments
    this.#lastNumber = lastNumberOf(segments)
    for (const { bytes } of segments) this.#bytes += bytes
  }

  /** Rejects with SpoolLocked, or the error of the file system. */
  static async open(plan: SpoolPlan, onUnreadable: (error: Error) => void): Promise<Spool> {
    await mkdir(plan.directory, { recursive: true, mode: 0o700 })
    const lock = await SpoolLock.acquire(plan.directory)
    try {
      const segments = await segmentsIn(plan.directory)
      const recovered = await recoverJournals(plan.directory, 1 + lastNumberOf(segments), onUnreadable)
      return new Spool(plan, lock, [...segments, ...recovered])
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  /** Size of all segments. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether records are on the disk that have not come into memory. */
  get hasUnread(): boolean {
    return this.#segments.some(({ isRead }) => !isRead)
  }

  /** Whether records of an earlier process have not come into memory. */
  get isReplaying(): boolean {
    return this.#segments.some(({ isReplayed, isRead }) => isReplayed && !isRead)
  }

  /** Records on the disk that have not come into memory; those of an earlier process are not known. */
  get unread(): number {
    let unread = 0
    for (const segment of this.#segments) unread += segment.unread
    return unread
  }

  /**
   * Stores records; resolves when they are on the disk. The result is called synchronously with the position after the last
   * of them where they are in memory too, with null where they have to be read back.
   */
  async write(records: readonly QueuedRecord[]): Promise<(end: number | null) => void> {
    const lines = this.#lines.encode(records)
    if (this.#bytes + lines.length > this.#maxBytes) throw new SpoolFull()
    const segment = await this.#writable()
    try {
      await segment.append(lines)
    } catch (error) {
      segment.isBusy = false
      await this.#abandon(segment, error instanceof SegmentRemoved)
      throw error
    }
    return (end) => {
      segment.isBusy = false
      segment.bytes += lines.length
      this.#bytes += lines.length
      if (end === null) {
        segment.unread += records.length
        return
      }
      segment.readBytes = segment.bytes
      segment.end = end
      segment.entered += records.length
    }
  }

  /** The next records that have not come into memory, at most `limit`; `position` is that of the first. */
  async read(position: number, limit: number): Promise<SpooledRecords> {
    const segment = this.#segments.find(({ isRead }) => !isRead)
    if (segment === undefined) return { records: [], isReplayed: false, unreadable: 0 }
    const { isReplayed } = segment
    try {
      const { lines, bytes } = await segment.read(limit)
      segment.readBytes += bytes
      const delivered = Math.max(0, Math.min(lines.length, segment.skip - segment.entered))
      const wanted = delivered === 0 ? lines : lines.slice(delivered)
      const records = wanted.filter((record) => record !== null)
      segment.entered += lines.length
      segment.end = position + records.length
      segment.unread -= isReplayed ? 0 : lines.length
      const missing = segment.isRead ? segment.unread : 0
      segment.unread -= missing
      return { records, isReplayed, unreadable: wanted.length - records.length + missing }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT' && code !== 'EIO') throw error
      this.#forget(segment)
      // The number of records in a segment of an earlier process is not known; the loss is counted nevertheless.
      return { records: [], isReplayed, unreadable: isReplayed ? 1 : segment.unread }
    }
  }

  /** Removes segments whose records were all accepted; `position` is that of the first record that was not. */
  release(position: number): void {
    this.#accepted = position
    if (this.#removing === null && isAccepted(this.#segments[0], position)) this.#removing = this.#remove()
  }

  /** Leaves the segments for the next process. `position`: of the first record that was not accepted. */
  async close(position: number): Promise<void> {
    await this.#removing
    this.release(position)
    await this.#removing
    await this.#current?.finish()
    const [first] = this.#segments
    const accepted = first === undefined ? 0 : Math.max(first.skip, first.entered - Math.max(0, first.end - position))
    if (first !== undefined && accepted > 0) {
      await writeFile(join(this.#directory, POSITION), `${first.name} ${accepted}`, { mode: 0o600 }).catch(() => {})
    }
    await this.#lock.release()
  }

  async #remove(): Promise<void> {
    for (let [first] = this.#segments; isAccepted(first, this.#accepted); [first] = this.#segments) {
      if (first === this.#current) this.#current = null
      try {
        await first.remove()
      } catch {
        // Its size stays counted, and the next call of `release` tries again.
        break
      }
      this.#forget(first)
    }
    this.#removing = null
  }

  async #writable(): Promise<SpoolSegment> {
    if (this.#current !== null && this.#current.bytes < this.#segmentBytes) {
      this.#current.isBusy = true
      return this.#current
    }
    await this.#current?.finish()
    this.#current = null
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
    const segment = new SpoolSegment(join(this.#directory, segmentName(++this.#lastNumber)))
    segment.isBusy = true
    try {
      await segment.create()
      await syncDirectory(segment.path)
    } catch (error) {
      await segment.remove().catch(() => {})
      throw error
    }
    this.#segments.push(segment)
    this.#current = segment
    return segment
  }

  /** After a failed write the segment is not appended to, since its end is unknown. */
  async #abandon(segment: SpoolSegment, isRemoved: boolean): Promise<void> {
    if (this.#current === segment) this.#current = null
    await segment.finish()
    if (!isRemoved && segment.bytes > 0) return
    if (segment.bytes === 0) this.#forget(segment)
    await segment.remove().catch(() => {})
  }

  #forget(segment: SpoolSegment): void {
    const at = this.#segments.indexOf(segment)
    if (at === -1) return
    this.#segments.splice(at, 1)
    this.#bytes -= segment.bytes
    if (this.#current === segment) this.#current = null
    void segment.finish()
  }
}

/** Whether all records of a segment came into memory and were accepted. */
function isAccepted(segment: SpoolSegment | undefined, position: number): segment is SpoolSegment {
  if (segment === undefined || segment.isBusy) return false
  return segment.isRead && segment.end <= position
}

function lastNumberOf(segments: readonly SpoolSegment[]): number {
  return Number.parseInt(segments.at(-1)?.name ?? '0', 10)
}

/** Segments of an earlier process. */
async function segmentsIn(directory: string): Promise<SpoolSegment[]> {
  const names = (await readdir(directory)).filter((name) => isSegmentName(name)).sort()
  const segments: SpoolSegment[] = []
  for (const name of names) {
    const path = join(directory, name)
    const stats = await lstat(path)
    if (stats.isFile()) segments.push(new SpoolSegment(path, stats.size))
  }
  const position = await readFile(join(directory, POSITION), 'utf8').catch(() => '')
  await rm(join(directory, POSITION), { force: true })
  const [name, accepted] = position.split(' ')
  const [first] = segments
  if (first !== undefined && first.name === name && Number(accepted) > 0) first.skip = Number(accepted)
  return segments
}
