import { type ContextKey, contextKey } from '#http'

/** A token of the security token service of the access manager, set by TokenTransformationFilter. */
export interface Sts {
  /** The token: a SAML 2.0 assertion as XML. */
  readonly issuedToken: string
}

/** The context `sts`. */
export const StsContext: ContextKey<Sts> = contextKey<Sts>('sts')
