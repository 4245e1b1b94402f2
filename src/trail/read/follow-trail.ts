import { JSON_CHAIN } from '../chain/chain-line.ts'
import { type FileLine, LineFile } from '../files/lines.ts'
import { COMPRESSED, type RotatedName } from '../files/topic-files.ts'
import { GrowingFile } from './growing-file.ts'
import { linesOf, type TrailFiles } from './read-trail.ts'

/** A file that is renamed while a folder is listed may be missing in the list; one is renamed twice at most. */
const LISTINGS = 3

/** Files that retention has removed before they were read. */
export interface MissedFiles {
  /** Names of those that were seen. */
  readonly names: readonly string[]
  /** Lines that they had, with the records of the chain; null without a chain: then it is not known whether there were more files. */
  readonly lines: number | null
}

/** Lines of a trail. */
interface FollowedLines {
  readonly lines: readonly FileLine[]
  /** False for those that were there when reading began. */
  readonly isNew: boolean
  /** What is missing before them. */
  readonly missed?: MissedFiles
}

/**
 * The lines of the active file of a topic, and all that follow, each once and in order, over any number of rotations; ends never
 * by itself.
 */
export async function* followTrail(files: TrailFiles, pause: () => Promise<unknown>): AsyncGenerator<FollowedLines> {
  const follower = new Follower(files)
  let isNew = false
  try {
    await follower.start()
    for (;;) {
      for await (const followed of follower.next()) yield { ...followed, isNew }
      if (!isNew && follower.isBegun) {
        yield { lines: [], isNew: true }
        isNew = true
      }
      if (follower.isAtEnd) await pause()
    }
  } finally {
    await follower.close()
  }
}

type Followed = Omit<FollowedLines, 'isNew'>

/** Reads the file after the last one that was read to its end. */
class Follower {
  readonly #files: TrailFiles
  /** The active file while it is read. */
  #active: GrowingFile | null = null
  /** The newest rotated file that is older than what is still to be read. */
  #position: RotatedName | null = null
  /** Rotated files after it that were listed: one that is gone before it is read is missed. */
  #found = new Map<string, RotatedName>()
  #isAtEnd = false
  #isBegun = false
  /** The next line is the first of another file. */
  #isFirst = false
  /** Number in the chain of the last line; null without a chain. */
  #number: number | null = null
  #gone: string[] = []
  #isUnsure = false

  constructor(files: TrailFiles) {
    this.#files = files
  }

  /** Whether a file was read, or there was none. */
  get isBegun(): boolean {
    return this.#isBegun
  }

  get isAtEnd(): boolean {
    return this.#isAtEnd
  }

  /** What is rotated now is not read. */
  async start(): Promise<void> {
    this.#position = (await this.#files.rotated()).at(-1) ?? null
  }

  async *next(): AsyncGenerator<Followed> {
    this.#isAtEnd = false
    if (this.#active === null) {
      const [rotated] = await this.#pending()
      if (rotated !== undefined) {
        yield* this.#readRotated(rotated)
        return
      }
      this.#active = await GrowingFile.open(this.#files.path)
      // A file that was rotated before this one was opened comes first.
      if ((await this.#pending()).length > 0) {
        await this.close()
        return
      }
    }
    yield* this.#readActive()
  }

  async close(): Promise<void> {
    const active = this.#active
    this.#active = null
    await active?.close()
  }

  async *#readActive(): AsyncGenerator<Followed> {
    const active = this.#active
    // Asked before the file is read: nothing is added to one that was rotated.
    const isCurrent = active === null || (await active.isAt(this.#files.path))
    if (active !== null) for await (const lines of active.read()) yield* this.#followed(lines)
    if (!isCurrent) await this.#leaveActive(active as GrowingFile)
    this.#isAtEnd = isCurrent
    this.#isBegun = true
  }

  /** The active file was rotated: the search goes on after its new name. */
  async #leaveActive(active: GrowingFile): Promise<void> {
    this.#isFirst = true
    const [rotated] = await this.#pending()
    if (rotated !== undefined && (await active.isFileOf(rotated.path))) this.#position = rotated
    // Retention removes the oldest first: files after this one may be gone too.
    else if (await active.isRemoved()) this.#isUnsure = true
    await this.close()
  }

  async *#readRotated(rotated: RotatedName): AsyncGenerator<Followed> {
    const { path, plainPath } = rotated
    const file = (await LineFile.open(path)) ?? (await LineFile.open(`${plainPath}${COMPRESSED}`))
    this.#position = rotated
    this.#isFirst = true
    if (file === null) {
      this.#gone.push(plainPath)
      return
    }
    try {
      for await (const lines of linesOf(file, path)) yield* this.#followed(lines)
      this.#isBegun = true
    } finally {
      await file.close()
    }
  }

  /** Rotated files that were not read, the oldest first. */
  async #pending(): Promise<readonly RotatedName[]> {
    for (let n = 0; n < LISTINGS; n++) {
      for (const name of await this.#files.rotated()) this.#found.set(name.plainPath, name)
    }
    const position = this.#position
    const pending = [...this.#found.values()].filter((name) => position === null || isAfter(name, position))
    this.#found = new Map(pending.map((name) => [name.plainPath, name]))
    return pending.sort((a, b) => (isAfter(a, b) ? 1 : -1))
  }

  *#followed(lines: readonly FileLine[]): Generator<Followed> {
    const [first] = lines
    if (first === undefined) return
    const missed = this.#isFirst ? this.#missedBefore(first) : null
    this.#isFirst = false
    // The last line of a file may be one that a crash has truncated.
    for (const line of lines.slice(-2)) this.#number = numberOf(line) ?? this.#number
    const chained = this.#files.isChained ? lines.filter((line) => numberOf(line) !== null) : lines
    yield missed === null ? { lines: chained } : { lines: chained, missed }
  }

  #missedBefore(line: FileLine): MissedFiles | null {
    const [names, isUnsure, last, number] = [this.#gone, this.#isUnsure, this.#number, numberOf(line)]
    this.#gone = []
    this.#isUnsure = false
    if (last !== null && number !== null) return number > last + 1 ? { names, lines: number - last - 1 } : null
    return names.length > 0 || isUnsure ? { names, lines: null } : null
  }
}

function isAfter(a: RotatedName, b: RotatedName): boolean {
  return a.date === b.date ? a.number > b.number : a.date > b.date
}

function numberOf({ bytes }: FileLine): number | null {
  return JSON_CHAIN.parse(bytes.toString('latin1'))?.number ?? null
}
