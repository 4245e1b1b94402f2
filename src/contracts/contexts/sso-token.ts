import { type ContextKey, contextKey } from '#http'
import type { JsonObject } from '#json'

/** The session of a user at the access manager, as SingleSignOnFilter and CrossDomainSingleSignOnFilter found it. */
export interface SsoToken {
  /** The session token. */
  readonly value: string
  /** Session information of the access manager: `username`, `uid`, `realm` and more. */
  readonly info: JsonObject
  /** Where a user logs in, without `goto`: advices are sent there. */
  readonly loginEndpoint: string
  readonly universalId: string | null
}

/** The context `ssoToken`. */
export const SsoTokenContext: ContextKey<SsoToken> = contextKey<SsoToken>('ssoToken')
