/** The call timed out. The peer may still have processed it. */
export class CallTimeoutError extends Error {
  override readonly name = 'CallTimeoutError'
  readonly code = 'GW_CALL_TIMEOUT'

  constructor(peer: string, call: string, timeout: number) {
    super(`${peer} did not answer ${call} within ${timeout} ms`)
  }
}

/** The other side has ended, or the channel was closed. */
export class PeerEndedError extends Error {
  override readonly name = 'PeerEndedError'
  readonly code = 'GW_PEER_ENDED'

  constructor(peer: string, call: string) {
    super(`${peer} ended before it answered ${call}`)
  }
}

/** Too many calls have not been answered: another one would only make the queue longer. */
export class PeerBusyError extends Error {
  override readonly name = 'PeerBusyError'
  readonly code = 'GW_PEER_BUSY'

  constructor(peer: string, call: string, unanswered: number) {
    super(`${peer} has ${unanswered} unanswered calls; ${call} was not sent`)
  }
}

/** The handler on the other side failed. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
  /** The code of the error there, if it had one. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}
