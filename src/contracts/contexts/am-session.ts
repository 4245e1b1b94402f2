import { type Exposure, exposed, Instant } from '#expression'
import { type ContextKey, contextKey } from '#http'
import type { JsonObject } from '#json'
import type { AmService, AmSession } from '../am-service.ts'

/** The AmService that has looked a session up, and the token of the session. */
interface SessionOrigin {
  readonly amService: AmService
  readonly token: string
}

/** The session of a user at the access manager, set by SessionInfoFilter. Null where the server does not send a value. */
export class AmSessionInfo {
  readonly username: string
  readonly universalId: string | null
  readonly realm: string
  readonly sessionHandle: string | null
  readonly latestAccessTime: Instant | null
  readonly maxIdleExpirationTime: Instant | null
  readonly maxSessionExpirationTime: Instant | null
  /** The properties named by `sessionProperties` of the AmService; by default all that the server returns. */
  readonly properties: JsonObject
  readonly #info: JsonObject
  readonly #origin: SessionOrigin

  constructor(session: AmSession, origin: SessionOrigin) {
    const { sessionHandle } = session.info
    this.username = session.username
    this.universalId = session.universalId
    this.realm = session.realm
    this.sessionHandle = typeof sessionHandle === 'string' ? sessionHandle : null
    this.latestAccessTime = instantOf(session.latestAccessTime)
    this.maxIdleExpirationTime = instantOf(session.maxIdleExpirationTime)
    this.maxSessionExpirationTime = instantOf(session.maxSessionExpirationTime)
    this.properties = session.properties
    this.#info = session.info
    this.#origin = origin
  }

  /** Whether it is a session of that AmService, and where a token is given, of that token. */
  isOf(amService: AmService, token: string | null): boolean {
    return this.#origin.amService === amService && (token === null || token === this.#origin.token)
  }

  /** The response of the access manager. */
  asJsonValue(): JsonObject {
    return { ...this.#info, properties: this.properties }
  }

  get [exposed](): Exposure<AmSessionInfo> {
    return EXPOSURE
  }
}

const EXPOSURE: Exposure<AmSessionInfo> = {
  kind: 'session of the access manager',
  get: {
    username: (self) => self.username,
    universalId: (self) => self.universalId,
    realm: (self) => self.realm,
    sessionHandle: (self) => self.sessionHandle,
    latestAccessTime: (self) => self.latestAccessTime,
    maxIdleExpirationTime: (self) => self.maxIdleExpirationTime,
    maxSessionExpirationTime: (self) => self.maxSessionExpirationTime,
    properties: (self) => self.properties,
  },
  call: { asJsonValue: (self) => self.asJsonValue() },
}

function instantOf(milliseconds: number | null): Instant | null {
  return milliseconds === null ? null : new Instant(milliseconds)
}

/** The context `amSession`. */
export const AmSessionContext: ContextKey<AmSessionInfo> = contextKey<AmSessionInfo>('amSession')
