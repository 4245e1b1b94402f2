import { type ContextKey, contextKey } from '#http'
import type { JsonObject } from '#json'

/** The session of a user at the access manager, set by SingleSignOnFilter and CrossDomainSingleSignOnFilter. */
export interface SsoToken {
  /** The session token. */
  readonly value: string
  /** Session information of the access manager: `username`, `uid`, `realm` and more. */
  readonly info: JsonObject
  /** URL of the login page without `goto`: advices are sent there. */
  readonly loginEndpoint: string
  readonly universalId: string | null
}

/** The context `ssoToken`. */
export const SsoTokenContext: ContextKey<SsoToken> = contextKey<SsoToken>('ssoToken')
