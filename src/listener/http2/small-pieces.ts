/** Pieces below the first size are coalesced, up to the second. */
const SMALL_PIECE = 1024
const MAX_COALESCED = 16_384

/**
 * Coalesces small pieces of a request body that arrive with one read: each piece costs many times its bytes on its way through
 * filters to the upstream. The owner calls `flush` after the read.
 */
export class SmallPieces {
  readonly #deliver: (bytes: Buffer) => void
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(deliver: (bytes: Buffer) => void) {
    this.#deliver = deliver
  }

  /** Retains a small piece, and delivers a larger one after those before it. */
  add(piece: Buffer): void {
    if (piece.length >= SMALL_PIECE) {
      this.flush()
      this.#deliver(piece)
      return
    }
    this.#pieces.push(piece)
    this.#bytes += piece.length
    if (this.#bytes >= MAX_COALESCED) this.flush()
  }

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  /** Delivers what is retained. */
  flush(): void {
    if (this.isEmpty) return
    const pieces = this.#pieces
    this.#pieces = []
    this.#bytes = 0
    this.#deliver(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces))
  }
}
