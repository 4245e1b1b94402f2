import { randomBytes } from 'node:crypto'
import type { Clock } from '#schema'
import { BoundedMap } from './bounded-map.ts'
import { sessionToken, trackingId } from './identifiers.ts'

/** Strength of a login: its level, trees and modules. */
export interface Strength {
  readonly level: number
  readonly services: readonly string[]
  readonly schemes: readonly string[]
}

const NO_STRENGTH: Strength = { level: 0, services: [], schemes: [] }

/** Owner of a session. */
export interface SessionOwner {
  readonly kind: 'user' | 'agent'
  readonly name: string
  readonly realm: string
  readonly admin: boolean
}

/** Event type of a session in notifications. */
export type SessionEvent = 'LOGOUT' | 'DESTROY' | 'IDLE_TIMEOUT' | 'MAX_TIMEOUT' | 'PROPERTY_CHANGED'

/** A session of a logged-in user. */
export interface Session {
  readonly tokenId: string
  /** The audit id: AMCtxId, and `sessionUid` of a validation. */
  readonly uid: string
  readonly handle: string
  readonly owner: SessionOwner
  readonly strength: Strength
  readonly universalId: string
  readonly startedAt: number
  usedAt: number
  readonly properties: Map<string, string>
}

interface SessionLimits {
  readonly maxIdle: number
  readonly maxSession: number
  readonly sessions: number
}

/** All sessions, with listeners for their end. */
export class Sessions {
  readonly #sessions: BoundedMap<string, Session>
  readonly #aliases: BoundedMap<string, string>
  readonly #limits: SessionLimits
  readonly #clock: Clock
  readonly #changed: (session: Session, event: SessionEvent) => void

  constructor(limits: SessionLimits, clock: Clock, changed: (session: Session, event: SessionEvent) => void) {
    this.#sessions = new BoundedMap(limits.sessions)
    this.#aliases = new BoundedMap(limits.sessions)
    this.#limits = limits
    this.#clock = clock
    this.#changed = changed
  }

  start(owner: SessionOwner, strength: Strength = NO_STRENGTH): Session {
    const now = this.#clock.now()
    const uid = trackingId()
    const session: Session = {
      tokenId: sessionToken(),
      uid,
      handle: `shandle:${randomBytes(24).toString('base64url')}`,
      owner,
      strength,
      universalId: universalId(owner),
      startedAt: now,
      usedAt: now,
      properties: new Map([
        ['AMCtxId', uid],
        ['LoginLocation', ''],
        ['AuthLevel', String(strength.level)],
      ]),
    }
    this.#sessions.set(session.tokenId, session)
    return session
  }

  /** The session of a token, unless it has ended. Does not reset the idle time. */
  find(tokenId: string | undefined): Session | undefined {
    const token = tokenId === undefined ? undefined : (this.#aliases.get(tokenId) ?? tokenId)
    const session = token === undefined ? undefined : this.#sessions.get(token)
    if (session === undefined) return undefined
    const event = this.#outlived(session)
    if (event === null) return session
    this.end(session, event)
    return undefined
  }

  /** Adds an alias of the token of a session. */
  addAlias(alias: string, { tokenId }: Session): void {
    this.#aliases.set(alias, tokenId)
  }

  /** Resets the idle time. */
  touch(session: Session): void {
    session.usedAt = this.#clock.now()
  }

  /** When it expires. */
  endsAt(session: Session): { readonly idle: number; readonly most: number } {
    return {
      idle: session.usedAt + this.#limits.maxIdle,
      most: session.startedAt + this.#limits.maxSession,
    }
  }

  end(session: Session, event: SessionEvent): void {
    if (this.#sessions.delete(session.tokenId)) this.#changed(session, event)
  }

  setProperty(session: Session, name: string, value: string): void {
    session.properties.set(name, value)
    this.#changed(session, 'PROPERTY_CHANGED')
  }

  /** The active sessions that match a predicate. */
  select(wanted: (session: Session) => boolean): Session[] {
    this.sweep()
    return this.#sessions.values().filter(wanted).toArray()
  }

  /** Ends expired sessions, so that their notifications are sent without a request. */
  sweep(): void {
    for (const session of this.#sessions.values().toArray()) {
      const event = this.#outlived(session)
      if (event !== null) this.end(session, event)
    }
  }

  #outlived(session: Session): SessionEvent | null {
    const { idle, most } = this.endsAt(session)
    if (this.#clock.now() < Math.min(idle, most)) return null
    return idle < most ? 'IDLE_TIMEOUT' : 'MAX_TIMEOUT'
  }
}

/** The name of an owner that is unique in the server. */
export function universalId({ kind, name, realm }: SessionOwner): string {
  const organizations = realm
    .split('/')
    .filter((part) => part !== '')
    .toReversed()
    .map((part) => `o=${part},`)
    .join('')
  return `id=${name},ou=${kind},${organizations}${organizations === '' ? '' : 'ou=services,'}dc=openam,dc=example`
}
