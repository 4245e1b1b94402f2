import type { Socket } from 'node:net'
import { MAX_TIMER_DELAY } from '#schema'
import type { Call, CallQueue, Dispatcher, OutboundRequest } from '../dispatcher.ts'
import type { OpenSocket, PendingSocket } from '../open-socket.ts'
import type { ConnectionPermits } from '../permits/connection-permits.ts'
import { UpstreamError } from '../upstream-error.ts'
import { waitFailure } from '../wait-failure.ts'
import { Connection, type ConnectionOwner } from './connection.ts'

/** Limits of the connections to one origin. Times are milliseconds. */
interface ConnectionLimits {
  readonly maxHeadBytes: number
  readonly timeToLive: number
  /** Keep-alive time where the server names none. */
  readonly idleTime: number
}

/** A server may close earlier than it said: its clock started before ours. */
const KEEP_ALIVE_MARGIN = 2_000
const MAX_KEEP_ALIVE = 600_000

/** The HTTP/1.1 connections to one origin: idle ones are reused, the most recently used first. */
export class Connections implements ConnectionOwner, CallQueue, Dispatcher {
  /** Set before the first call. */
  permits!: ConnectionPermits
  readonly #limits: ConnectionLimits
  readonly #open: OpenSocket
  /** The most recently used is the last. Some may rest. */
  readonly #idle: Connection[] = []
  readonly #opening = new Set<PendingSocket>()
  /** Calls without a connection, in order of arrival. */
  readonly #waiting = new Map<Call, OutboundRequest>()
  /** Calls that wait for a new connection: the one they were sent over was closed, and one that was used may be too. */
  readonly #repeated = new Map<Call, OutboundRequest>()
  #connected = 0
  #sweepAt = Number.POSITIVE_INFINITY
  #sweep: NodeJS.Timeout | undefined
  #whenClosed: (() => void) | null = null

  constructor(limits: ConnectionLimits, open: OpenSocket) {
    this.#limits = limits
    this.#open = open
  }

  get connected(): number {
    return this.#connected
  }

  /** Calls whose connection is being opened. */
  get pending(): number {
    return Math.min(this.#calls, this.#opening.size)
  }

  /** Calls that wait for a connection to become free. */
  get queued(): number {
    return this.#calls - this.pending
  }

  get lacking(): number {
    return this.#whenClosed === null ? this.queued : 0
  }

  /** Whether one more call would get a connection that is idle or can be opened. */
  get hasRoom(): boolean {
    return this.#idle.length > 0 || this.#opening.size > this.#calls || this.permits.isAvailable
  }

  dispatch(request: OutboundRequest, call: Call, isRepeated: boolean): void {
    if (!isRepeated) {
      const connection = this.#takeIdle()
      if (connection !== null) {
        if (!connection.send(request, call)) this.released(connection)
        return
      }
    }
    const queue = isRepeated ? this.#repeated : this.#waiting
    queue.set(call, request)
    call.queue = this
    this.grow()
    // Every connection is in use: one becomes free in time, or the call fails.
    if (this.queued > 0) call.wait()
  }

  withdraw(call: Call): boolean {
    const isWithdrawn = this.#waiting.delete(call) || this.#repeated.delete(call)
    if (isWithdrawn) this.permits.lackingChanged()
    return isWithdrawn
  }

  waitFailure(): UpstreamError {
    const [pending] = this.#opening
    return waitFailure(pending ?? null, this.permits.anyConnected)
  }

  /** Opens as many connections as there are calls without one, within the limit. */
  grow(): void {
    while (this.lacking > 0 && this.permits.acquire()) {
      const pending = this.#open((error, socket) => {
        this.#opening.delete(pending)
        if (error === null) this.adopt(socket)
        else this.#attemptFailed(error)
      })
      this.#opening.add(pending)
    }
    this.permits.lackingChanged()
  }

  closeIdle(): boolean {
    const connection = this.#idle.shift()
    connection?.close()
    return connection !== undefined
  }

  /** Uses a connection that was opened elsewhere. */
  adopt(socket: Socket): void {
    const { maxHeadBytes, timeToLive } = this.#limits
    this.#connected++
    this.permits.connectedChanged()
    const connection = new Connection(socket, this, maxHeadBytes, performance.now() + timeToLive)
    const isForRepeated = this.#repeated.size > 0
    const isUsed = sendFirst(this.#repeated, connection) || sendFirst(this.#waiting, connection)
    if (!isUsed) this.#keep(connection, this.#limits.idleTime)
    // The connection was opened for one of them.
    else if (isForRepeated) for (const call of this.#waiting.keys()) call.wait()
    this.permits.lackingChanged()
  }

  released(connection: Connection): void {
    const { keepAlive } = connection
    const time = keepAlive < 0 ? this.#limits.idleTime : Math.min(keepAlive * 1_000 - KEEP_ALIVE_MARGIN, MAX_KEEP_ALIVE)
    const isUsable = connection.restsUntil === 0 && time > 0 && connection.expiresAt > performance.now()
    const isWanted = isUsable && this.#waiting.size > 0
    if (isWanted && !this.permits.mustGiveUpOne) {
      const isUsed = sendFirst(this.#waiting, connection)
      this.permits.lackingChanged()
      if (isUsed) return
    }
    // Makes room for a new connection, of this unit or of another.
    const isInTheWay = this.#waiting.size > 0 || this.#repeated.size > this.#opening.size || this.permits.othersWait
    if (isInTheWay) connection.close()
    else this.#keep(connection, time)
  }

  closed(connection: Connection): void {
    this.#connected--
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
    this.permits.release()
    if (this.#connected === 0) this.#whenClosed?.()
  }

  /** Closes idle connections now, active ones after their response; no call is dispatched afterwards. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#whenClosed = resolve
    clearTimeout(this.#sweep)
    for (const pending of this.#opening) pending.cancel()
    for (const connection of [...this.#idle]) connection.close()
    if (this.#connected === 0) resolve()
    await promise
  }

  /** Calls without a connection. */
  get #calls(): number {
    return this.#waiting.size + this.#repeated.size
  }

  #takeIdle(): Connection | null {
    for (;;) {
      const last = this.#idle.at(-1)
      const connection = last?.restsUntil ? this.#takeRested() : this.#idle.pop()
      if (connection === undefined) return null
      if (connection.expiresAt === Number.POSITIVE_INFINITY || connection.expiresAt > performance.now())
        return connection
      connection.close()
    }
  }

  /** The most recently used that does not rest any more. */
  #takeRested(): Connection | undefined {
    const now = performance.now()
    const at = this.#idle.findLastIndex(({ restsUntil }) => restsUntil <= now)
    return at < 0 ? undefined : this.#idle.splice(at, 1)[0]
  }

  #keep(connection: Connection, idleTime: number): void {
    const now = performance.now()
    if (idleTime <= 0 || connection.expiresAt <= now || this.#whenClosed !== null) {
      connection.close()
      return
    }
    connection.idleUntil = now + idleTime
    this.#idle.push(connection)
    if (connection.idleUntil < this.#sweepAt) this.#scheduleSweep(now, connection.idleUntil)
  }

  /** Fails the oldest call, unless the other attempts suffice for all. No attempt does where the server is this gateway. */
  #attemptFailed(error: Error): void {
    const isLoop = error instanceof UpstreamError && error.code === 'GW_UPSTREAM_LOOP'
    let left = isLoop ? this.#calls : Math.min(1, this.queued)
    for (const queue of [this.#repeated, this.#waiting]) {
      for (const call of queue.keys()) {
        if (left-- <= 0) break
        this.withdraw(call)
        call.failed(error)
      }
    }
    this.permits.release()
  }

  /** One timer for all idle connections. */
  #scheduleSweep(now: number, at: number): void {
    clearTimeout(this.#sweep)
    this.#sweepAt = at
    if (at - now > MAX_TIMER_DELAY) return
    this.#sweep = setTimeout(() => this.#closeExpired(), Math.max(1, at - now)).unref()
  }

  #closeExpired(): void {
    const now = performance.now()
    this.#sweepAt = Number.POSITIVE_INFINITY
    for (const connection of [...this.#idle]) if (connection.idleUntil <= now) connection.close()
    let next = Number.POSITIVE_INFINITY
    for (const { idleUntil } of this.#idle) next = Math.min(next, idleUntil)
    if (next < Number.POSITIVE_INFINITY) this.#scheduleSweep(now, next)
  }
}

/** Sends the first call that does not fail as it begins; false where none is left. */
function sendFirst(queue: Map<Call, OutboundRequest>, connection: Connection): boolean {
  for (const [call, request] of queue) {
    queue.delete(call)
    if (connection.send(request, call)) return true
  }
  return false
}
