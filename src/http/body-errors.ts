/** Content over the limit of the place it was to be kept in. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
  readonly code = 'GW_BODY_TOO_LARGE'
  readonly limit: number
  /** The message whose content it is; null where the place it was to be kept in does not know. */
  readonly subject: 'request' | 'response' | null

  constructor(limit: number, subject: 'request' | 'response' | null = null) {
    super(`${subject ?? 'body'}: its content is more than the ${limit} bytes that may be kept`)
    this.limit = limit
    this.subject = subject
  }

  /** The status that says so to the client: what it sent was too much, or what the upstream sent. */
  get status(): 413 | 502 {
    return this.subject === 'response' ? 502 : 413
  }
}

/** A body that is not buffered was asked for a second time. */
export class BodyConsumedError extends Error {
  override readonly name = 'BodyConsumedError'
  readonly code = 'GW_BODY_CONSUMED'

  constructor() {
    super('body: its content was already taken; buffer it before it is read more than once')
  }
}

/** The body was given up before it was read to its end. */
export class BodyCancelledError extends Error {
  override readonly name = 'BodyCancelledError'
  readonly code = 'GW_BODY_CANCELLED'

  constructor() {
    super('body: it was given up before its end')
  }
}

/** The content was asked for at once while it was not yet read. */
export class BodyNotBufferedError extends Error {
  override readonly name = 'BodyNotBufferedError'
  readonly code = 'GW_BODY_NOT_BUFFERED'

  constructor() {
    super('body: its content is not buffered; buffer it before it is read')
  }
}
