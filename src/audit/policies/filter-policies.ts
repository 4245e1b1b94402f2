import { createHmac, type KeyObject } from 'node:crypto'
import type { JsonObject, JsonValue } from '#json'
import { filterEvent, type TopicPolicies, type ValuePolicy } from './event-filter.ts'
import { PointerTree } from './pointer-tree.ts'

/** `filterPolicies` of a service; pointers begin with the topic. */
export interface FilterPolicies {
  readonly includeIf: readonly string[]
  readonly excludeIf: readonly string[]
  readonly valueIncludeIf: readonly string[]
  readonly valueExcludeIf: readonly string[]
  readonly hash: { readonly fields: readonly string[]; readonly key: KeyObject } | null
  /** Longest text by pointer. */
  readonly truncate: Readonly<Record<string, number>>
  readonly caseInsensitiveFields: readonly string[]
}

/** The filter of one topic. */
export interface TopicFilter {
  readonly include: PointerTree
  /** Whether nothing but the safelist applies: a builder of events that writes no other fields need not filter. */
  readonly isSafelistOnly: boolean
  filter(event: JsonObject): JsonObject
}

/** The group of access events with the fields of the gateway: pointers may use either name, events have the one of the service. */
const GATEWAY_GROUP = /^\/(?:ig|gateway)(?=\/|$)/

/**
 * Combines the safelist of a topic with the policies of the service. Hashed and truncated fields are included. `group` is the name
 * that the fields of the gateway have in access events.
 */
export function topicFilter(
  topic: string,
  safelist: readonly string[],
  policies: FilterPolicies,
  group: 'gateway' | 'ig',
): TopicFilter {
  const named = topic === 'access' ? inGroup : (pointer: string) => pointer
  const own = (pointers: readonly string[]): string[] => pointersOf(topic, pointers).map(named)
  const folded = own(policies.caseInsensitiveFields)
  const tree = (pointers: readonly string[]): PointerTree => PointerTree.of(pointers, folded)
  const hashed = own(policies.hash?.fields ?? [])
  const truncated = Object.entries(policies.truncate).flatMap(([pointer, length]) =>
    own([pointer]).map((field) => ({ field, length })),
  )
  const added = [...own(policies.includeIf), ...hashed, ...truncated.map(({ field }) => field)]
  const excluded = own(policies.excludeIf)
  const withoutValue = own(policies.valueExcludeIf)
  const values: ValuePolicy[] = truncated.map(({ field, length }) => ({
    fields: tree([field]),
    apply: (value) =>
      typeof value === 'string' && value.length > length ? value.slice(0, length).toWellFormed() : value,
  }))
  const { hash } = policies
  if (hash !== null && hashed.length > 0) {
    // After `truncate`, which may cover the same fields: half a hash can not be joined.
    const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value))
    values.push({ fields: tree(hashed), apply: (value) => hmacOf(textOf(value), hash.key) })
  }
  const compiled: TopicPolicies = {
    include: tree([...safelist.map(named), ...added]),
    exclude: tree(excluded),
    withoutValue: tree(withoutValue),
    withValue: tree(own(policies.valueIncludeIf)),
    values,
  }
  return {
    include: compiled.include,
    isSafelistOnly: added.length === 0 && excluded.length === 0 && withoutValue.length === 0,
    filter: (event) => filterEvent(event, compiled),
  }

  function inGroup(pointer: string): string {
    return pointer.replace(GATEWAY_GROUP, `/${group}`)
  }
}

function hmacOf(text: string, key: KeyObject): string {
  return `hmac-sha256:${createHmac('sha256', key).update(text).digest('hex')}`
}

/** Pointers of a topic, relative to its events. */
function pointersOf(topic: string, pointers: readonly string[]): string[] {
  const prefix = `/${topic}`
  return pointers
    .filter((pointer) => pointer === prefix || pointer.startsWith(`${prefix}/`))
    .map((pointer) => pointer.slice(prefix.length))
}
