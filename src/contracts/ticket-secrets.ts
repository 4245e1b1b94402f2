import { randomFillSync } from 'node:crypto'

const SECRET_BYTES = 32
/** Secrets of the current and the previous generation, and one that is being written. */
const SLOTS = 3
const HEAD_BYTES = 4

/** Milliseconds after which the control thread replaces the secret. */
export const TICKET_PERIOD = 3_600_000

/**
 * Secrets of TLS session tickets in memory that all threads share, so that each unit accepts the tickets of the others. The
 * control thread alone writes; secrets are never copied into logs or files, and only to a process that takes over.
 */
export class TicketSecrets {
  readonly memory: SharedArrayBuffer
  readonly #generation: Int32Array
  readonly #bytes: Uint8Array

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory
    this.#generation = new Int32Array(memory, 0, 1)
    this.#bytes = new Uint8Array(memory)
  }

  /** New memory with a first secret. */
  static create(): TicketSecrets {
    const secrets = new TicketSecrets(new SharedArrayBuffer(HEAD_BYTES + SLOTS * SECRET_BYTES))
    secrets.rotate()
    return secrets
  }

  /** Memory with the secrets of another process; those of another form are not used. */
  static inherit(bytes: Uint8Array): TicketSecrets {
    const secrets = TicketSecrets.create()
    if (bytes.length === secrets.#bytes.length) secrets.#bytes.set(bytes)
    return secrets
  }

  /** Number of the current secret, from 1. */
  get generation(): number {
    return Atomics.load(this.#generation, 0)
  }

  /** Replaces the current secret, which stays valid as the previous one until the next call. */
  rotate(): void {
    const next = this.generation + 1
    randomFillSync(this.#slot(next))
    Atomics.store(this.#generation, 0, next)
  }

  /** A copy of the secret of the current or previous generation; null for any other. */
  copy(generation: number): Buffer | null {
    if (!this.isValid(generation)) return null
    const secret = Buffer.from(this.#slot(generation))
    // A rotation may have overwritten it meanwhile.
    return this.isValid(generation) ? secret : null
  }

  isValid(generation: number): boolean {
    const current = this.generation
    return generation > 0 && (generation === current || generation === current - 1)
  }

  #slot(generation: number): Uint8Array {
    const at = HEAD_BYTES + (generation % SLOTS) * SECRET_BYTES
    return this.#bytes.subarray(at, at + SECRET_BYTES)
  }
}
