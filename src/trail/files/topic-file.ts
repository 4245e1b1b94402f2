import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { JSON_CHAIN } from '../chain/chain-line.ts'
import { ChainedTopic } from '../chain/chained-topic.ts'
import { AppendFile } from './append-file.ts'
import { FileHeader, firstLine } from './file-header.ts'
import type { FilePlan } from './file-plan.ts'
import { type Line, lineBytes, lineSize, lineText } from './line-bytes.ts'
import { MAX_READ_LINE } from './lines.ts'
import { RotatedFiles } from './rotated-files.ts'
import { RotationSchedule } from './rotation-schedule.ts'
import { StepFailures } from './step-failures.ts'
import { TopicFiles } from './topic-files.ts'
import type { TrailClock, TrailEnv } from './trail-env.ts'

/** Bytes that the chain adds to a line, about. */
const CHAIN_BYTES = 128

/**
 * The files of one topic: an active one that grows, and rotated ones. For one writer. Calls are carried out one after the
 * other; rotated files are compressed in the background.
 */
export class TopicFile {
  readonly files: TopicFiles
  readonly #plan: FilePlan
  readonly #header: FileHeader
  readonly #clock: TrailClock
  readonly #schedule: RotationSchedule
  readonly #chained: ChainedTopic | null
  readonly #failures: StepFailures
  readonly #rotated: RotatedFiles
  #file: AppendFile | null = null
  /** Text to write before the next line: it ends a truncated line. */
  #prefix = ''
  /** The active file has a line that is no header. */
  #hasLines = false
  /** After a failure, on the monotonic clock. */
  #nextRotation = Number.NEGATIVE_INFINITY
  #last: Promise<unknown> = Promise.resolve()
  #syncTimer: NodeJS.Timeout | null = null
  #syncFailure: Error | null = null
  #checkTimer: NodeJS.Timeout | null = null
  #checking: Promise<void> | null = null

  constructor(plan: FilePlan, topic: string, env: TrailEnv) {
    this.files = new TopicFiles(plan, topic)
    this.#plan = plan
    this.#header = new FileHeader(plan.headers[topic] ?? '', plan.lineEnd)
    this.#clock = env.clock
    this.#schedule = new RotationSchedule(plan.rotation, env.clock)
    this.#chained =
      plan.chain === null
        ? null
        : new ChainedTopic(plan, plan.chain, { ...env, header: this.#header.text, files: this.files })
    this.#failures = new StepFailures(env.logger, env.events['step-failed'], this.files.path)
    this.#rotated = new RotatedFiles(this.files, plan, this.#chained, this.#failures)
  }

  /** Completes the work of an earlier process: truncated lines of a chain, compressions. Then checks times at intervals. */
  start(): Promise<void> {
    const { rotation, retention, checkInterval } = this.#plan
    const isTimed =
      rotation.times.length > 0 || rotation.interval < Number.POSITIVE_INFINITY || isLimited(retention.maxDiskSpace)
    if (isTimed || retention.minFreeSpace > 0) {
      this.#checkTimer = setInterval(() => void this.check(), checkInterval).unref()
    }
    return this.#serial(async () => {
      for (const path of await this.files.leftovers()) await rm(path, { force: true })
      if (this.#chained !== null && (await this.#chained.isBegun())) {
        await this.#open()
        await this.#write([])
      }
      this.#rotated.compress()
    })
  }

  /** Adds lines, to several files where one would be too large. Resolves when all are written; `onWritten` gets the number so far. */
  append(lines: readonly Line[], onWritten: (count: number) => void = () => {}): Promise<void> {
    return this.#serial(async () => {
      const failure = this.#syncFailure
      this.#syncFailure = null
      if (failure !== null) throw failure
      await this.#ensureCurrent()
      await this.#open()
      if (this.#hasLines && this.#schedule.isDue && (await this.#rotateIfPossible())) await this.#open()
      for (let at = 0; at < lines.length; ) {
        const part = this.#fitting(at === 0 ? lines : lines.slice(at))
        await this.#write(part)
        at += part.length
        onWritten(at)
        if (at < lines.length) await this.#open()
      }
      if (!this.#plan.keepOpen) await this.#close('checkpoint')
    })
  }

  /** Rotates by time, and removes files by the rules of retention. Never rejects. One at a time: an unresponsive disk queues no others. */
  check(): Promise<void> {
    this.#checking ??= this.#serial(async () => {
      if (this.#file !== null && this.#hasLines && this.#schedule.isDue) await this.#rotateIfPossible()
      await this.#retain()
      this.#failures.succeeded('check')
    })
      .catch((error) => this.#failures.failed('check', error))
      .finally(() => {
        this.#checking = null
      })
    return this.#checking
  }

  /** Signs the lines since the last signed one. */
  checkpoint(): Promise<void> {
    return this.#serial(async () => {
      if (this.#file !== null && this.#chained?.isUnsigned) await this.#writeRecord('checkpoint')
    }).catch((error) => this.#failures.failed('checkpoint', error))
  }

  /** Closes the file; the next line opens or creates it. */
  reopen(): Promise<void> {
    return this.#serial(() => this.#close('checkpoint'))
  }

  /** Ends the file as it is, and leaves a compression to the next start. Idempotent. */
  async close(): Promise<void> {
    if (this.#checkTimer !== null) clearInterval(this.#checkTimer)
    this.#rotated.stop()
    await this.#serial(() => this.#close('close'))
    await this.#rotated.compressed
  }

  /** Resolves when no compression runs. */
  get compressed(): Promise<void> {
    return this.#rotated.compressed
  }

  async #serial<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(run)
    this.#last = turn.catch(() => {})
    return turn
  }

  /** Closes a file that was removed, renamed or replaced by another; also one of a chain that has text of others. */
  async #ensureCurrent(): Promise<void> {
    if (this.#file === null) return
    if (!(await this.#file.isCurrent())) await this.#close('checkpoint')
    else if (this.#chained !== null && this.#file.hasGrown) await this.#close(null)
  }

  async #open(): Promise<void> {
    if (this.#file !== null) return
    for (;;) {
      const file = await AppendFile.open(this.files.path, this.#plan.mode)
      try {
        if (await this.#adopt(file)) {
          this.#file = file
          this.#schedule.start(file.size === 0 ? this.#clock.now() : file.begun)
          return
        }
        const target = await this.#rotated.nextName(this.#clock.now())
        if (this.#chained !== null) await this.#endOther(file, basename(target))
        await this.#rotated.add(target)
      } catch (error) {
        await file.close()
        throw error
      }
      await file.close()
    }
  }

  /** Prepares to continue a file; false where its lines are of another form, so that it has to be rotated first. */
  async #adopt(file: AppendFile): Promise<boolean> {
    this.#prefix = ''
    const tail = await file.tail(MAX_READ_LINE)
    const first = await this.#header.in(file)
    const isOther = !this.#header.matches(first)
    if (file.size > 0 && this.#header.isOnlyContent(tail, first, this.#chained !== null)) {
      await file.clear()
      return this.#adopt(file)
    }
    this.#hasLines = file.size > 0
    if (isOther) return false
    if (this.#chained !== null) return this.#chained.adopt(file, tail)
    if (JSON_CHAIN.parse(tail.line.toString('latin1')) !== null) return false
    if (tail.torn.length > 0) this.#prefix = '\n'
    if (file.size === 0) this.#prefix = this.#header.line
    return true
  }

  async #endOther(file: AppendFile, name: string): Promise<void> {
    const first = await firstLine(file.path)
    if (this.#header.matches(first)) return
    await this.#chained?.end(file, await file.tail(MAX_READ_LINE), { firstLine: first, name })
  }

  /** The first lines, as many as fit into the active file, or into the next one where that has no room; one at least. */
  #fitting(lines: readonly Line[]): readonly Line[] {
    const { maxFileSize } = this.#plan.rotation
    if (!isLimited(maxFileSize)) return lines
    const overhead = this.#plan.lineEnd.length + (this.#chained === null ? 0 : CHAIN_BYTES)
    const sizeAt = (at: number): number => lineSize(lines[at] as Line) + overhead
    const { size } = this.#file as AppendFile
    const used = this.#hasLines && size + sizeAt(0) <= maxFileSize ? size : this.#header.size
    let count = 1
    for (let total = used + sizeAt(0); count < lines.length; count++) {
      total += sizeAt(count)
      if (total > maxFileSize) break
    }
    return count === lines.length ? lines : lines.slice(0, count)
  }

  async #write(lines: readonly Line[]): Promise<void> {
    const { maxFileSize } = this.#plan.rotation
    let draft = this.#draft(lines)
    if (this.#hasLines && (this.#file as AppendFile).size + draft.bytes.length > maxFileSize) {
      if (await this.#rotateIfPossible()) await this.#open()
      // A rotation that failed may have added a record, from which the chain goes on.
      draft = this.#draft(lines)
    }
    if (draft.bytes.length === 0) return
    const file = this.#file as AppendFile
    await this.#appendBytes(draft.bytes, draft.isSigned)
    draft.commit(file.size)
    this.#prefix = ''
    this.#hasLines ||= lines.length > 0
    if (draft.isSigned) await this.#chained?.writeHead()
    this.#chained?.signLater(() => void this.checkpoint())
  }

  #draft(lines: readonly Line[]): { bytes: Uint8Array; isSigned: boolean; commit(size: number): void } {
    if (this.#chained !== null) {
      const { text, isSigned, commit } = this.#chained.draft(lines.map(lineText))
      return { bytes: Buffer.from(text, 'utf8'), isSigned, commit }
    }
    const bytes = lineBytes(lines, this.#plan.lineEnd)
    return {
      bytes: this.#prefix === '' ? bytes : Buffer.concat([Buffer.from(this.#prefix, 'utf8'), bytes]),
      isSigned: false,
      commit: () => {},
    }
  }

  async #appendBytes(bytes: Uint8Array, isSigned: boolean): Promise<void> {
    const file = this.#file as AppendFile
    try {
      await file.append(bytes)
      if (this.#plan.sync === 0 || isSigned) await file.sync()
      else this.#syncLater()
    } catch (error) {
      // The next attempt reads the end of the file again.
      this.#file = null
      await file.close().catch(() => {})
      throw error
    }
  }

  async #writeRecord(kind: 'checkpoint' | 'rotate' | 'close', file?: string): Promise<void> {
    if (this.#chained === null) return
    const opened = this.#file as AppendFile
    const draft = this.#chained.recordDraft(kind, { file })
    await this.#appendBytes(Buffer.from(draft.text, 'utf8'), true)
    draft.commit(opened.size)
    await this.#chained.writeHead()
  }

  #syncLater(): void {
    if (this.#syncTimer !== null || this.#plan.sync === Number.POSITIVE_INFINITY) return
    this.#syncTimer = setTimeout(() => {
      this.#syncTimer = null
      this.#serial(async () => this.#file?.sync()).catch((error) => {
        this.#syncFailure = error as Error
      })
    }, this.#plan.sync).unref()
  }

  /** False where the file has to grow on: lines are not lost because they can not be put into another file. */
  async #rotateIfPossible(): Promise<boolean> {
    if (this.#clock.monotonic() < this.#nextRotation) return false
    try {
      const target = await this.#rotated.nextName(this.#clock.now())
      await this.#writeRecord('rotate', basename(target))
      if (this.#file === null) throw new Error('the file is not open')
      await this.#file.sync()
      await this.#rotated.add(target)
      await this.#file.close()
      this.#file = null
      this.#failures.succeeded('rotation')
    } catch (error) {
      this.#failures.failed('rotation', error)
      this.#nextRotation = this.#clock.monotonic() + this.#plan.checkInterval
      return this.#file === null
    }
    this.#rotated.compress()
    await this.#retain().catch((error) => this.#failures.failed('retention', error))
    return true
  }

  #retain(): Promise<void> {
    return this.#rotated.retain(this.#file?.size ?? 0)
  }

  /** With a signed record at its end; null: without, where the file does not end with text of this process. */
  async #close(kind: 'checkpoint' | 'close' | null): Promise<void> {
    if (this.#syncTimer !== null) clearTimeout(this.#syncTimer)
    this.#syncTimer = null
    this.#chained?.stop()
    try {
      // The file may be closed since SIGHUP.
      if (kind === 'close' && this.#chained?.isUnended) await this.#open()
      if (this.#file === null) return
      if (kind === 'close' || (kind !== null && this.#chained?.isUnsigned)) await this.#writeRecord(kind)
      await this.#file?.sync()
    } catch (error) {
      this.#failures.failed('close', error)
    }
    const file = this.#file
    this.#file = null
    await file?.close().catch(() => {})
  }
}

function isLimited(value: number): boolean {
  return value !== Number.POSITIVE_INFINITY
}
