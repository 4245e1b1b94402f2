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
  /** Notifications arrive again; those sent while disconnected are lost. */
  connected?(): void
  /** The server has no notifications endpoint; `connected` follows if it gets one. */
  absent?(): void
}

/** The notifications of an access manager. */
export interface Notifications {
  /** Whether the connection is up and every subscription acknowledged. */
  readonly connected: boolean
  /** Whether the server serves requests but has no notifications endpoint: cached values then get a short TTL. */
  readonly isAbsent: boolean
  /** Adds a listener; returns the function that removes it. It is called for changes only: read `connected` first. */
  listen(listener: NotificationListener): () => void
  /** Reconnects before the backoff ends, at most once a second; called when a request is denied because of the lost connection. */
  requestReconnect?(): void
}

/** Differences between PingAM and OpenAM. */
export interface AmDialect {
  readonly family: 'pingam' | 'openam'
  /** Encoding of advices in a redirect. */
  readonly adviceEncoding: 'base64url' | 'xml'
  /** The version that the server reports, else that of the configuration, else 7.3. */
  readonly version: string
  /**
   * Whether notifications get lost on an open connection, as those of OpenAM do: cached values then get a short TTL. True
   * where the version is unknown.
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
  /** The properties named by `sessionProperties`; by default all that the server returns. */
  readonly properties: Readonly<Record<string, JsonValue>>
  /** The response of the server, without `properties`. */
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
  /** Evicts a session that this gateway ended, in all units, since its notification may be late or lost. */
  evict(token: string): void
}

/** The access manager, as filters see it. */
export interface AmService {
  /** Base URL without trailing slash. */
  readonly url: string
  /** Realm path, `/` for the root. */
  readonly realm: string
  /** Whether sessions and tokens of a realm are accepted: those of `realm` and `sharedRealms` are. */
  admitsRealm(realm: string): boolean
  /** Name of the agent that the gateway logs in as. */
  readonly agent: string
  /**
   * Sends a request with the agent's session; logs in on first use, and once more on 401. Responds 503 with an
   * AccessManagerError as `cause` where the login fails; throws where the server can not be reached.
   */
  readonly agentHandler: Handler
  /** Sends a request without the agent's session. */
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
  /** By the version of the server, discovered once; by that of the configuration while the server is down. */
  dialect(): Promise<AmDialect>
  /** The dialect without a call; null until the server or the configuration has named a version. */
  readonly knownDialect: AmDialect | null
}

/**
 * A failed call to the access manager: it can not be reached or sent an invalid response (`unavailable`), rejected the
 * agent's credentials (`refused`), or its journey requires further callbacks (`misconfigured`). Contains no host, response
 * or token.
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

export const AmServiceKind = kind<AmService>('AmService')
