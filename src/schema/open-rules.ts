import { Deferred, type SettleContext } from './deferred.ts'
import type { PresenceRule } from './rules.ts'

/** The given members of an object, by their current names. */
type Given = ReadonlyMap<string, { readonly value: unknown }>

/** Rules about members whose expressions may be null, which is as if the member were not given (field-notes 1.6). */
interface OpenRules {
  readonly rules: readonly PresenceRule[]
  readonly given: Given
}

const OPEN_RULES = new WeakMap<object, OpenRules>()

/** Checks the rules of an object. Those that depend on the value of an expression are kept until it is settled. */
export function checkRules(
  decoded: Readonly<Record<string, unknown>>,
  rules: readonly PresenceRule[],
  given: Given,
  report: (rule: PresenceRule, message: string) => void,
): void {
  const open: PresenceRule[] = []
  for (const rule of rules) {
    let isOpen = false
    const present = (name: string): boolean => {
      isOpen ||= mayBeNull(decoded[name])
      return given.has(name)
    }
    const message = rule.check(present, (name) => given.get(name)?.value)
    if (isOpen) open.push(rule)
    else if (message !== null) report(rule, message)
  }
  if (open.length > 0) OPEN_RULES.set(decoded, { rules: open, given })
}

/** Checks the rules that were kept, when the values of expressions are known. */
export function checkOpenRules(
  decoded: Readonly<Record<string, unknown>>,
  { scope }: Pick<SettleContext, 'scope'>,
  report: (rule: PresenceRule, message: string) => void,
): void {
  const open = OPEN_RULES.get(decoded)
  if (open === undefined) return
  const { rules, given } = open
  for (const rule of rules) {
    const nulls = new Set<string>()
    const present = (name: string): boolean => {
      const member = decoded[name]
      if (member instanceof Deferred && member.isNull(scope)) nulls.add(name)
      return given.has(name) && !nulls.has(name)
    }
    const message = rule.check(present, (name) => given.get(name)?.value)
    if (message === null) continue
    report(rule, nulls.size === 0 ? message : `${message}; the expression of ${[...nulls].join(' and ')} is null`)
  }
}

function mayBeNull(member: unknown): boolean {
  return member instanceof Deferred && member.mayBeNull
}
