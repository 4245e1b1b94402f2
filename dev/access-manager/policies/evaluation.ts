import { decodeJwt } from 'jose'
import type { Call } from '../http/call.ts'
import { crestError, type EndpointResponse, json } from '../http/endpoint-response.ts'
import type { Family } from '../settings.ts'
import type { Directory } from '../state/accounts.ts'
import type { Session, Sessions } from '../state/sessions.ts'
import type { Transactions } from '../state/transactions.ts'
import { decide } from './decision.ts'
import { DEFAULT_POLICY_SET } from './policy.ts'
import type { PolicyStore } from './policy-store.ts'
import type { Requester } from './subjects.ts'

export interface EvaluationParts {
  readonly family: Family
  readonly sessions: Sessions
  readonly directory: Directory
  readonly transactions: Transactions
  readonly now: () => number
  readonly storeOf: (realm: string) => PolicyStore
}

/** `policies?_action=evaluate`: decisions about resources for a subject. */
export function evaluate(
  parts: EvaluationParts,
  call: Call,
  caller: Session,
  body: Readonly<Record<string, unknown>>,
): EndpointResponse {
  const { resources, application = DEFAULT_POLICY_SET, subject, environment = {} } = body
  if (!isTexts(resources) || resources.length === 0) return crestError(400, 'Invalid value resources')
  const store = parts.storeOf(call.realm)
  if (typeof application !== 'string' || !store.sets.has(application))
    return crestError(404, `Policy set ${JSON.stringify(application)} not found`)
  if (!isEnvironment(environment)) return crestError(400, 'Invalid value environment')
  const who = subject === undefined ? { session: caller, claims: null } : requester(parts, subject)
  if (who === null) return crestError(400, 'Invalid value subject')
  const policies = store.inForce(application)
  const owner = who.session?.owner
  const attributes = (owner && parts.directory.user(owner.realm, owner.name)?.attributes) ?? {}
  const { transactions, now } = parts
  const decisions = resources.map((resource) =>
    decide(policies, { who, realm: call.realm, resource, environment, now: now(), transactions }, attributes),
  )
  return json(decisions)
}

/** The subject; null for an invalid one. PingAM ignores unknown sessions, OpenAM rejects them. */
function requester({ family, sessions }: EvaluationParts, subject: unknown): Requester | null {
  if (typeof subject !== 'object' || subject === null) return null
  const { ssoToken, jwt, claims } = subject as Record<string, unknown>
  const session = typeof ssoToken === 'string' ? (sessions.find(ssoToken) ?? null) : null
  if (ssoToken !== undefined && session === null && family === 'openam') return null
  const given = jwt === undefined ? claims : claimsOf(jwt)
  if (given === undefined) return ssoToken === undefined ? null : { session, claims: null }
  if (typeof given !== 'object' || given === null || typeof (given as { sub?: unknown }).sub !== 'string') return null
  return { session, claims: given as Record<string, unknown> }
}

/** The claims of a JWT. The caller has to verify its signature. */
function claimsOf(jwt: unknown): object | null {
  try {
    return decodeJwt(String(jwt))
  } catch {
    return null
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isEnvironment(value: unknown): value is Record<string, string[]> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isTexts)
}
