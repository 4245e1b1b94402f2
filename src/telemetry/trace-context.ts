import type { ReceivedTraceContext } from '#http'

/** The position in a trace that a request names. */
interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
  /** Valid list for `tracestate`; null without one. */
  readonly state: string | null
}

const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-[\x21-\x7e]{0,200})?$/
const LENGTH = 55
const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)
const SAMPLED = 1

const SIMPLE_KEY = /^[a-z0-9][a-z0-9_\-*/]{0,255}$/
const TENANT_KEY = /^[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13}$/
const VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

const MAX_MEMBERS = 32
/** Characters of a list that is read at all. */
const MAX_RECEIVED = 16_384
/** Characters that are propagated: the least that the specification asks for. */
const MAX_STATE = 512
/** Longer members are dropped first. */
const LONG_MEMBER = 128

/** Reads the fields of a request (W3C Trace Context); null without one valid `traceparent`. */
export function readTraceParent({ parents, states }: ReceivedTraceContext): TraceParent | null {
  const [parent] = parents
  if (parent === undefined || parents.length > 1) return null
  const [, version, traceId = '', spanId = '', flags = ''] = PARENT.exec(parent) ?? []
  if (version === undefined || version === 'ff' || traceId === NO_TRACE || spanId === NO_SPAN) return null
  // Later versions may have further parts.
  if (version === '00' && parent.length !== LENGTH) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0, state: readTraceState(states) }
}

/** The members of `tracestate`, within the bound; null where one is malformed, since the list is then worth nothing. */
export function readTraceState(values: readonly string[]): string | null {
  const text = values.length === 1 ? values[0]! : values.join(',')
  if (text.length === 0 || text.length > MAX_RECEIVED) return null
  const members = text
    .split(',')
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((member) => member !== '')
  if (members.length === 0 || members.length > MAX_MEMBERS) return null
  const keys = members.map(validKey)
  if (keys.includes(null) || new Set(keys).size < keys.length) return null
  return bounded(members)
}

function validKey(member: string): string | null {
  const at = member.indexOf('=')
  const key = member.slice(0, Math.max(at, 0))
  if (!SIMPLE_KEY.test(key) && !TENANT_KEY.test(key)) return null
  return VALUE.test(member.slice(at + 1)) ? key : null
}

/** Whole members only: long ones are dropped first, then the oldest, which are last. */
function bounded(members: readonly string[]): string | null {
  const text = members.join(',')
  if (text.length <= MAX_STATE) return text
  const kept = members.filter(({ length }) => length <= LONG_MEMBER)
  while (kept.join(',').length > MAX_STATE) kept.pop()
  return kept.length === 0 ? null : kept.join(',')
}
