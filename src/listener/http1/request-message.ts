import { IncomingMessage } from 'node:http'

/** Chunks below this size are put together, up to the other. */
const SMALL = 1024
const GATHERED = 16_384

/** After so many pieces the message is looked at within a read. */
const PIECES_PER_LOOK = 64

/**
 * The request object of node:http that counts its content, and puts small chunks together that arrive together: each that
 * goes on alone costs many times its bytes on its way through filters to the upstream.
 */
export class RequestMessage extends IncomingMessage {
  /** Bytes of content that the parser has given. */
  contentBytes = 0
  /** Pieces in which it gave them: at least one for each chunk. */
  pieces = 0
  /** Runs from time to time while a chunked body arrives; `whole` when all that was read has been parsed. */
  onProgress: ((whole: boolean) => void) | null = null
  #isChunked: boolean | null = null
  #gathered: Buffer[] = []
  #gatheredBytes = 0
  #waits = false

  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#flush()
      return super.push(null)
    }
    this.#isChunked ??= this.headers['transfer-encoding'] !== undefined
    this.contentBytes += chunk.length
    this.pieces++
    if (!this.#isChunked) return super.push(chunk)
    this.#await()
    if (this.pieces % PIECES_PER_LOOK === 0) this.onProgress?.(false)
    if (chunk.length >= SMALL) {
      this.#flush()
      return super.push(chunk)
    }
    this.#gathered.push(chunk)
    this.#gatheredBytes += chunk.length
    return this.#gatheredBytes < GATHERED || this.#flush()
  }

  /** To be called when all that has arrived on all connections is parsed. */
  settle(): void {
    this.#waits = false
    if (this.complete) return
    // Node itself pauses the socket only when a push is refused while it parses.
    if (!this.#flush()) this.socket.pause()
    this.onProgress?.(true)
  }

  #await(): void {
    if (this.#waits) return
    this.#waits = true
    if (unsettled.push(this) === 1) setImmediate(settleAll)
  }

  #flush(): boolean {
    if (this.#gatheredBytes === 0) return true
    const gathered = this.#gathered
    this.#gathered = []
    this.#gatheredBytes = 0
    return super.push(gathered.length === 1 ? gathered[0] : Buffer.concat(gathered))
  }
}

const unsettled: RequestMessage[] = []

function settleAll(): void {
  for (const message of unsettled.splice(0)) message.settle()
}
