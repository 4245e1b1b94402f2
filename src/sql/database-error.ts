import { SqlError } from '#contracts'

/** Classes of SQLSTATE whose messages name objects of the database or the user, and no bound values. */
const SAFE_CLASSES = new Set(['08', '25', '28', '3D', '42', '53', '57'])
/** The connection or the server is at fault, not the statement. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57'])

/** An error of the database or of the network. A message of the database is shown only where it can not contain bound values. */
export function databaseError(error: Error, state: string | null): SqlError {
  if (state === null) {
    const { code } = error as NodeJS.ErrnoException
    return new SqlError('unavailable', code === undefined ? error.message : `${code}: ${error.message}`)
  }
  const stateClass = state.slice(0, 2)
  const detail = SAFE_CLASSES.has(stateClass) ? `: ${error.message}` : ''
  const reason = UNAVAILABLE_CLASSES.has(stateClass) ? 'unavailable' : 'failed'
  return new SqlError(reason, `the database reports SQLSTATE ${state}${detail}`)
}

/** Bytes that one statement may receive. */
export class ReceivedBytes {
  readonly #limit: number
  #count = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  reset(): void {
    this.#count = 0
  }

  /** Throws a SqlError over the limit. */
  add(bytes: number): void {
    this.#count += bytes
    if (this.#count <= this.#limit) return
    throw new SqlError('failed', `the result exceeds ${this.#limit} bytes: select fewer or smaller columns`)
  }
}
