/** Why a command failed: no connection, a timeout, or an error reply of Redis. */
type RedisFailure = 'unavailable' | 'timeout' | 'refused'

/** A command that Redis did not carry out, or not in time. Its message has no key, no value and no password in it. */
export class RedisError extends Error {
  override readonly name = 'RedisError'
  readonly code = 'GW_REDIS'
  readonly reason: RedisFailure

  constructor(reason: RedisFailure, message: string) {
    super(message)
    this.reason = reason
  }
}
