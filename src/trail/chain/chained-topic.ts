import { lstat } from 'node:fs/promises'
import type { AppendFile, FileTail } from '../files/append-file.ts'
import type { ChainPlan, FilePlan } from '../files/file-plan.ts'
import type { TopicFiles } from '../files/topic-files.ts'
import type { TrailEnv } from '../files/trail-env.ts'
import { Chain } from './chain.ts'
import { type ChainEnd, chainEnd, firstOfChain } from './chain-end.ts'
import type { Finding } from './chain-findings.ts'
import { ChainHistory, type HistoryFile } from './chain-history.ts'
import { type ChainFormat, chainFormatOf, type RecordKind } from './chain-line.ts'
import { type Opening, openingOf } from './chain-opening.ts'
import { OwnEnd } from './own-end.ts'
import { TopicHead } from './topic-head.ts'
import { takeOver } from './trail-takeover.ts'

/** The chain of a topic over its files, and the head beside them. */
export class ChainedTopic {
  readonly history: ChainHistory
  readonly #chain: Chain
  readonly #plan: ChainPlan
  readonly #form: { readonly header: string; readonly lineEnd: string }
  readonly #files: TopicFiles
  readonly #head: TopicHead
  readonly #env: TrailEnv
  readonly #own = new OwnEnd()
  #opening: (Opening & { readonly isReopened: boolean }) | null = null
  /** Found since the last record that opened a file. */
  #findings = new Set<Finding>()
  #rejected: string | null = null
  readonly #logged = new Set<Finding>()
  #isEnded = false
  #timer: NodeJS.Timeout | null = null

  constructor(
    { mode, lineEnd }: Pick<FilePlan, 'mode' | 'lineEnd'>,
    plan: ChainPlan,
    { header, files, ...env }: TrailEnv & { header: string; files: TopicFiles },
  ) {
    this.#chain = new Chain(plan, header, () => env.clock.now())
    this.history = new ChainHistory(this.#chain)
    this.#plan = plan
    this.#form = { header, lineEnd }
    this.#files = files
    this.#env = env
    this.#head = new TopicHead(files.path, this.#chain.signer, mode, env)
  }

  get isUnsigned(): boolean {
    return this.#chain.unsigned > 0
  }

  /** Whether this process has written, and no record of its end. */
  get isUnended(): boolean {
    return this.#own.isKnown && !this.#isEnded
  }

  /** Whether there is a file to continue. */
  async isBegun(): Promise<boolean> {
    return lstat(this.#files.path).then(
      (stats) => stats.isFile() && stats.size > 0,
      () => false,
    )
  }

  /** Continues the chain in a file that was opened; false where its last line is not part of a chain. */
  async adopt(file: AppendFile, tail: FileTail): Promise<boolean> {
    const { format, signer } = this.#chain
    const end = chainEnd(tail, format, signer)
    const { header } = this.#form
    const isHeader = header !== '' && tail.line.toString('utf8').replace(/\r$/, '') === header
    const isOther = file.size > 0 && end.last === null && tail.line.length > 0 && !isHeader
    // The trail is taken over when the file that follows this one is opened.
    if (isOther && !this.#own.isKnown) return false
    await this.#continue(file, tail, end)
    return !isOther
  }

  /**
   * Ends a file of other columns before it is rotated: a kill may have left it without a signed end. Without effect on a
   * file whose last line is not chained.
   */
  async end(file: AppendFile, tail: FileTail, { firstLine, name }: { firstLine: Buffer; name: string }): Promise<void> {
    const format = chainFormatOf(firstLine.toString('latin1'))
    if (format === null) return
    const end = chainEnd(tail, format, this.#chain.signer)
    if (end.last === null) return
    await this.#continue(file, tail, end)
    const draft = this.recordDraft('rotate', { file: name, format })
    await file.append(Buffer.from(draft.text, 'utf8'))
    await file.sync()
    draft.commit(file.size)
    await this.writeHead()
  }

  async #continue(file: AppendFile, tail: FileTail, end: ChainEnd): Promise<void> {
    const isReopened = this.#own.isKnown
    if (isReopened) await this.#reopen(file, tail, end)
    else await this.#takeOver(end)
    const { size } = file
    this.#opening = { ...openingOf({ ...end, size, torn: tail.torn }, this.#form), isReopened }
  }

  /** The trail of an earlier process. */
  async #takeOver(end: ChainEnd): Promise<void> {
    const { head, states, first, isNew, findings, rejected } = await takeOver(this.#files, end, this.#chain)
    this.#findings = new Set(findings.keys())
    for (const [finding, more] of findings) this.#log(finding, more)
    this.#rejected = rejected
    this.#chain.adopt(states)
    this.#head.adopt(head, first)
    if (isNew) await this.#head.begin()
  }

  /** The own trail, after SIGHUP or a failed write. */
  async #reopen(file: AppendFile, tail: FileTail, { last }: ChainEnd): Promise<void> {
    if (await this.#own.isOf(file, tail)) this.#chain.adopt(last === null ? [] : [last])
    else {
      this.#findings.add('text-added')
      this.#log('text-added', {})
    }
    this.#own.reopened(file.size)
  }

  #log(finding: Finding, more: object): void {
    if (this.#logged.has(finding)) return
    this.#logged.add(finding)
    const file = finding === 'head-missing' || finding === 'head-rejected' ? this.#head.path : this.#files.path
    this.#env.logger.error({ file, ...more }, this.#env.events[finding])
  }

  /** Texts as lines of the chain. */
  draft(texts: readonly string[]) {
    const draft = this.#opened(this.#chain.format)
    draft.lines(texts)
    return this.#committing(draft)
  }

  recordDraft(
    kind: Exclude<RecordKind, 'begin' | 'resume'>,
    { file, format = this.#chain.format }: { file?: string | undefined; format?: ChainFormat } = {},
  ) {
    const draft = this.#opened(format)
    draft.record(kind, file === undefined ? {} : { file })
    return this.#committing(draft, kind === 'close')
  }

  /** A draft that begins with the record that the opened file still needs. */
  #opened(format: ChainFormat): ReturnType<Chain['draft']> {
    const draft = this.#chain.draft(this.#form.lineEnd, format)
    if (this.#opening === null) return draft
    const { text, kind, ...more } = this.#opening
    draft.raw(text)
    const found = this.#findings.size === 0 ? {} : { found: [...this.#findings].join() }
    draft.record(kind, { ...more, ...found, ...(this.#rejected !== null && { head: this.#rejected }) })
    return draft
  }

  #committing(draft: ReturnType<Chain['draft']>, isEnd = false) {
    this.#own.attempt(draft.text)
    return {
      text: draft.text,
      isSigned: draft.isSigned,
      /** The lines are in the file, which has this size now. */
      commit: (size: number) => {
        draft.commit()
        this.#own.written(size)
        this.#isEnded = isEnd
        if (this.#opening === null) return
        if (this.#opening.kind === 'begin') this.#head.fileBegun()
        this.#opening = null
        this.#findings.clear()
        this.#logged.clear()
        this.#rejected = null
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

  /** Records how far the chain has come. */
  writeHead(): Promise<void> {
    return this.#head.write(this.#chain.state)
  }

  /** Other files are about to be removed by retention: the head records the new first line. */
  async retain(left: readonly HistoryFile[]): Promise<void> {
    const active = left.length > 0 ? null : await firstOfChain(this.#files.path, this.#chain.format)
    const next = active?.number ?? this.#chain.state.number + 1
    await this.#head.retain(left.reduce((least, { first }) => Math.min(least, first), next))
  }
}
