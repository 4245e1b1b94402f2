import type { Policy } from '../policies/policy.ts'
import { type PolicyEvent, setOf } from '../policies/policy-store.ts'
import type { Family } from '../settings.ts'
import type { Session, SessionEvent } from '../state/sessions.ts'
import type { NotificationHub } from './hub.ts'

/** Topic and body are invented: those of PingAM are undocumented. */
export const REVOCATION_TOPIC = '/oauth2/grant/revoked'

/** Notifies of a session that has ended or changed, in both versions of the topic where the family has both. */
export function announceSession(hub: NotificationHub, family: Family, session: Session, eventType: SessionEvent): void {
  hub.publish('/agent/session', { tokenId: session.tokenId, eventType })
  if (family === 'openam') return
  const { uid, universalId, owner } = session
  hub.publish('/agent/session.v2', { sessionuid: uid, universalId, realm: owner.realm, eventType })
}

/** What identifies a revoked token or grant. */
export interface Revocation {
  readonly realm: string
  readonly authGrantId: string
  readonly auditTrackingId: string
}

/** Notifies of a revoked token or grant; OpenAM has no such notification. */
export function announceRevocation(hub: NotificationHub, family: Family, revocation: Revocation): void {
  if (family === 'pingam') hub.publish(REVOCATION_TOPIC, { ...revocation, eventType: 'REVOKE' })
}

/** Notifies of a policy that was created, changed or deleted. */
export function announcePolicy(hub: NotificationHub, realm: string, policy: Policy, eventType: PolicyEvent): void {
  hub.publish('/agent/policy', { realm, policy: policy.name, policySet: setOf(policy), eventType })
}
