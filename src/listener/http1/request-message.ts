import { IncomingMessage } from 'node:http'
import { atReadEnd, type ReadEndReceiver } from '../read-end.ts'
import { SmallPieces } from '../small-pieces.ts'

/** Pieces between two progress checks within one read. */
const PIECES_PER_CHECK = 64

/** The request object of node:http. It counts the content, and coalesces small chunks. */
export class RequestMessage extends IncomingMessage implements ReadEndReceiver {
  /** Bytes of parsed content. */
  contentBytes = 0
  /** Pieces of parsed content, at least one for each chunk. */
  pieces = 0
  /** Runs at intervals while a chunked body arrives; `isParsed` when all bytes read were parsed. */
  onProgress: ((isParsed: boolean) => void) | null = null
  #isChunked: boolean | null = null
  /** Of a chunked body. */
  #small: SmallPieces | null = null
  #waits = false

  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#small?.flush()
      return super.push(null)
    }
    this.#isChunked ??= this.headers['transfer-encoding'] !== undefined
    this.contentBytes += chunk.length
    this.pieces++
    if (!this.#isChunked) return super.push(chunk)
    if (!this.#waits) {
      this.#waits = true
      atReadEnd(this)
    }
    if (this.pieces % PIECES_PER_CHECK === 0) this.onProgress?.(false)
    this.#small ??= new SmallPieces((bytes) => super.push(bytes))
    return this.#small.add(chunk)
  }

  onReadEnd(): void {
    this.#waits = false
    if (this.complete) return
    // Node pauses the socket only for a push within its parser.
    if (this.#small?.flush() === false) this.socket.pause()
    this.onProgress?.(true)
  }
}
