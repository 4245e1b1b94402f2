import type { Handler, Uri } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { kind } from '#schema'

/** A notification of the access manager: a policy, a session or a token has changed. */
export interface Notification {
  readonly topic: string
  readonly body: JsonObject
}

/** Receives notifications and changes of the connection. Listeners must not throw. */
export interface NotificationListener {
  notified?(notification: Notification): void
  /** Notifications may be missed from now on; also called, with `connected` right after it, for an unparseable message. */
  disconnected?(): void
  /** Notifications arrive again; those in between are lost. */
  connected?(): void
  /** The server turned out to have no notifications; `connected` follows if it gets them. */
  absent?(): void
}

/** The notifications of an access manager. */
export interface Notifications {
  /** Whether the connection is up and every subscription acknowledged. */
  readonly connected: boolean
  /** Whether the server serves requests but has no notifications endpoint: then answers may be used for a short time only. */
  readonly isAbsent: boolean
  /** Adds a listener; returns the function that removes it. It is called for changes only: read `connected` first. */
  listen(listener: NotificationListener): () => void
  /** A request was denied while disconnected: retries to connect soon, at most once a second. */
  hurry?(): void
}

/** How two families of servers differ. */
export interface AmDialect {
  readonly family: 'pingam' | 'openam'
  /** How advices are written into a redirect. */
  readonly adviceEncoding: 'base64url' | 'xml'
  /** The version this was chosen by: the server's own word, else the configuration's, else 7.3. */
  readonly version: string
  /**
   * Whether notifications get lost on an open connection, as those of OpenAM do: then an answer that is used without
   * asking again has to be a recent one. True as well where the version is unknown.
   */
  readonly losesNotifications: boolean
}

/** A valid session of a user. */
export interface AmSession {
  readonly username: string
  readonly realm: string
  /** Null where the server does not send it. */
  readonly universalId: string | null
  /** Milliseconds since the epoch; null where the server does not send it. */
  readonly latestAccessTime: number | null
  readonly maxIdleExpirationTime: number | null
  readonly maxSessionExpirationTime: number | null
  /** The properties that `sessionProperties` asks for; all that the server gives by default. */
  readonly properties: Readonly<Record<string, JsonValue>>
  /** The answer as it came, without `properties`. */
  readonly info: JsonObject
}

/** Looks sessions up; with `sessionCache`, caches them until they end. */
export interface AmSessions {
  /**
   * The session of a token; null where it does not exist or belongs to another realm. Rejects with an
   * AccessManagerError where the server is down, or session notifications are disconnected and `sessionCache` depends on
   * them.
   */
  find(token: string): Promise<AmSession | null>
  /** Evicts a session that this gateway ended, since its notification may be late or lost. */
  forget(token: string): void
}

/** The access manager, as filters see it. */
export interface AmService {
  /** Base address without a slash at its end. */
  readonly url: string
  /** Realm path, `/` for the root. */
  readonly realm: string
  /** Whether sessions and tokens of a realm count here: those of `realm` and of `sharedRealms`. */
  admitsRealm(realm: string): boolean
  /** Name of the agent that the gateway logs in as. */
  readonly agent: string
  /**
   * Sends a request with the agent's session, logs in where needed, and once more on 401. Where the agent can not log
   * in the answer is 503 with an AccessManagerError as `cause`; that the server can not be reached is thrown.
   */
  readonly agentHandler: Handler
  /** Sends a request as it is. */
  readonly handler: Handler
  /** Milliseconds that one call to the access manager may take. */
  readonly callTimeout: number
  /** HMAC key of ID tokens that OpenAM issues to the agent. Rejects with an AccessManagerError where the password can not be read. */
  agentTokenKey(): Promise<Buffer>
  /** Null where `notifications.enabled` is false. */
  readonly notifications: Notifications | null
  readonly sessions: AmSessions
  /** `<url>/json/realms/root[/realms/x]/<path>`; the service's own realm unless another is named. */
  restUri(path: string, realm?: string): Uri
  /** `<url>/oauth2/realms/root[/realms/x]/<path>`. */
  oauth2Uri(path: string, realm?: string): Uri
  /** The name of the session cookie, discovered once. Rejects with an AccessManagerError. */
  cookieName(): Promise<string>
  /** The domains of the session cookie; empty while the server has not supplied them. */
  cookieDomains(): Promise<readonly string[]>
  /** How the server is to be talked to, by its version, discovered once; the configuration's word while it is down. */
  dialect(): Promise<AmDialect>
  /** The same where the server or the configuration has supplied it; null before. */
  readonly knownDialect: AmDialect | null
}

/**
 * The access manager did not do its part: it can not be reached or talks nonsense (`unavailable`), it does not take the
 * agent's credentials (`refused`), or its journey wants more than those (`misconfigured`). Names no host, quotes no
 * answer and holds no token.
 */
export class AccessManagerError extends Error {
  override readonly name = 'AccessManagerError'
  readonly code = 'GW_ACCESS_MANAGER'
  readonly reason: 'unavailable' | 'refused' | 'misconfigured'

  constructor(reason: AccessManagerError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Objects that stand for an access manager. */
export const AmServiceKind = kind<AmService>('AmService')
