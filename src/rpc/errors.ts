/** The call timed out. The peer may still have processed it. */
export class CallTimeoutError extends Error {
  override readonly name = 'CallTimeoutError'
  readonly code = 'GW_CALL_TIMEOUT'

  constructor(peer: string, call: string, timeout: number) {
    super(`${peer} did not answer ${call} within ${timeout} ms`)
  }
}

/** The other thread ended, or the channel was closed. */
export class PeerEndedError extends Error {
  override readonly name = 'PeerEndedError'
  readonly code = 'GW_PEER_ENDED'

  constructor(peer: string, call: string) {
    super(`${peer} ended before it answered ${call}`)
  }
}

/** The limit of unanswered calls is reached. */
export class PeerBusyError extends Error {
  override readonly name = 'PeerBusyError'
  readonly code = 'GW_PEER_BUSY'

  constructor(peer: string, call: string, unanswered: number) {
    super(`${peer} has ${unanswered} unanswered calls; ${call} was not sent`)
  }
}

/** The remote handler failed. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
  /** The code of the remote error. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}
