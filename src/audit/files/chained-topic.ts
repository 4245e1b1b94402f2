import { lstat } from 'node:fs/promises'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import type { FileTail } from './append-file.ts'
import { Chain, type ChainState, lineDigest } from './chain.ts'
import { type ChainHead, HEAD, readHead, writeHead } from './chain-head.ts'
import type { ParsedLine, RecordKind } from './chain-line.ts'
import type { ChainPlan, FilePlan } from './file-plan.ts'
import { readLines } from './lines.ts'
import { EVENTS } from './log-events.ts'
import type { TopicFiles } from './topic-files.ts'

/** The first record of an opened file: it begins the file, or continues it. */
interface Opening {
  /** Text outside of the chain that the record covers, with its line end. */
  readonly text: string
  readonly kind: 'begin' | 'resume'
  readonly skipped?: string
}

/** The chain of a topic over its files, and the head beside them. */
export class ChainedTopic {
  readonly #chain: Chain
  readonly #plan: ChainPlan
  readonly #header: string
  readonly #files: TopicFiles
  readonly #mode: number
  readonly #lineEnd: string
  readonly #headPath: string
  readonly #logger: Logger
  #opening: Opening | null = null
  #head: ChainHead | null = null
  #first = 1
  #timer: NodeJS.Timeout | null = null
  #isHeadFailing = false

  constructor(
    { mode, lineEnd }: Pick<FilePlan, 'mode' | 'lineEnd'>,
    plan: ChainPlan,
    { header, files, logger, clock }: { header: string; files: TopicFiles; logger: Logger; clock: Clock },
  ) {
    this.#chain = new Chain(plan, header, () => clock.now())
    this.#plan = plan
    this.#header = header
    this.#files = files
    this.#mode = mode
    this.#lineEnd = lineEnd
    this.#headPath = `${files.path}${HEAD}`
    this.#logger = logger
  }

  get isUnsigned(): boolean {
    return this.#chain.unsigned > 0
  }

  /** Whether there is a file to continue. */
  async isBegun(): Promise<boolean> {
    return lstat(this.#files.path).then(
      (stats) => stats.isFile() && stats.size > 0,
      () => false,
    )
  }

  /** Continues the chain in a file that was opened; false where its last line is not part of a chain. */
  async adopt(size: number, { line, torn }: FileTail): Promise<boolean> {
    const { format } = this.#chain
    const lastWhole = line.length === 0 ? null : format.parse(line.toString('latin1'))
    const unended = lastWhole === null ? null : format.parse(torn.toString('latin1'))
    // Only the line end is missing.
    const isComplete = unended !== null && this.#follows(unended, lastWhole as ParsedLine)
    const last = isComplete ? unended : lastWhole
    const isHeader = this.#header !== '' && line.toString('utf8').replace(/\r$/, '') === this.#header
    if (size > 0 && last === null && line.length > 0 && !isHeader) return false
    const head = await this.#readHead()
    const states: ChainState[] = [head, last].filter((state) => state !== null)
    if (this.#chain.state.number === 0 && states.length === 0) states.push(...(await this.#lastRotated()))
    this.#chain.adopt(states)
    if (last !== null && head !== null && last.number < head.number && this.#head === null) {
      this.#logger.error({ file: this.#files.path, lines: head.number - last.number }, EVENTS.CHAIN_TRUNCATED)
    }
    this.#head = head
    this.#first = head?.first ?? this.#first
    this.#opening = isComplete ? { text: '\n', kind: 'resume' } : this.#openingOf(size, torn, last)
    return true
  }

  #follows(line: ParsedLine, previous: ParsedLine): boolean {
    return this.#chain.signer.hash(previous.hash, line.covered, 'latin1') === line.hash
  }

  #openingOf(size: number, torn: Buffer, last: ParsedLine | null): Opening {
    if (torn.length > 0 && size > 0) return { text: '\n', kind: 'resume', skipped: lineDigest(torn) }
    if (last !== null) return { text: '', kind: 'resume' }
    if (this.#header === '') return { text: '', kind: 'begin' }
    const line = `${this.#header}${this.#lineEnd}`
    return { text: size > 0 ? '' : line, kind: 'begin', skipped: lineDigest(Buffer.from(line.slice(0, -1))) }
  }

  /** Events as lines of the chain. */
  draft(texts: readonly string[]) {
    const draft = this.#opened()
    draft.events(texts)
    return this.#committing(draft)
  }

  recordDraft(kind: Exclude<RecordKind, 'begin' | 'resume'>, file?: string) {
    const draft = this.#opened()
    draft.record(kind, file === undefined ? {} : { file })
    return this.#committing(draft)
  }

  /** A draft that begins with the record that the opened file still needs. */
  #opened(): ReturnType<Chain['draft']> {
    const draft = this.#chain.draft(this.#lineEnd)
    if (this.#opening === null) return draft
    const { text, kind, skipped } = this.#opening
    draft.raw(text)
    draft.record(kind, skipped === undefined ? {} : { skipped })
    return draft
  }

  #committing(draft: ReturnType<Chain['draft']>) {
    return {
      text: draft.text,
      isSigned: draft.isSigned,
      commit: () => {
        draft.commit()
        this.#opening = null
      },
    }
  }

  /** Calls back in time for the next checkpoint. */
  signLater(onDue: () => void): void {
    if (this.#timer !== null || !this.isUnsigned) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      onDue()
    }, this.#plan.interval).unref()
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  /** Records how far the chain has come. A failure leaves the head behind, until the next checkpoint. */
  async writeHead(): Promise<void> {
    const head = { ...this.#chain.state, first: this.#first }
    try {
      await writeHead(this.#headPath, head, this.#chain.signer, this.#mode)
      this.#head = head
      this.#isHeadFailing = false
    } catch (error) {
      if (!this.#isHeadFailing) this.#logger.warn({ error, file: this.#headPath, step: 'head' }, EVENTS.STEP_FAILED)
      this.#isHeadFailing = true
    }
  }

  /** Other files are about to be removed by retention: the head records the new first line. */
  async retain(paths: readonly string[]): Promise<void> {
    this.#first = (await this.#firstNumber([...paths, this.#files.path])) ?? this.#chain.state.number + 1
    if (this.#head === null) return
    const head = { ...this.#head, first: this.#first }
    await writeHead(this.#headPath, head, this.#chain.signer, this.#mode)
    this.#head = head
  }

  /** Number of the first line of a chain in files; null where they have none. */
  async #firstNumber(paths: readonly string[]): Promise<number | null> {
    for (const path of paths) {
      for await (const lines of readLines(path)) {
        const parsed = lines.map(({ bytes }) => this.#chain.format.parse(bytes.toString('latin1')))
        const found = parsed.find((line) => line !== null)
        if (found !== undefined) return found.number
      }
    }
    return null
  }

  async #readHead(): Promise<ChainHead | null> {
    const head = await readHead(this.#headPath, [this.#chain.signer])
    if (typeof head !== 'string') return head
    this.#logger.error({ file: this.#headPath, reason: head }, EVENTS.CHAIN_HEAD_REJECTED)
    return null
  }

  /** The last line of the newest rotated file, where the head is missing. */
  async #lastRotated(): Promise<readonly ChainState[]> {
    const path = (await this.#files.rotated()).at(-1)?.path
    if (path === undefined) return []
    let last: ParsedLine | null = null
    for await (const lines of readLines(path)) {
      for (const { bytes } of lines) last = this.#chain.format.parse(bytes.toString('latin1')) ?? last
    }
    return last === null ? [] : [last]
  }
}
