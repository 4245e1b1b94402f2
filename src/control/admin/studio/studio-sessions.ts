import { createHmac, hash, randomBytes } from 'node:crypto'
import { equalsConstantTime } from '#http'
import type { Clock } from '#schema'

/** Limits of sessions, in milliseconds. */
export interface SessionLimits {
  readonly idleTimeout: number
  readonly sessionTimeout: number
}

/** Dependencies of sessions. */
interface SessionsInput {
  readonly limits: SessionLimits
  readonly clock: Pick<Clock, 'monotonic'>
  /** The current admin password; null without one. Throws where it can not be read. */
  password(): string | null
}

/** A session of the Studio. */
interface StudioSession {
  readonly created: number
  used: number
  /** Proof of the password at log-in. */
  readonly proof: string
  /** Called when it ends. */
  readonly onEnd: Set<() => void>
}

/** More than these end the session that was used least recently. */
const MAX_SESSIONS = 100

/** Milliseconds between checks of sessions that have open streams. */
const CHECK_INTERVAL = 1_000

/**
 * Sessions of the Studio, in memory. A session ends by log-out, by its limits, with the admin password it was opened with,
 * and with the process. While the password can not be read it is refused, with its streams, but does not end.
 */
export class StudioSessions implements Disposable {
  readonly #input: SessionsInput
  readonly #key = randomBytes(32)
  /** By the hash of the id, the least recently used first; so the time of a lookup reveals nothing of an id. */
  readonly #sessions = new Map<string, StudioSession>()
  #timer: NodeJS.Timeout | null = null

  constructor(input: SessionsInput) {
    this.#input = input
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Whether this is the admin password. */
  verify(password: string): boolean {
    const expected = this.#input.password()
    return expected !== null && equalsConstantTime(password, expected)
  }

  /** Opens a session after its password was verified; returns its id, the value of the cookie. */
  open(password: string): string {
    const id = randomBytes(32).toString('base64url')
    const now = this.#input.clock.monotonic()
    this.#sessions.set(keyOf(id), { created: now, used: now, proof: this.#proofOf(password), onEnd: new Set() })
    for (const [key, session] of this.#sessions) {
      if (this.#sessions.size <= MAX_SESSIONS) break
      this.#end(key, session)
    }
    return id
  }

  /** The session of an id; null where it does not exist or has ended. Throws where the password can not be read. */
  find(id: string): StudioSession | null {
    const key = keyOf(id)
    const session = this.#sessions.get(key)
    if (session === undefined) return null
    if (this.#isValid(session, this.#currentProof())) return session
    this.#end(key, session)
    return null
  }

  /** The session of an id, which counts as used. */
  use(id: string): StudioSession | null {
    const session = this.find(id)
    if (session === null) return null
    const key = keyOf(id)
    session.used = this.#input.clock.monotonic()
    this.#sessions.delete(key)
    this.#sessions.set(key, session)
    return session
  }

  /** Log-out; whether there was a session. */
  close(id: string): boolean {
    const key = keyOf(id)
    const session = this.#sessions.get(key)
    if (session === undefined) return false
    this.#end(key, session)
    return true
  }

  /** Calls back when the session ends, also without a further request; returns the unsubscriber. */
  watch(session: StudioSession, callback: () => void): () => void {
    session.onEnd.add(callback)
    this.#timer ??= setInterval(() => this.check(), CHECK_INTERVAL).unref()
    return () => session.onEnd.delete(callback)
  }

  /** Ends sessions that have expired or whose password has changed; where it can not be read, only their streams. */
  check(): void {
    let proof: string | null | undefined
    try {
      proof = this.#currentProof()
    } catch {
      proof = undefined
    }
    let watched = false
    for (const [key, session] of this.#sessions) {
      if (!this.#isValid(session, proof === undefined ? session.proof : proof)) this.#end(key, session)
      else if (proof === undefined) endStreams(session)
      else watched ||= session.onEnd.size > 0
    }
    if (!watched) this[Symbol.dispose]()
  }

  /** Milliseconds until the session ends without further use. */
  remaining({ created, used }: StudioSession): number {
    const { idleTimeout, sessionTimeout } = this.#input.limits
    return Math.min(used + idleTimeout, created + sessionTimeout) - this.#input.clock.monotonic()
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #isValid(session: StudioSession, proof: string | null): boolean {
    return session.proof === proof && this.remaining(session) > 0
  }

  #end(key: string, session: StudioSession): void {
    this.#sessions.delete(key)
    endStreams(session)
  }

  #currentProof(): string | null {
    const password = this.#input.password()
    return password === null ? null : this.#proofOf(password)
  }

  #proofOf(password: string): string {
    return createHmac('sha256', this.#key).update(password).digest('base64')
  }
}

function endStreams({ onEnd }: StudioSession): void {
  for (const callback of [...onEnd]) callback()
  onEnd.clear()
}

function keyOf(id: string): string {
  return hash('sha256', id, 'base64')
}
