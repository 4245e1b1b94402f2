import { basename, dirname, join } from 'node:path'
import { lineDigest } from '../chain/chain.ts'
import { findingsOf } from '../chain/chain-findings.ts'
import { type ChainHead, HEAD, readHead } from '../chain/chain-head.ts'
import { type ChainKey, type ChainSigner, chainSigner } from '../chain/chain-key.ts'
import type { ChainRecord, ParsedLine } from '../chain/chain-line.ts'
import { COMPRESSED } from '../files/topic-files.ts'
import { parse } from './file-start.ts'
import { type ChainSteps, type OpenedFile, type TrailSource, TrailSweep } from './trail-sweep.ts'

/** A location in a trail. */
interface TrailFinding {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly message: string
}

/** Result of a verification. */
export interface TrailReport {
  /** The first line that was changed, removed or added; null where the trail is intact. */
  readonly problem: TrailFinding | null
  /** Locations that are no proof of tampering, such as a line that a crash has truncated. */
  readonly notes: readonly TrailFinding[]
  /** Lines that were verified before the problem. */
  readonly lines: number
  /** Numbers of the first and the last of them in the chain, and of the last signed one. */
  readonly range: { readonly first: number; readonly last: number; readonly signed: number } | null
  /** Whether the problem is only that the last lines are not signed, as while a gateway writes. */
  readonly isEndUnsigned: boolean
}

/**
 * Verifies files of one topic, in any order, compressed or not, with any of the keys. A head among the files also shows
 * whether the first and the last of the lines are there; without one, the head beside the last file is used for its end. The files
 * may be written, rotated, compressed and removed by retention meanwhile; `pause` waits for their writer.
 */
export async function verifyTrail(
  files: readonly string[] | TrailSource,
  keys: readonly ChainKey[],
  pause: (milliseconds: number) => Promise<unknown> = async () => {},
): Promise<TrailReport> {
  const source = 'files' in files ? files : { files: async () => files, moved: async () => [] }
  const verification = new Verification(keys.map(chainSigner))
  await new TrailSweep(verification, source, pause).run()
  const { problem, notes, lines, range, isEndUnsigned } = verification
  return { problem, notes, lines, range, isEndUnsigned }
}

const NOT_CHAINED = 'this line was added or changed: it is not part of the chain'
/** Added where a trail shows no chain at all. */
const NEVER_CHAINED = ', or the file was written by an event handler without tamper evidence (`security`)'

interface HeldLine {
  readonly line: number
  readonly digest: string
  readonly reason: string
}

class Verification implements TrailReport, ChainSteps {
  problem: TrailFinding | null = null
  notes: TrailFinding[] = []
  lines = 0
  range: { first: number; last: number; signed: number } | null = null
  isEndUnsigned = false
  readonly #signers: readonly ChainSigner[]
  #signer: ChainSigner
  #hash = ''
  #last: ParsedLine | null = null
  #head: ChainHead | null = null

  constructor(signers: readonly ChainSigner[]) {
    this.#signers = signers
    this.#signer = signers[0] as ChainSigner
  }

  get head(): ChainHead | null {
    return this.#head
  }

  get expected(): number | null {
    return this.#last === null ? null : this.#last.number + 1
  }

  mark(): () => void {
    const { problem, notes, lines, range, isEndUnsigned } = this
    const state = { problem, notes: [...notes], lines, range, isEndUnsigned }
    const [signer, hash, last] = [this.#signer, this.#hash, this.#last]
    return () => {
      Object.assign(this, state)
      this.#signer = signer
      this.#hash = hash
      this.#last = last
    }
  }

  skipExpired(): void {
    this.#last = null
  }

  async verifyFile({ path, content, format }: OpenedFile, isStart: boolean): Promise<number> {
    let number = 0
    /** A line that is wrong, or not chained, unless the record after it accounts for it. */
    let held: HeldLine | null = null
    try {
      for await (const lines of content.lines()) {
        for (const line of lines) {
          number++
          const parsed = parse(line, format)
          const isFirst = number === (held === null ? 1 : 2)
          const skipped: string | null = held?.digest ?? null
          const isSkipped = parsed !== null && (parsed.record?.skipped ?? null) === skipped
          if (held !== null && !(isSkipped && this.#wrong(parsed, isFirst, isStart) === null)) {
            return this.#failHeld(path, held, parsed)
          }
          const reason = this.#reason(parsed, { isSkipped, isFirst, isStart })
          if (reason !== null) {
            held = { line: number, digest: lineDigest(line.bytes), reason }
            continue
          }
          if (!line.isWhole) return this.fail(path, number, 'the line end was removed')
          if (!this.#verifyOpening(parsed as ParsedLine, path, number, held)) return number
          held = null
          this.#accept(parsed as ParsedLine)
        }
      }
    } catch (error) {
      return this.fail(path, number + 1, `it can not be read further: ${(error as Error).message}`)
    }
    if (held !== null) return this.#failHeld(path, held, null)
    this.#verifyName(path, number)
    return number
  }

  #reason(
    line: ParsedLine | null,
    { isSkipped, isFirst, isStart }: { isSkipped: boolean; isFirst: boolean; isStart: boolean },
  ): string | null {
    if (line === null) return NOT_CHAINED + (isFirst && this.#last === null && this.#head === null ? NEVER_CHAINED : '')
    const wrong = this.#wrong(line, isFirst, isStart)
    if (wrong !== null) return wrong
    return isSkipped ? null : 'the line before this one was removed'
  }

  /** The line after a wrong one shows whether that was changed, or added. */
  #failHeld(path: string, { line, reason }: HeldLine, next: ParsedLine | null): number {
    const isAdded = next !== null && this.#last !== null && this.#isNext(next)
    return this.fail(path, line, isAdded ? 'this line was added' : reason)
  }

  /** Why a line can not follow; null where it does. */
  #wrong(line: ParsedLine, isFirst: boolean, isStart: boolean): string | null {
    const { number, record } = line
    if (isFirst && record === null) return 'the first line of the file was removed or changed'
    const expected = this.#last === null ? number : this.#last.number + 1
    if (this.#last === null) {
      const first = this.#head?.first ?? number
      if (isStart && number > first) return `${missing(first, number - 1)} before this line`
      if (record !== null) this.#hash = record.previous
    }
    if (number > expected) return `${missing(expected, number - 1)} before this line`
    if (number < expected) return `this line was added or changed: line ${expected} of the chain is expected here`
    if (!this.#isNext(line)) return 'this line was changed'
    if (this.#last?.record?.kind === 'close' && !isOpening(line))
      return 'this line was added: the gateway had ended before'
    if (this.#head?.number === number && this.#head.hash !== line.hash)
      return 'the chain is another than that of the head'
    return null
  }

  /** Whether hash and signature of a line are right. A key may be replaced where a writer starts. */
  #isNext(line: ParsedLine): boolean {
    const { record } = line
    if (this.#last !== null && line.number !== this.#last.number + 1) return false
    const signer = (isOpening(line) ? this.#signers : [this.#signer]).find((candidate) => {
      if (candidate.hash(this.#hash, line.covered, 'latin1') !== line.hash) return false
      return record === null || (record.previous === this.#hash && candidate.verify(line.hash, line.signature))
    })
    if (signer !== undefined) this.#signer = signer
    return signer !== undefined
  }

  #accept(line: ParsedLine): void {
    const first = this.#last === null ? line.number : (this.range?.first ?? line.number)
    const signed = line.record === null ? (this.range?.signed ?? 0) : line.number
    this.range = { first, last: line.number, signed }
    this.#last = line
    this.#hash = line.hash
    this.lines++
  }

  /** False where the record that opens a file says that the trail was changed before. */
  #verifyOpening({ record }: ParsedLine, file: string, number: number, held: HeldLine | null): boolean {
    if (record === null) return true
    const finding = findingsOf(record, this.#signers, this.#last)
    if (finding !== null) this.fail(file, record.kind === 'resume' ? (held?.line ?? number) : number, finding)
    else if (record.kind === 'resume') this.#note(record, file, number, held)
    return finding === null
  }

  #note(record: ChainRecord, file: string, number: number, held: HeldLine | null): void {
    if (held !== null) {
      const cause = record.isReopened ? 'by a write that failed' : 'by a crash'
      this.notes.push({ file, line: held.line, message: `this line was truncated ${cause}; it is no event` })
    } else if (this.#last !== null && this.#last.record?.kind !== 'close' && !record.isReopened) {
      const message = `the gateway was not stopped in order before ${record.time}: the last moments before may be missing`
      this.notes.push({ file, line: number, message })
    }
  }

  /** The last line of a rotated file holds the name of the file. */
  #verifyName(path: string, line: number): void {
    const record = this.#last?.record
    if (record?.kind !== 'rotate' || record.file === undefined) return
    const name = basename(path).replace(new RegExp(`\\${COMPRESSED}$`), '')
    if (name !== record.file) this.fail(path, line, `the file was renamed: it was rotated to ${record.file}`)
  }

  async verifyEnd(path: string, line: number, headPath: string | null): Promise<void> {
    const last = this.#last
    const isRotated = last?.record?.kind === 'rotate'
    if (headPath === null && !isRotated && this.#head === null) {
      const beside = join(dirname(path), `${basename(path)}${HEAD}`)
      if (!(await this.useHead(beside))) return
    }
    const reached = last?.number ?? (this.#head?.first ?? 1) - 1
    if (this.#head !== null && this.#head.number > reached) {
      this.fail(path, line + 1, `${missing(reached + 1, this.#head.number)} at the end`)
    } else if (last?.record === null) {
      this.isEndUnsigned = true
      const message =
        'the file ends without a checkpoint: lines after this one were removed, or the gateway was killed and not started since'
      this.fail(path, line, message)
    }
  }

  async useHead(path: string): Promise<boolean> {
    const head = await readHead(path, this.#signers)
    if (head !== null && typeof head !== 'string') {
      this.#head = this.#head === null ? head : { ...this.#head, first: head.first }
      return true
    }
    const reason = head ?? 'it was removed, so that nothing shows how many lines there were'
    this.fail(path, 1, `the head of the trail can not be trusted: ${reason}`)
    return false
  }

  forgetHead(): void {
    this.#head = null
  }

  async tryHead(path: string): Promise<void> {
    const head = await readHead(`${path}${HEAD}`, this.#signers)
    if (typeof head === 'object') this.#head ??= head
  }

  fail(file: string, line: number, message: string): number {
    this.problem ??= { file, line, message }
    return line
  }
}

/** Whether a line is the first that a process writes into a file. */
function isOpening({ record }: ParsedLine): boolean {
  return record?.kind === 'begin' || record?.kind === 'resume'
}

function missing(from: number, to: number): string {
  return from === to ? `line ${from} of the chain is missing` : `lines ${from} to ${to} of the chain are missing`
}
