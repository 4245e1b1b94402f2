import type { WholeSettings } from '../settings.ts'
import type { Session, Strength } from '../state/sessions.ts'
import { type Advices, readAdvices } from './advices.ts'

/** A login method. */
export interface LoginWay {
  readonly kind: 'user' | 'agent'
  readonly strength: Strength
  /** Nothing in particular was asked for: any session will do. */
  readonly isDefault: boolean
  /** The transaction that the login approves; the session stays as it is. */
  readonly transaction: string | null
}

const USER_MODULES = new Set(['DataStore', 'LDAP'])
/** The tree that is taken where none is named. */
const DEFAULT_TREE = 'ldapService'

/** Reads `authIndexType` and `authIndexValue`, or `service`; null for a tree or module that is not there. */
export function readLoginWay(query: URLSearchParams, settings: WholeSettings): LoginWay | null {
  const type = query.get('authIndexType') ?? (query.has('service') ? 'service' : null)
  return wayOf(type, query.get('authIndexValue') ?? query.get('service') ?? '', settings)
}

/** The same for a login page. Those of OpenAM know `service` and `sunamcompositeadvice`, and classic ones nothing else. */
export function readPageLoginWay(query: URLSearchParams, settings: WholeSettings): LoginWay | null {
  if (settings.family === 'pingam') return readLoginWay(query, settings)
  if (settings.loginPages === 'xui' && query.has('authIndexType')) return readLoginWay(query, settings)
  const advice = query.get('sunamcompositeadvice')
  if (advice !== null) return wayOf('composite_advice', advice, settings)
  const service = query.get('service')
  return wayOf(service === null ? null : 'service', service ?? '', settings)
}

function wayOf(type: string | null, value: string, settings: WholeSettings): LoginWay | null {
  switch (type) {
    case null:
      return defaultWay(settings)
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

function defaultWay(settings: WholeSettings): LoginWay {
  const found = byTree(DEFAULT_TREE, settings) ?? way('user', {})
  return { ...found, isDefault: true }
}

function byTree(name: string, { agentJourney, trees }: WholeSettings): LoginWay | null {
  if (agentJourney !== null && name === agentJourney) return way('agent', { services: [name] })
  const level = Object.hasOwn(trees, name) ? trees[name] : undefined
  return level === undefined ? null : way('user', { level, services: [name] })
}

function byModule(name: string): LoginWay | null {
  if (name === 'Application') return way('agent', { schemes: [name] })
  return USER_MODULES.has(name) ? way('user', { schemes: [name] }) : null
}

/** The weakest login that satisfies every advice. */
function byAdvice(advices: Advices, settings: WholeSettings): LoginWay | null {
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
  return { ...way('user', { level, services, schemes }), transaction }
}

function way(kind: LoginWay['kind'], { level = 0, services = [], schemes = [] }: Partial<Strength>): LoginWay {
  return { kind, strength: { level, services, schemes }, isDefault: false, transaction: null }
}

/** What two logins prove together. */
export function combined(one: Strength, other: Strength): Strength {
  return {
    level: Math.max(one.level, other.level),
    services: [...new Set([...one.services, ...other.services])],
    schemes: [...new Set([...one.schemes, ...other.schemes])],
  }
}

/** Whether this session is enough, without another login. */
export function isEnough(session: Session | undefined, realm: string, wanted: LoginWay): session is Session {
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
