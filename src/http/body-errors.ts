/** Content over the limit of its storage. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
  readonly code = 'GW_BODY_TOO_LARGE'
  readonly limit: number
  /** The message of the content; null where unknown. */
  readonly subject: 'request' | 'response' | null

  constructor(limit: number, subject: 'request' | 'response' | null = null) {
    super(`${subject ?? 'body'}: its content is more than the ${limit} bytes that may be kept`)
    this.limit = limit
    this.subject = subject
  }

  /** 413 for content of the client, 502 for content of the upstream. */
  get status(): 413 | 502 {
    return this.subject === 'response' ? 502 : 413
  }
}

/** Second read of a body that is not buffered. */
export class BodyConsumedError extends Error {
  override readonly name = 'BodyConsumedError'
  readonly code = 'GW_BODY_CONSUMED'

  constructor() {
    super('body: its content was already consumed; buffer it before it is read more than once')
  }
}

/** The body was cancelled before its end. */
export class BodyCancelledError extends Error {
  override readonly name = 'BodyCancelledError'
  readonly code = 'GW_BODY_CANCELLED'

  constructor() {
    super('body: it was cancelled before its end')
  }
}

/** Synchronous read of a body that is not buffered. */
export class BodyNotBufferedError extends Error {
  override readonly name = 'BodyNotBufferedError'
  readonly code = 'GW_BODY_NOT_BUFFERED'

  constructor() {
    super('body: its content is not buffered; buffer it before it is read')
  }
}

/** The file system refused content that does not fit into memory. */
export class BodyNotStoredError extends Error {
  override readonly name = 'BodyNotStoredError'
  /** That of the file system, such as ENOSPC. */
  readonly code: string | undefined

  constructor(directory: string, cause: NodeJS.ErrnoException) {
    const action = 'check its free space and permissions, or name another temporaryDirectory in admin.json'
    super(`body: its content can not be stored in "${directory}": ${cause.message}; ${action}`, { cause })
    this.code = cause.code
  }
}
