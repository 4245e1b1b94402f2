import { SqlError } from '#contracts'
import type { Clock } from '#schema'
import type { SqlConnection } from './sql-connection.ts'

interface PoolSettings {
  readonly maxConnections: number
  /** Milliseconds that a statement waits for a connection. */
  readonly waitTimeout: number
  readonly clock: Clock
  /** Connects within a bounded time. Throws SqlError. */
  open(): Promise<SqlConnection>
  /** Called with the reason when connecting fails, and with null when it succeeds. */
  onAttempt(problem: string | null): void
}

/** Statements that may wait for a connection; further ones fail at once. */
const MAX_WAITING = 1_000
/** Milliseconds after a failed attempt in which no connection is attempted. */
const FAILURE_PAUSE = 1_000
/** Milliseconds after which an idle connection is closed. */
const IDLE_TIMEOUT = 60_000
/** Milliseconds after which a connection is replaced, so that balancers and changed passwords take effect. */
const MAX_LIFETIME = 30 * 60_000

interface Waiting {
  resolve(connection: SqlConnection): void
  reject(error: SqlError): void
  readonly timer: NodeJS.Timeout
}

interface Idle {
  readonly connection: SqlConnection
  readonly since: number
}

/** Connections that are opened on demand and reused. */
export class ConnectionPool {
  readonly #settings: PoolSettings
  readonly #waiting: Waiting[] = []
  readonly #openedAt = new Map<SqlConnection, number>()
  #idle: Idle[] = []
  #connecting = 0
  #failure: { readonly at: number; readonly error: SqlError } | null = null
  #isClosed = false
  #sweep: NodeJS.Timeout | null = null

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /** Open connections, idle ones included. */
  get size(): number {
    return this.#openedAt.size
  }

  /** Runs a function with a connection of its own. */
  async use<T>(run: (connection: SqlConnection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire()
    try {
      return await run(connection)
    } finally {
      this.#release(connection)
    }
  }

  /** Closes idle connections, and those in use after their statement. */
  close(): void {
    this.#isClosed = true
    if (this.#sweep !== null) clearTimeout(this.#sweep)
    for (const { connection } of this.#idle.splice(0)) connection.destroy()
    this.#rejectWaiting(new SqlError('unavailable', 'the data source is closed'))
  }

  #acquire(): Promise<SqlConnection> {
    const idle = this.#idle.pop()
    if (idle !== undefined) return Promise.resolve(idle.connection)
    if (this.#isClosed) return Promise.reject(new SqlError('unavailable', 'the data source is closed'))
    if (this.size === 0 && this.#isPaused()) return Promise.reject(this.#failure?.error)
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new SqlError('unavailable', `${MAX_WAITING} statements wait for a connection`))
    }
    const { promise, resolve, reject } = Promise.withResolvers<SqlConnection>()
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      reject(new SqlError('unavailable', 'no connection became free in time'))
    }, this.#settings.waitTimeout)
    const waiting = { resolve, reject, timer }
    this.#waiting.push(waiting)
    this.#connectIfNeeded()
    return promise
  }

  #connectIfNeeded(): void {
    if (this.#isClosed || this.#isPaused() || this.#connecting >= this.#waiting.length) return
    if (this.size + this.#connecting >= this.#settings.maxConnections) return
    this.#connecting++
    this.#settings.open().then(
      (connection) => this.#onOpen(connection),
      (error: SqlError) => this.#onFailure(error),
    )
  }

  #onOpen(connection: SqlConnection): void {
    this.#connecting--
    if (this.#isClosed) {
      connection.destroy()
      return
    }
    this.#failure = null
    this.#settings.onAttempt(null)
    this.#openedAt.set(connection, this.#settings.clock.monotonic())
    connection.onClose(() => this.#onClose(connection))
    if (connection.isClosed) this.#onClose(connection)
    this.#release(connection)
  }

  #onFailure(error: SqlError): void {
    this.#connecting--
    if (this.#isClosed) return
    this.#failure = { at: this.#settings.clock.monotonic(), error }
    this.#settings.onAttempt(error.message)
    // With an open connection, statements wait for it until their time is over.
    if (this.size === 0) this.#rejectWaiting(error)
  }

  #onClose(connection: SqlConnection): void {
    this.#openedAt.delete(connection)
    this.#idle = this.#idle.filter((each) => each.connection !== connection)
    // No connection can become free, and none is attempted in the pause.
    if (this.size + this.#connecting === 0 && this.#failure !== null && this.#isPaused()) {
      this.#rejectWaiting(this.#failure.error)
    } else this.#connectIfNeeded()
  }

  #release(connection: SqlConnection): void {
    if (connection.isClosed) return
    const now = this.#settings.clock.monotonic()
    if (this.#isClosed || now - (this.#openedAt.get(connection) ?? now) > MAX_LIFETIME) {
      connection.destroy()
      return
    }
    const waiting = this.#waiting.shift()
    if (waiting === undefined) {
      this.#idle.push({ connection, since: now })
      this.#sweep ??= setTimeout(() => this.#closeIdle(), IDLE_TIMEOUT).unref()
      return
    }
    clearTimeout(waiting.timer)
    waiting.resolve(connection)
  }

  #closeIdle(): void {
    this.#sweep = null
    const oldest = this.#settings.clock.monotonic() - IDLE_TIMEOUT
    for (const { connection, since } of [...this.#idle]) if (since <= oldest) connection.destroy()
    if (this.#idle.length > 0) this.#sweep = setTimeout(() => this.#closeIdle(), IDLE_TIMEOUT).unref()
  }

  #rejectWaiting(error: SqlError): void {
    for (const { reject, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer)
      reject(error)
    }
  }

  #isPaused(): boolean {
    if (this.#failure === null) return false
    return this.#settings.clock.monotonic() - this.#failure.at < FAILURE_PAUSE
  }
}
