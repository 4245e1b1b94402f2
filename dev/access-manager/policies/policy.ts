import { type Condition, checkCondition } from './conditions.ts'
import { checkSubject, type Subject } from './subjects.ts'

/** A policy, in the format of the policy endpoint. */
export interface Policy {
  readonly name: string
  readonly active?: boolean
  /** Its policy set. */
  readonly applicationName?: string
  /** Patterns: `*` is anything but `?`, `-*-` stays within one level of the path. */
  readonly resources: readonly string[]
  readonly actionValues: Readonly<Record<string, boolean>>
  readonly subject?: Subject
  readonly condition?: Condition
  readonly resourceAttributes?: readonly ResourceAttribute[]
}

/** An attribute in decisions, besides the actions. */
export interface ResourceAttribute {
  readonly type: 'Static' | 'User'
  readonly propertyName: string
  readonly propertyValues?: readonly string[]
}

/** The default policy set, which always exists. */
export const DEFAULT_POLICY_SET = 'iPlanetAMWebAgentService'

/** Throws with the reason unless a value is a policy. */
export function checkPolicy(value: unknown): asserts value is Policy {
  const given = (value ?? {}) as Partial<Record<keyof Policy, unknown>>
  const { name, resources, actionValues, subject, condition, resourceAttributes = [] } = given
  if (typeof name !== 'string' || name === '') throw new Error('name: expected a text')
  if (!isTexts(resources) || resources.length === 0) throw new Error('resources: expected a list of patterns')
  const actions: unknown[] =
    typeof actionValues === 'object' && actionValues !== null ? Object.values(actionValues) : [undefined]
  if (!actions.every((allowed) => typeof allowed === 'boolean'))
    throw new Error('actionValues: expected true or false for each action')
  if (!Array.isArray(resourceAttributes) || !resourceAttributes.every(isAttribute))
    throw new Error('resourceAttributes: expected a list of Static and User attributes')
  if (subject !== undefined) checkSubject(subject)
  if (condition !== undefined) checkCondition(condition)
}

function isAttribute(value: unknown): value is ResourceAttribute {
  const { type, propertyName, propertyValues = [] } = (value ?? {}) as Record<string, unknown>
  return (type === 'Static' || type === 'User') && typeof propertyName === 'string' && isTexts(propertyValues)
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
