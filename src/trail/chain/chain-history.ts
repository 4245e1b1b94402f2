import type { RotatedName } from '../files/topic-files.ts'
import { firstOfChain } from './chain-end.ts'
import type { ChainSigner } from './chain-key.ts'
import type { ChainFormat } from './chain-line.ts'

/** A rotated file of a chain. */
export interface HistoryFile extends RotatedName {
  /** Number of its first line. */
  readonly first: number
}

interface Start {
  readonly first: number
  /** Whether it begins with a record of the present secret. */
  readonly isSigned: boolean
}

/**
 * The rotated files that are history of a chain, which retention may remove. Others are not counted: with files of any content,
 * named like rotated ones, an intruder could have the gateway remove the true ones.
 */
export class ChainHistory {
  readonly #format: ChainFormat
  readonly #signer: ChainSigner
  /** By path: rotated files do not change. */
  #starts = new Map<string, Start | null>()

  constructor({ format, signer }: { readonly format: ChainFormat; readonly signer: ChainSigner }) {
    this.#format = format
    this.#signer = signer
  }

  /** Of rotated files, the oldest first. */
  async of(rotated: readonly RotatedName[]): Promise<readonly HistoryFile[]> {
    const starts = new Map<string, Start | null>()
    for (const { path } of rotated) {
      const known = this.#starts.get(path)
      starts.set(path, known === undefined ? await this.#start(path) : known)
    }
    this.#starts = starts
    const chained = rotated.flatMap((file) => {
      const start = starts.get(file.path) ?? null
      return start === null ? [] : [{ ...file, ...start }]
    })
    // Files of an older secret can not be verified, and are older than all of the present one.
    const oldest = chained.findIndex(({ isSigned }) => isSigned)
    const own = chained.filter(({ isSigned }, at) => isSigned || at < oldest || oldest === -1)
    const seen = new Set<number>()
    return own.filter(({ first }) => !seen.has(first) && seen.add(first))
  }

  async #start(path: string): Promise<Start | null> {
    const line = await firstOfChain(path, this.#format)
    if (line === null) return null
    const { number: first, hash, record, covered, signature } = line
    if (record === null) return { first, isSigned: false }
    const isHash = this.#signer.hash(record.previous, covered, 'latin1') === hash
    return { first, isSigned: isHash && this.#signer.verify(hash, signature) }
  }
}
