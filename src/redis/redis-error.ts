/** Why a command failed: no connection, a timeout, or an error reply of Redis. */
type RedisFailure = 'unavailable' | 'timeout' | 'refused'

/** A failed command. The message contains no key, value or password. */
export class RedisError extends Error {
  override readonly name = 'RedisError'
  readonly code = 'GW_REDIS'
  readonly reason: RedisFailure

  constructor(reason: RedisFailure, message: string) {
    super(message)
    this.reason = reason
  }
}
