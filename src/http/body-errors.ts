/** Content over the limit of the place it was to be kept in. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
  readonly code = 'GW_BODY_TOO_LARGE'
  readonly limit: number

  constructor(limit: number) {
    super(`body: more than the ${limit} bytes that may be kept`)
    this.limit = limit
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
