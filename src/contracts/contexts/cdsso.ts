import { type ContextKey, contextKey } from '#http'
import type { ClaimsSet } from './claims-set.ts'

/** User information of CrossDomainSingleSignOnFilter. */
export interface Cdsso {
  /** The ID token that the access manager issued to the gateway. */
  readonly token: string
  /** The session token in it. */
  readonly value: string
  readonly sessionUid: string | null
  readonly claimsSet: ClaimsSet
  readonly redirectEndpoint: string
  readonly cookieInfo: { readonly name: string; readonly domain: string | null; readonly path: string }
}

/** The context `cdsso`. */
export const CdssoContext: ContextKey<Cdsso> = contextKey<Cdsso>('cdsso')

/** Why a cross-domain login failed; for failure handlers. */
export interface CdssoFailure {
  readonly error: string
  readonly description: string
  readonly redirectUri: string
  readonly cause: { readonly message: string } | null
}

/** The context `cdssoFailure`. */
export const CdssoFailureContext: ContextKey<CdssoFailure> = contextKey<CdssoFailure>('cdssoFailure')
