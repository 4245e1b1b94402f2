import { JsonNumber } from '#json'
import { type AdviceMap, type ConditionContext, evaluateCondition, mergedAdvices } from './conditions.ts'
import type { ResourceAttribute } from './policy.ts'
import type { CompiledPolicy } from './policy-store.ts'
import { isAbout } from './subjects.ts'

/** The decision about one resource. */
export interface Decision {
  readonly resource: string
  readonly actions: Readonly<Record<string, boolean>>
  readonly attributes: Readonly<Record<string, readonly string[]>>
  readonly advices: AdviceMap
  /** Milliseconds since the epoch. */
  readonly ttl: JsonNumber | number
}

/** No expiry: the largest 64-bit integer, written exactly as the real servers do. */
const NO_LIMIT = new JsonNumber('9223372036854775807')

/** Decides about one resource. An action is allowed only if no policy denies it. */
export function decide(
  policies: readonly CompiledPolicy[],
  context: ConditionContext,
  userAttributes: Readonly<Record<string, readonly string[]>>,
): Decision {
  const actions: Record<string, boolean> = {}
  const attributes: Record<string, readonly string[]> = {}
  const advices: AdviceMap[] = []
  let until = Number.POSITIVE_INFINITY
  for (const { policy, matches } of policies) {
    if (!matches(context.resource) || !isAbout(policy.subject, context.who)) continue
    const judgement = evaluateCondition(policy.condition, context)
    until = Math.min(until, judgement.until)
    if (!judgement.met) {
      advices.push(judgement.advices)
      continue
    }
    for (const [action, allowed] of Object.entries(policy.actionValues))
      actions[action] = allowed && actions[action] !== false
    for (const attribute of policy.resourceAttributes ?? [])
      attributes[attribute.propertyName] = valuesOf(attribute, userAttributes)
  }
  const granted = Object.keys(actions).length > 0
  return {
    resource: context.resource,
    actions,
    attributes,
    advices: granted ? {} : mergedAdvices(advices),
    ttl: until === Number.POSITIVE_INFINITY ? NO_LIMIT : until,
  }
}

function valuesOf(
  { type, propertyName, propertyValues = [] }: ResourceAttribute,
  userAttributes: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  return type === 'Static' ? propertyValues : (userAttributes[propertyName] ?? [])
}
