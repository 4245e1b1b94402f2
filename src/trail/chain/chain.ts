import { createHash } from 'node:crypto'
import type { ChainPlan } from '../files/file-plan.ts'
import { type ChainSigner, chainSigner } from './chain-key.ts'
import {
  type ChainFormat,
  type ChainRecord,
  csvChain,
  JSON_CHAIN,
  type LineParts,
  NO_HASH,
  type RecordKind,
} from './chain-line.ts'

/** Number and hash of the last line of a chain. */
export interface ChainState {
  readonly number: number
  readonly hash: string
}

const START: ChainState = { number: 0, hash: NO_HASH }

/** The chain of a topic, as its writer continues it. */
export class Chain {
  readonly signer: ChainSigner
  readonly format: ChainFormat
  readonly #maxUnsigned: number
  readonly #now: () => number
  #state = START
  #unsigned = 0

  constructor({ key, csv, lines }: ChainPlan, header: string, now: () => number) {
    this.signer = chainSigner(key)
    this.format = csv === null ? JSON_CHAIN : csvChain(csv, header)
    this.#maxUnsigned = lines
    this.#now = now
  }

  get state(): ChainState {
    return this.#state
  }

  /** Lines since the last signed one. */
  get unsigned(): number {
    return this.#unsigned
  }

  /** Continues after the furthest of the known states. */
  adopt(states: readonly ChainState[]): void {
    this.#state = [this.#state, ...states].reduce((a, b) => (b.number > a.number ? b : a))
    this.#unsigned = 0
  }

  /** Lines to be written; the chain goes on from them when they are committed. A file of other columns has another format. */
  draft(lineEnd: string, format = this.format): ChainDraft {
    return new ChainDraft(this, { lineEnd, format, maxUnsigned: this.#maxUnsigned, now: this.#now })
  }

  commit(state: ChainState, unsigned: number): void {
    this.#state = state
    this.#unsigned = unsigned
  }
}

/** Lines of a chain that are not written yet. */
class ChainDraft {
  readonly #chain: Chain
  readonly #lineEnd: string
  readonly #format: ChainFormat
  readonly #maxUnsigned: number
  readonly #now: () => number
  readonly #lines: string[] = []
  #state: ChainState
  #unsigned: number
  #isSigned = false

  constructor(chain: Chain, options: { lineEnd: string; format: ChainFormat; maxUnsigned: number; now: () => number }) {
    this.#chain = chain
    this.#lineEnd = options.lineEnd
    this.#format = options.format
    this.#maxUnsigned = options.maxUnsigned
    this.#now = options.now
    this.#state = chain.state
    this.#unsigned = chain.unsigned
  }

  get text(): string {
    return this.#lines.join('')
  }

  /** Whether it has a signed record. */
  get isSigned(): boolean {
    return this.#isSigned
  }

  /** Text outside of the chain. */
  raw(text: string): void {
    this.#lines.push(text)
  }

  lines(texts: readonly string[]): void {
    for (const text of texts) {
      this.#add(this.#format.line(text, this.#state.number + 1), false)
      if (++this.#unsigned >= this.#maxUnsigned) this.record('checkpoint')
    }
  }

  record(kind: RecordKind, more: Omit<ChainRecord, 'kind' | 'time' | 'previous'> = {}): void {
    const record = { kind, time: new Date(this.#now()).toISOString(), previous: this.#state.hash, ...more }
    this.#add(this.#format.record(record, this.#state.number + 1), true)
    this.#unsigned = 0
    this.#isSigned = true
  }

  commit(): void {
    this.#chain.commit(this.#state, this.#unsigned)
  }

  #add({ beforeHash, afterHash, afterSignature }: LineParts, isRecord: boolean): void {
    const { signer } = this.#chain
    const end = this.#lineEnd.slice(0, -1)
    const hash = signer.hash(this.#state.hash, [beforeHash, afterHash, afterSignature, end], 'utf8')
    const signature = isRecord ? signer.sign(hash) : ''
    this.#lines.push(beforeHash, hash, afterHash, signature, afterSignature, this.#lineEnd)
    this.#state = { number: this.#state.number + 1, hash }
  }
}

/** SHA-256 of a line outside of the chain. */
export function lineDigest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url')
}
