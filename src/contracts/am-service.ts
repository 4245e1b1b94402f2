import type { Handler, Uri } from '#http'
import type { JsonObject } from '#json'
import { kind } from '#schema'

/** News from the access manager: a policy, a session or a token has changed. */
export interface Notification {
  readonly topic: string
  readonly body: JsonObject
}

/** Somebody who wants to hear news, and to know while there can be none. Listeners must not throw. */
export interface NotificationListener {
  notified?(notification: Notification): void
  /** News can be missed from now on. */
  disconnected?(): void
  /** News arrive again; whatever happened in between is not told. */
  connected?(): void
}

/** The stream of news. */
export interface Notifications {
  /** Whether the connection is up and every subscription acknowledged. */
  readonly connected: boolean
  /** Starts listening; gives the way to stop. */
  listen(listener: NotificationListener): () => void
}

/** How two families of servers differ. */
export interface AmDialect {
  readonly family: 'pingam' | 'openam'
  /** How advices are written into a redirect. */
  readonly adviceEncoding: 'base64url' | 'xml'
}

/** The access manager, as filters see it. */
export interface AmService {
  /** Base address without a slash at its end. */
  readonly url: string
  /** Realm path, `/` for the root. */
  readonly realm: string
  /** Sends a request with the agent's session, logs in where needed, and once more on 401. */
  readonly agentHandler: Handler
  /** Sends a request as it is. */
  readonly handler: Handler
  /** Null where `notifications.enabled` is false. */
  readonly notifications: Notifications | null
  /** `<url>/json/realms/root[/realms/x]/<path>`; the service's own realm unless another is named. */
  restUri(path: string, realm?: string): Uri
  /** `<url>/oauth2/realms/root[/realms/x]/<path>`. */
  oauth2Uri(path: string, realm?: string): Uri
  /** The name of the session cookie, discovered once. */
  cookieName(): Promise<string>
  /** How the server is to be talked to, by its version, discovered once. */
  dialect(): Promise<AmDialect>
}

/** Objects that stand for an access manager. */
export const AmServiceKind = kind<AmService>('AmService')
