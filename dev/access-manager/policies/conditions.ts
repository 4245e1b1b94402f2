import type { Transactions } from '../state/transactions.ts'
import { type SimpleTime, timeWindow } from './simple-time.ts'
import type { Requester } from './subjects.ts'

/** What has to hold besides who it is. */
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

/** What a condition is judged by. */
export interface Circumstances {
  readonly who: Requester
  readonly realm: string
  readonly resource: string
  readonly environment: Readonly<Record<string, readonly string[]>>
  readonly now: number
  readonly transactions: Transactions
}

/** Advices by name. */
export type AdviceMap = Readonly<Record<string, readonly string[]>>

/** Whether it holds; what would make it hold; until when that is so, in milliseconds since the epoch. */
interface Judgement {
  readonly met: boolean
  readonly advices: AdviceMap
  readonly until: number
}

const FOREVER = Number.POSITIVE_INFINITY
const MET: Judgement = { met: true, advices: {}, until: FOREVER }

/** Judges a condition; one that is left out holds. */
export function judge(condition: Condition | undefined, circumstances: Circumstances): Judgement {
  const { who, realm, environment, now } = circumstances
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
      return transaction(circumstances)
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
        condition.conditions.map((part) => judge(part, circumstances)),
      )
    case 'NOT': {
      const { met, until } = judge(condition.condition, circumstances)
      return { met: !met, advices: {}, until }
    }
  }
}

/** Once approved it holds for one decision, which must not be cached. */
function transaction({ who, resource, environment, transactions }: Circumstances): Judgement {
  if (who.session === null) return { met: false, advices: {}, until: FOREVER }
  const { uid } = who.session
  const id = environment['TxId']?.[0]
  if (id !== undefined && transactions.use(id, uid, resource)) return { ...MET, until: 0 }
  const begun = transactions.begin(uid, resource)
  return { met: false, advices: { TransactionConditionAdvice: [begun] }, until: 0 }
}

function advised(met: boolean, name: string, ...values: string[]): Judgement {
  return met ? MET : { met, advices: { [name]: values }, until: FOREVER }
}

function plain(met: boolean): Judgement {
  return { met, advices: {}, until: FOREVER }
}

function together(how: 'AND' | 'OR', parts: readonly Judgement[]): Judgement {
  const met = how === 'AND' ? parts.every((part) => part.met) : parts.some((part) => part.met)
  const until = Math.min(FOREVER, ...parts.map((part) => part.until))
  return { met, advices: met ? {} : mergedAdvices(parts.map((part) => part.advices)), until }
}

/** Several advices as one; the values of a name are put together. */
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

/** Whether a value is a condition; otherwise it throws with what is wrong. */
export function checkCondition(value: unknown): asserts value is Condition {
  const given = (value ?? {}) as Record<string, unknown>
  const { type } = given
  if (typeof type !== 'string' || !Object.hasOwn(NEEDS, type))
    throw new Error(`condition: no such type ${JSON.stringify(type)}`)
  const need = NEEDS[type]
  if (typeof need === 'string' && given[need] === undefined) throw new Error(`condition: ${type} wants ${need}`)
  if (typeof need === 'string' && LISTS.has(need) && !Array.isArray(given[need]))
    throw new Error(`condition: ${need}: expected a list`)
  if (type === 'AND' || type === 'OR') (given['conditions'] as unknown[]).forEach(checkCondition)
  if (type === 'NOT') checkCondition(given['condition'])
}
