import { type ChainHead, HEAD } from '../chain/chain-head.ts'
import type { ChainFormat } from '../chain/chain-line.ts'
import { LineFile } from '../files/lines.ts'
import { fileStart } from './file-start.ts'
import { isSame, type ListedFile, TrailLister, type TrailListing } from './trail-listing.ts'

/** The files of a trail, as they are now. */
export interface TrailSource {
  /** The files to verify. */
  files(): Promise<readonly string[]>
  /** Other files of the same folders, where a file to verify may have been moved since. */
  moved(): Promise<readonly string[]>
}

/** A chain that is verified file by file. */
export interface ChainSteps {
  readonly problem: object | null
  readonly isEndUnsigned: boolean
  readonly range: { readonly last: number; readonly signed: number } | null
  readonly head: ChainHead | null
  /** Number of the next line; null where the chain may begin anywhere. */
  readonly expected: number | null
  /** The first head that was read says how far the chain has to come; later ones only where it begins. */
  useHead(path: string): Promise<boolean>
  forgetHead(): void
  /** A head that need not be there. */
  tryHead(path: string): Promise<void>
  /** The number of its lines. */
  verifyFile(file: OpenedFile, isStart: boolean): Promise<number>
  verifyEnd(path: string, line: number, headPath: string | null): Promise<void>
  /** The chain goes on after lines that retention has removed. */
  skipExpired(): void
  fail(file: string, line: number, message: string): number
  /** Returns a function that undoes all steps since. */
  mark(): () => void
}

export interface OpenedFile {
  readonly path: string
  readonly content: LineFile
  readonly format: ChainFormat
}

/** A problem that an honest writer may have caused meanwhile. */
interface Doubt {
  /** The file that explains it if that has changed; null where any change may. */
  readonly path: string | null
  readonly undo: () => void
}

/** A running gateway signs the end of a file within this time, in milliseconds. */
const SETTLE_TIME = 1_500
/** For a write or a rename that is under way. */
const SHORT_TIME = 100
/** A file moves twice at most, when it is rotated and when it is compressed: so many listings can miss it. */
const ATTEMPTS = 5

/**
 * Verifies a trail in the order of its lines while a gateway may write, rotate, compress and remove its files. Lines are looked
 * for by their numbers: one that is missing in a listing is in the next one under another name, unless the head says that
 * retention has removed it. A problem counts if nothing has changed that could explain it, or if it persists. Only lines that were
 * there at the beginning have to be verified, so that a trail that grows for ever has an end.
 */
export class TrailSweep {
  readonly #chain: ChainSteps
  readonly #source: TrailSource
  readonly #pause: (milliseconds: number) => Promise<unknown>
  readonly #lister = new TrailLister()
  /** First lines of the files that were verified. */
  readonly #verified = new Set<number>()
  #named: ReadonlySet<string> = new Set()
  #hasHead = false
  /** Files that begin after this line are newer than the sweep. */
  #limit: number | null = null
  #last: (ListedFile & { readonly lines: number; readonly undo: () => void }) | null = null
  #unsigned: number | null = null

  constructor(chain: ChainSteps, source: TrailSource, pause: (milliseconds: number) => Promise<unknown>) {
    this.#chain = chain
    this.#source = source
    this.#pause = pause
  }

  async run(): Promise<void> {
    let listing = await this.#list(false)
    let [furthest, restarts] = [0, 0]
    for (let attempt = 1; ; attempt++) {
      const doubt = await this.#pass(listing)
      if (doubt === null && (restarts === ATTEMPTS || !this.#isOutrun(listing))) return
      if (this.#reached > furthest) attempt = 1
      furthest = Math.max(furthest, this.#reached)
      if (attempt === ATTEMPTS) return
      await this.#pause(this.#chain.isEndUnsigned ? SETTLE_TIME : SHORT_TIME)
      const next = await this.#list(true)
      if (doubt !== null && isCertain(doubt, listing, next)) return
      doubt?.undo()
      const isUseless = this.#verified.size === 0 && (doubt === null || listing.head === null)
      if (isUseless && restarts++ < ATTEMPTS) this.#restart()
      listing = next
    }
  }

  /** How far the sweep has come: to the last file that was verified, or to the first that retention has left. */
  get #reached(): number {
    return Math.min(this.#limit ?? 0, Math.max(this.#chain.head?.first ?? 0, ...this.#verified))
  }

  /** Whether retention has removed all lines that were there, so that nothing was verified. */
  #isOutrun({ files }: TrailListing): boolean {
    return this.#verified.size === 0 && files.length > 0
  }

  async #list(isAgain: boolean): Promise<TrailListing> {
    const named = await this.#source.files()
    const moved = isAgain ? await this.#source.moved() : []
    this.#named = new Set(named)
    this.#hasHead = named.some((path) => path.endsWith(HEAD))
    return this.#lister.list([...new Set([...named, ...moved])])
  }

  /** Begins again with what is there now. */
  #restart(): void {
    this.#chain.forgetHead()
    this.#limit = null
  }

  /** Verifies the files that were not yet. */
  async #pass(listing: TrailListing): Promise<Doubt | null> {
    const undo = this.#chain.mark()
    if (listing.head !== null && !(await this.#chain.useHead(listing.head))) return { path: null, undo }
    const chained = listing.files.filter(({ first }) => first !== Number.POSITIVE_INFINITY)
    if (listing.head === null) await this.#chain.tryHead(chained.at(-1)?.path ?? '')
    this.#limit ??= Math.max(this.#chain.head?.number ?? 0, chained.at(-1)?.first ?? 0)
    const seen = new Set<number>()
    for (const file of listing.files) {
      const isSecond = seen.has(file.first)
      seen.add(file.first)
      if (!this.#isDue(file, isSecond)) continue
      const doubt = await this.#verify(file, listing.head !== null)
      if (doubt !== null) return doubt
    }
    return this.#verifyEnd(listing)
  }

  /** A second file with the same first line is one that was added. */
  #isDue({ path, first }: ListedFile, isSecond: boolean): boolean {
    const { expected, head } = this.#chain
    if (first !== Number.POSITIVE_INFINITY && first > (this.#limit as number)) return false
    if (this.#verified.has(first) && !isSecond) return false
    if (!this.#named.has(path)) return first === (expected ?? (this.#hasHead ? head?.first : null))
    // A compression may bring back a file that retention has removed at the same time.
    return !(expected !== null && head !== null && first < expected && first < head.first)
  }

  async #verify(listed: ListedFile, isStart: boolean): Promise<Doubt | null> {
    const { path, first } = listed
    const chain = this.#chain
    const undo = chain.mark()
    const { expected, head } = chain
    const isGap = first > (expected ?? head?.first ?? first)
    if (isGap && expected !== null && head !== null && first <= head.first) chain.skipExpired()
    const content = await LineFile.open(path)
    try {
      const start = content && (await fileStart(content))
      if (content === null || start?.first !== first) {
        chain.fail(path, 1, 'the file was removed or replaced while it was verified')
        return { path: null, undo }
      }
      const lines = await chain.verifyFile({ path, content, format: start.format }, isStart)
      if (chain.problem !== null) return { path: isGap ? null : path, undo }
      this.#verified.add(first)
      this.#last = { ...listed, lines, undo }
      return null
    } finally {
      await content?.close()
    }
  }

  async #verifyEnd({ files, head }: TrailListing): Promise<Doubt | null> {
    const chain = this.#chain
    const last = this.#last
    const path = last?.path ?? files.at(-1)?.path ?? head
    if (path === null) return null
    const undoEnd = chain.mark()
    // While an end was waited for, retention may have come past it.
    if (chain.expected !== null && chain.head !== null && chain.expected < chain.head.first) chain.skipExpired()
    await chain.verifyEnd(path, last?.lines ?? 0, head)
    if (chain.problem === null) return null
    if (chain.isEndUnsigned) {
      // What was the end before is signed now.
      if (this.#unsigned !== null && (chain.range?.signed ?? 0) >= this.#unsigned) {
        undoEnd()
        return null
      }
      this.#unsigned ??= chain.range?.last ?? null
    }
    const undo = () => {
      const undoAll = last?.undo ?? undoEnd
      undoAll()
      if (last !== null) this.#verified.delete(last.first)
    }
    return { path: null, undo }
  }
}

function isCertain({ path }: Doubt, { stamps: before }: TrailListing, { stamps: after }: TrailListing): boolean {
  if (path === null) return isSame(before, after)
  return before.has(path) && before.get(path) === after.get(path)
}
