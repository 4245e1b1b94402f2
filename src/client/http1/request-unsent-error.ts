/** The connection became unusable before anything of the request was written, so that any request can be sent over another one. */
export class RequestUnsentError extends Error {
  override readonly name = 'RequestUnsentError'
  readonly code = 'GW_UNPROCESSED'

  constructor(found: string, cause?: Error) {
    super(`connection: expected to write a request, got ${found} before`, cause === undefined ? undefined : { cause })
  }
}
