import { IncomingMessage } from 'node:http'

/** Chunks below the first size are coalesced, up to the second. */
const SMALL_CHUNK = 1024
const MAX_COALESCED = 16_384

/** Pieces between two progress checks within one read. */
const PIECES_PER_CHECK = 64

/**
 * The request object of node:http. It counts the content and coalesces small chunks of one read, since each chunk costs many
 * times its bytes on its way through filters to the upstream.
 */
export class RequestMessage extends IncomingMessage {
  /** Bytes of parsed content. */
  contentBytes = 0
  /** Pieces of parsed content, at least one for each chunk. */
  pieces = 0
  /** Runs at intervals while a chunked body arrives; `isParsed` when all bytes read were parsed. */
  onProgress: ((isParsed: boolean) => void) | null = null
  #isChunked: boolean | null = null
  #coalesced: Buffer[] = []
  #coalescedBytes = 0
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
    this.#scheduleFlush()
    if (this.pieces % PIECES_PER_CHECK === 0) this.onProgress?.(false)
    if (chunk.length >= SMALL_CHUNK) {
      this.#flush()
      return super.push(chunk)
    }
    this.#coalesced.push(chunk)
    this.#coalescedBytes += chunk.length
    return this.#coalescedBytes < MAX_COALESCED || this.#flush()
  }

  /** Called when all bytes read were parsed, on all connections. */
  flushAfterRead(): void {
    this.#waits = false
    if (this.complete) return
    // Node pauses the socket only for a push within its parser.
    if (!this.#flush()) this.socket.pause()
    this.onProgress?.(true)
  }

  #scheduleFlush(): void {
    if (this.#waits) return
    this.#waits = true
    if (unflushed.push(this) === 1) setImmediate(flushAll)
  }

  #flush(): boolean {
    if (this.#coalescedBytes === 0) return true
    const coalesced = this.#coalesced
    this.#coalesced = []
    this.#coalescedBytes = 0
    return super.push(coalesced.length === 1 ? coalesced[0] : Buffer.concat(coalesced))
  }
}

const unflushed: RequestMessage[] = []

function flushAll(): void {
  for (const message of unflushed.splice(0)) message.flushAfterRead()
}
