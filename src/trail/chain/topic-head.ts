import { basename } from 'node:path'
import { syncDirectory } from '#files'
import type { TrailEnv } from '../files/trail-env.ts'
import type { ChainState } from './chain.ts'
import { type ChainHead, HEAD, writeHead } from './chain-head.ts'
import type { ChainSigner } from './chain-key.ts'
import { NO_HASH } from './chain-line.ts'

/** The head of a trail, as its writer keeps it. */
export class TopicHead {
  readonly path: string
  readonly #file: string
  readonly #signer: ChainSigner
  readonly #mode: number
  readonly #env: Pick<TrailEnv, 'logger' | 'events'>
  #head: ChainHead | null = null
  #first = 1
  /** The name of the active file may not be on disk yet. */
  #isFileNew = false
  #isFailing = false

  constructor(file: string, signer: ChainSigner, mode: number, env: Pick<TrailEnv, 'logger' | 'events'>) {
    this.path = `${file}${HEAD}`
    this.#file = file
    this.#signer = signer
    this.#mode = mode
    this.#env = env
  }

  /** Continues from the head of an earlier process, where it can be trusted. */
  adopt(head: ChainHead | null, first: number): void {
    this.#head = head
    this.#first = first
  }

  /** Of a new trail, before its first line: from then on, a trail without a head is one whose head was removed. */
  async begin(): Promise<void> {
    await this.#replace({ number: 0, hash: NO_HASH }, true)
  }

  /** A file was created. */
  fileBegun(): void {
    this.#isFileNew = true
  }

  /** Records how far the chain has come. A failure leaves the head behind, until the next checkpoint. */
  async write(state: ChainState): Promise<void> {
    try {
      // A crash must not leave the head without the file that has its lines.
      if (this.#isFileNew) await syncDirectory(this.#file)
      this.#isFileNew = false
      await this.#replace(state, false)
      this.#isFailing = false
    } catch (error) {
      const { logger, events } = this.#env
      if (!this.#isFailing) logger.warn({ error, file: this.path, step: 'head' }, events['step-failed'])
      this.#isFailing = true
    }
  }

  /** Lines before this one are about to be removed. */
  async retain(first: number): Promise<void> {
    this.#first = first
    if (this.#head !== null) await this.#replace(this.#head, true)
  }

  /** A crash may bring back a head that was replaced without a sync of its name, which is behind the file but not in contradiction to it. */
  async #replace({ number, hash }: ChainState, syncsName: boolean): Promise<void> {
    const head = { number, hash, first: this.#first, file: basename(this.#file) }
    await writeHead(this.path, head, this.#signer, { mode: this.#mode, syncsName })
    this.#head = head
  }
}
