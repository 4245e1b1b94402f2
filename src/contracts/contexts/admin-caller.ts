import { type ContextKey, contextKey } from '#http'

/** How callers of the management API are authenticated. */
export const ADMIN_AUTHENTICATIONS = ['basic', 'bearer', 'studio', 'loopback', 'adminProtection'] as const

/** The authenticated caller of the management API. */
export interface AdminCaller {
  /** Null for an anonymous caller. */
  readonly userId: string | null
  /** `loopback`: no credentials required, since the caller is on this machine and the mode is DEVELOPMENT. */
  readonly authentication: (typeof ADMIN_AUTHENTICATIONS)[number]
  /** For a session of the Studio: calls back when it ends; returns the unsubscriber. */
  onSessionEnd?(callback: () => void): () => void
}

/** The context `adminCaller` of authorized requests to the management API. */
export const AdminCallerContext: ContextKey<AdminCaller> = contextKey<AdminCaller>('adminCaller')
