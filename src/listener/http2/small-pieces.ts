/** Pieces below the first size are coalesced, up to the second. */
const SMALL_PIECE = 1024
const MAX_COALESCED = 16_384

/** Coalesces small DATA frames of one read: each piece costs many times its bytes on its way through filters to the upstream. */
export class SmallPieces {
  readonly #deliver: (bytes: Buffer) => void
  #pieces: Buffer[] = []
  #bytes = 0
  #waits = false

  constructor(deliver: (bytes: Buffer) => void) {
    this.#deliver = deliver
  }

  /** Retains a small piece until the end of the read; delivers those before a larger one, and returns false for it. */
  add(piece: Buffer): boolean {
    if (piece.length >= SMALL_PIECE) {
      this.flush()
      return false
    }
    this.#pieces.push(piece)
    this.#bytes += piece.length
    if (this.#bytes >= MAX_COALESCED) this.flush()
    else if (!this.#waits) {
      this.#waits = true
      if (unflushed.push(this) === 1) setImmediate(flushAll)
    }
    return true
  }

  flush(): void {
    if (this.#bytes === 0) return
    const pieces = this.#pieces
    this.#pieces = []
    this.#bytes = 0
    this.#deliver(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces))
  }

  /** Called when all bytes read were parsed, on all connections. */
  flushAfterRead(): void {
    this.#waits = false
    this.flush()
  }
}

const unflushed: SmallPieces[] = []

function flushAll(): void {
  for (const pieces of unflushed.splice(0)) pieces.flushAfterRead()
}
