import type { Transactions } from '../state/transactions.ts'
import { type SimpleTime, timeWindow } from './simple-time.ts'
import type { Requester } from './subjects.ts'

/** A condition of a policy, besides its subject. */
export type Condition =
  | { readonly type: 'AuthLevel'; readonly authLevel: number }
  | { readonly type: 'AuthenticateToService'; readonly authenticateToService: string }
  | { readonly type: 'AuthenticateToRealm'; readonly authenticateToRealm: string }
  | { readonly type: 'AuthScheme'; readonly authScheme: readonly string[] }
  | { readonly type: 'Transaction' }
  | SimpleTime
  | { readonly type: 'IPv4'; readonly startIp: string; readonly endIp: string }
  | { readonly type: 'OAuth2Scope'; readonly requiredScopes: readonly string[] }
  | { readonly type: 'AND' | 'OR'; readonly conditions: readonly Condition[] }
  | { readonly type: 'NOT'; readonly condition: Condition }

/** Input of the evaluation of a condition. */
export interface ConditionContext {
  readonly who: Requester
  readonly realm: string
  readonly resource: string
  readonly environment: Readonly<Record<string, readonly string[]>>
  readonly now: number
  readonly transactions: Transactions
}

/** Advices by name. */
export type AdviceMap = Readonly<Record<string, readonly string[]>>

/** Whether the condition is met; advices that would meet it; expiry of the result, in milliseconds since the epoch. */
interface ConditionResult {
  readonly met: boolean
  readonly advices: AdviceMap
  readonly until: number
}

const FOREVER = Number.POSITIVE_INFINITY
const MET: ConditionResult = { met: true, advices: {}, until: FOREVER }

/** Evaluates a condition; a missing one is met. */
export function evaluateCondition(condition: Condition | undefined, context: ConditionContext): ConditionResult {
  const { who, realm, environment, now } = context
  const strength = who.session?.strength
  switch (condition?.type) {
    case undefined:
      return MET
    case 'AuthLevel':
      return advised(
        strength !== undefined && strength.level >= condition.authLevel,
        'AuthLevelConditionAdvice',
        String(condition.authLevel),
      )
    case 'AuthenticateToService': {
      const { authenticateToService: service } = condition
      const met = strength?.services.includes(service) ?? false
      return advised(met, 'AuthenticateToServiceConditionAdvice', `${realm}:${service}`)
    }
    case 'AuthenticateToRealm': {
      const { authenticateToRealm: wanted } = condition
      return advised(who.session?.owner.realm === wanted, 'AuthenticateToRealmConditionAdvice', wanted)
    }
    case 'AuthScheme': {
      const met = condition.authScheme.some((scheme) => strength?.schemes.includes(scheme))
      return advised(met, 'AuthSchemeConditionAdvice', ...condition.authScheme)
    }
    case 'Transaction':
      return transaction(context)
    case 'SimpleTime': {
      const { within, until } = timeWindow(condition, now)
      return { met: within, advices: {}, until }
    }
    case 'IPv4':
      return plain(isBetween(environment['requestIp']?.[0], condition.startIp, condition.endIp))
    case 'OAuth2Scope':
      return plain(condition.requiredScopes.every((scope) => environment['scope']?.includes(scope)))
    case 'AND':
    case 'OR':
      return together(
        condition.type,
        condition.conditions.map((part) => evaluateCondition(part, context)),
      )
    case 'NOT': {
      const { met, until } = evaluateCondition(condition.condition, context)
      return { met: !met, advices: {}, until }
    }
  }
}

/** An approval is valid for one decision, which must not be cached. */
function transaction({ who, resource, environment, transactions }: ConditionContext): ConditionResult {
  if (who.session === null) return { met: false, advices: {}, until: FOREVER }
  const { uid } = who.session
  const id = environment['TxId']?.[0]
  if (id !== undefined && transactions.use(id, uid, resource)) return { ...MET, until: 0 }
  const begun = transactions.begin(uid, resource)
  return { met: false, advices: { TransactionConditionAdvice: [begun] }, until: 0 }
}

function advised(met: boolean, name: string, ...values: string[]): ConditionResult {
  return met ? MET : { met, advices: { [name]: values }, until: FOREVER }
}

function plain(met: boolean): ConditionResult {
  return { met, advices: {}, until: FOREVER }
}

function together(how: 'AND' | 'OR', parts: readonly ConditionResult[]): ConditionResult {
  const met = how === 'AND' ? parts.every((part) => part.met) : parts.some((part) => part.met)
  const until = Math.min(FOREVER, ...parts.map((part) => part.until))
  return { met, advices: met ? {} : mergedAdvices(parts.map((part) => part.advices)), until }
}

/** Merges advices; the values of a name are combined. */
export function mergedAdvices(all: readonly AdviceMap[]): AdviceMap {
  const merged: Record<string, string[]> = {}
  for (const advices of all)
    for (const [name, values] of Object.entries(advices))
      merged[name] = [...new Set([...(merged[name] ?? []), ...values])]
  return merged
}

function isBetween(address: string | undefined, start: string, end: string): boolean {
  const [at, from, to] = [address, start, end].map(ipv4Number)
  return at !== undefined && from !== undefined && to !== undefined && at >= from && at <= to
}

function ipv4Number(text: string | undefined): number | undefined {
  const parts = (text ?? '').split('.')
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined
  return parts.reduce((number, part) => number * 256 + Number(part), 0)
}

const NEEDS: Readonly<Record<string, string | null>> = {
  AuthLevel: 'authLevel',
  AuthenticateToService: 'authenticateToService',
  AuthenticateToRealm: 'authenticateToRealm',
  AuthScheme: 'authScheme',
  Transaction: null,
  SimpleTime: null,
  IPv4: 'startIp',
  OAuth2Scope: 'requiredScopes',
  AND: 'conditions',
  OR: 'conditions',
  NOT: 'condition',
}

const LISTS: ReadonlySet<string> = new Set(['authScheme', 'requiredScopes', 'conditions'])

/** Throws with the reason unless a value is a condition. */
export function checkCondition(value: unknown): asserts value is Condition {
  const given = (value ?? {}) as Record<string, unknown>
  const { type } = given
  if (typeof type !== 'string' || !Object.hasOwn(NEEDS, type))
    throw new Error(`condition: no such type ${JSON.stringify(type)}`)
  const need = NEEDS[type]
  if (typeof need === 'string' && given[need] === undefined) throw new Error(`condition: ${type} needs ${need}`)
  if (typeof need === 'string' && LISTS.has(need) && !Array.isArray(given[need]))
    throw new Error(`condition: ${need}: expected a list`)
  if (type === 'AND' || type === 'OR') (given['conditions'] as unknown[]).forEach(checkCondition)
  if (type === 'NOT') checkCondition(given['condition'])
}
