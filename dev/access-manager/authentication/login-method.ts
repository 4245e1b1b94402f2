import type { CompleteSettings } from '../settings.ts'
import type { Session, Strength } from '../state/sessions.ts'
import { type Advices, readAdvices } from './advices.ts'

/** A login method. */
export interface LoginMethod {
  readonly kind: 'user' | 'agent'
  readonly strength: Strength
  /** No method was requested: any session is enough. */
  readonly isDefault: boolean
  /** The transaction that the login approves; the session is unchanged. */
  readonly transaction: string | null
}

const USER_MODULES = new Set(['DataStore', 'LDAP'])
/** The default tree. */
const DEFAULT_TREE = 'ldapService'

/** Parses `authIndexType` and `authIndexValue`, or `service`; null for an unknown tree or module. */
export function readLoginMethod(query: URLSearchParams, settings: CompleteSettings): LoginMethod | null {
  const type = query.get('authIndexType') ?? (query.has('service') ? 'service' : null)
  return methodOf(type, query.get('authIndexValue') ?? query.get('service') ?? '', settings)
}

/** The same for a login page. Those of OpenAM read `service` and `sunamcompositeadvice`, classic ones nothing else. */
export function readPageLoginMethod(query: URLSearchParams, settings: CompleteSettings): LoginMethod | null {
  if (settings.family === 'pingam') return readLoginMethod(query, settings)
  if (settings.loginPages === 'xui' && query.has('authIndexType')) return readLoginMethod(query, settings)
  const advice = query.get('sunamcompositeadvice')
  if (advice !== null) return methodOf('composite_advice', advice, settings)
  const service = query.get('service')
  return methodOf(service === null ? null : 'service', service ?? '', settings)
}

function methodOf(type: string | null, value: string, settings: CompleteSettings): LoginMethod | null {
  switch (type) {
    case null:
      return defaultMethod(settings)
    case 'service':
      return byTree(value, settings)
    case 'module':
      return byModule(value)
    case 'composite_advice': {
      const advices = readAdvices(value, settings.family)
      return advices && byAdvice(advices, settings)
    }
    default:
      return null
  }
}

function defaultMethod(settings: CompleteSettings): LoginMethod {
  const found = byTree(DEFAULT_TREE, settings) ?? method('user', {})
  return { ...found, isDefault: true }
}

function byTree(name: string, { agentJourney, trees }: CompleteSettings): LoginMethod | null {
  if (agentJourney !== null && name === agentJourney) return method('agent', { services: [name] })
  const level = Object.hasOwn(trees, name) ? trees[name] : undefined
  return level === undefined ? null : method('user', { level, services: [name] })
}

function byModule(name: string): LoginMethod | null {
  if (name === 'Application') return method('agent', { schemes: [name] })
  return USER_MODULES.has(name) ? method('user', { schemes: [name] }) : null
}

/** The weakest login that satisfies every advice. */
function byAdvice(advices: Advices, settings: CompleteSettings): LoginMethod | null {
  const [transaction = null] = advices.get('TransactionConditionAdvice') ?? []
  const services = (advices.get('AuthenticateToServiceConditionAdvice') ?? []).map((text) =>
    text.slice(text.lastIndexOf(':') + 1),
  )
  const levels = services.map((name) => byTree(name, settings)?.strength.level)
  if (levels.includes(undefined)) return null
  const wanted = Math.max(0, ...(advices.get('AuthLevelConditionAdvice') ?? []).map(Number))
  const best = Math.max(...Object.values(settings.trees))
  if (Number.isNaN(wanted) || wanted > best) return null
  const level = Math.max(wanted, ...(levels as number[]))
  const schemes = advices.get('AuthSchemeConditionAdvice') ?? []
  return { ...method('user', { level, services, schemes }), transaction }
}

function method(kind: LoginMethod['kind'], { level = 0, services = [], schemes = [] }: Partial<Strength>): LoginMethod {
  return { kind, strength: { level, services, schemes }, isDefault: false, transaction: null }
}

/** The combined strength of two logins. */
export function combined(one: Strength, other: Strength): Strength {
  return {
    level: Math.max(one.level, other.level),
    services: [...new Set([...one.services, ...other.services])],
    schemes: [...new Set([...one.schemes, ...other.schemes])],
  }
}

/** Whether a session satisfies the requested method, without another login. */
export function isEnough(session: Session | undefined, realm: string, wanted: LoginMethod): session is Session {
  if (session === undefined || session.owner.kind !== wanted.kind || session.owner.realm !== realm) return false
  if (wanted.transaction !== null) return false
  const { level, services, schemes } = session.strength
  const { strength } = wanted
  return (
    wanted.isDefault ||
    (level >= strength.level &&
      strength.services.every((name) => services.includes(name)) &&
      strength.schemes.every((name) => schemes.includes(name)))
  )
}
