import type { RequestEvent } from '#contracts'
import { compileFilter, type Pointer, parseQueryFilter, type QueryFilter } from '#crest'
import type { Exchange } from '#http'
import type { JsonValue } from '#json'
import { type EndedRequest, FIELDS, START_FIELDS } from './request-event.ts'

/** A filter of live requests. */
export interface RequestFilter {
  matches(request: EndedRequest): boolean
  /** False for a request of which method and path already decide that it will not match. */
  mayMatch(exchange: Exchange): boolean
}

export function compileRequestFilter(text: string): RequestFilter {
  const filter = parseQueryFilter(text)
  const matches = compileFilter<EndedRequest>(filter, (pointer) => readerOf(FIELDS, pointer), {})
  const parts = filter.kind === 'and' ? filter.filters : [filter]
  const decided: QueryFilter = { kind: 'and', filters: parts.filter(isDecidedAtStart) }
  const mayMatch = compileFilter<Exchange>(decided, (pointer) => readerOf(START_FIELDS, pointer), {})
  return {
    matches: (request) => matches(request) === true,
    mayMatch: (exchange) => mayMatch(exchange) === true,
  }
}

/** Reads only the field that the filter names. */
function readerOf<E>(
  fields: { readonly [F in keyof RequestEvent]?: (entry: E) => JsonValue },
  [name = '', ...rest]: Pointer,
): (entry: E) => JsonValue | undefined {
  const read = Object.hasOwn(fields, name) ? fields[name as keyof RequestEvent] : undefined
  return read === undefined || rest.length > 0 ? () => undefined : read
}

/** Whether a part of a filter reads only fields that are known when a request begins. */
function isDecidedAtStart(filter: QueryFilter): boolean {
  switch (filter.kind) {
    case 'literal':
      return true
    case 'not':
      return isDecidedAtStart(filter.filter)
    case 'and':
    case 'or':
      return filter.filters.every(isDecidedAtStart)
    case 'present':
    case 'comparison':
      return Object.hasOwn(START_FIELDS, filter.pointer[0] ?? '')
  }
}
