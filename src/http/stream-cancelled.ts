const MAX_CAUSES = 8

/** An upstream reset its HTTP/2 stream with CANCEL (RFC 9113 section 7). */
export class StreamCancelledError extends Error {
  override readonly name = 'StreamCancelledError'

  constructor() {
    super('HTTP/2: the stream was reset with CANCEL')
  }
}

/** Whether an error, or one of its causes, is a stream that was cancelled. */
export function isStreamCancelled(error: unknown): boolean {
  let current = error
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    if (current instanceof StreamCancelledError) return true
    current = current.cause
  }
  return false
}
