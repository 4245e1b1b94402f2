import { type SessionManager, withSession } from '#contracts'
import { chain, type Filter, type Handler } from '#http'
import type { Logger } from '#logging'
import { EVENTS } from '../log-events.ts'
import { identifyCaller } from './admin-caller.ts'
import { type AdminCredentials, acceptCredentials } from './authentication.ts'
import type { LogInAttempts } from './studio/log-in-attempts.ts'

/** A filter that protects a part of the management API, and the sessions of its logins. */
export interface AdminProtection {
  readonly filter: Filter
  readonly session: SessionManager
  /** Whether the admin credentials are accepted too, as by `apiProtectionFilter` and its like (decisions 9). */
  readonly acceptsCredentials: boolean
}

interface ProtectionParts {
  readonly credentials: AdminCredentials
  readonly attempts: LogInAttempts
  readonly logger: Logger
}

/** Lets the filter decide who reaches the handler. */
export function protectedBy(
  { filter, session, acceptsCredentials }: AdminProtection,
  handler: Handler,
  { credentials, attempts, logger }: ProtectionParts,
): Handler {
  const filtered = (next: Handler) =>
    withSession(session, chain([filter, identifyCaller], next), logger, EVENTS.SESSION_NOT_SAVED)
  const withoutCredentials = filtered(handler)
  if (!acceptsCredentials) return withoutCredentials
  const withCredentials = acceptCredentials({ credentials, attempts }, handler, filtered)
  return (exchange) =>
    exchange.request.headers.has('authorization') ? withCredentials(exchange) : withoutCredentials(exchange)
}
