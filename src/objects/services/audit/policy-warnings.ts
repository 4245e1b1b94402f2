import { BUILT_IN_TOPICS, unknownField } from '#audit'
import { appendPointer, parsePointer } from '#json'
import { didYouMean, type Problem } from '#schema'
import type { AuditValues } from './audit-fields.ts'

type PolicyConfig = AuditValues['config']

/** Fields that readers of events need as they are, and what for. */
const NEEDED: Readonly<Record<string, string>> = {
  _id: 'by which queries find events and recipients recognise one that was sent twice',
  timestamp: 'by which queries and pages order events',
}

/** A pointer of a policy, and its place in the configuration. */
interface PolicyPointer {
  readonly place: string
  readonly pointer: string
  /** Whether the value of the field is left out or changed. */
  readonly hides: boolean
}

/**
 * Policies without effect, since a field that should be excluded is written then, and policies that make events unreadable. They
 * are warnings: a service of another gateway that has them must load.
 */
export function* policyWarnings(config: PolicyConfig, topics: readonly string[]): Generator<Problem> {
  for (const policy of policyPointers(config)) {
    const [topic = ''] = parsePointer(policy.pointer) ?? []
    const reasons = topics.includes(topic) ? fieldReasons(policy, topic, config) : [unknownTopic(topic, topics)]
    for (const reason of reasons) yield { pointer: policy.place, message: `"${policy.pointer}" ${reason}` }
  }
}

function unknownTopic(topic: string, topics: readonly string[]): string {
  return `has no effect: there is no topic "${topic}"${didYouMean(topic, topics)}; topics are ${topics.join(', ')}`
}

function fieldReasons({ pointer, hides }: PolicyPointer, topic: string, config: PolicyConfig): string[] {
  const field = pointer.slice(topic.length + 1)
  const needed = Object.entries(NEEDED).filter(([name]) => field === '' || field === `/${name}`)
  if (needed.length > 0) {
    return hides ? needed.map(([name, use]) => `hides ${name} of ${topic} events, ${use}; keep it as it is`) : []
  }
  const schema = BUILT_IN_TOPICS.find(({ name }) => name === topic)?.schema
  if (schema === undefined) return []
  const ignoresCase = (object: string): boolean => config.caseInsensitiveFields.includes(`/${topic}${object}`)
  const unknown = unknownField(schema, field, ignoresCase)
  if (unknown === null) return []
  const suggestion = didYouMean(unknown.name, unknown.known)
  return [`has no effect: ${topic} events have no field "${unknown.pointer}"${suggestion}`]
}

function* policyPointers({ caseInsensitiveFields, filterPolicies }: PolicyConfig): Generator<PolicyPointer> {
  const { field, value } = filterPolicies
  const policies = '/config/filterPolicies'
  yield* listed('/config/caseInsensitiveFields', caseInsensitiveFields)
  yield* listed(`${policies}/field/includeIf`, field.includeIf)
  yield* listed(`${policies}/field/excludeIf`, field.excludeIf, () => true)
  yield* listed(`${policies}/field/hash/fields`, field.hash?.fields ?? [], () => true)
  for (const pointer of Object.keys(field.truncate)) {
    yield { place: appendPointer(`${policies}/field/truncate`, pointer), pointer, hides: true }
  }
  yield* listed(`${policies}/value/includeIf`, value.includeIf)
  yield* listed(`${policies}/value/excludeIf`, value.excludeIf, (pointer) => !value.includeIf.includes(pointer))
}

function* listed(
  place: string,
  pointers: readonly string[],
  hides: (pointer: string) => boolean = () => false,
): Generator<PolicyPointer> {
  for (const [at, pointer] of pointers.entries()) {
    yield { place: appendPointer(place, at), pointer, hides: hides(pointer) }
  }
}
