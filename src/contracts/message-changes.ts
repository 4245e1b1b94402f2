import type { ContextLink, Exchange, Headers, Request, Response } from '#http'
import { isSecretName, maskText, redacted } from '#logging'
import { isMaskedHeader } from './masked-headers.ts'

const MAX_VALUE = 1_024

/** A value before and after; null where it is missing. */
type Change<T> = readonly [before: T | null, after: T | null]

/** Changes of a message by a filter. Credentials are masked as by `capture`. */
export interface MessageChanges {
  method?: Change<string>
  uri?: Change<string>
  status?: Change<number>
  headers?: Record<string, Change<string>>
  /** Whether the body was replaced. */
  body?: true
  /** Contexts and attributes that were added. */
  contexts?: readonly string[]
  attributes?: readonly string[]
  /** Whether changes are left out, beyond the size of a trace. */
  truncated?: true
}

export function requestChanges(before: RequestState, after: RequestState): MessageChanges {
  const headers = headerChanges(before.headers, after.headers)
  return {
    ...(before.method !== after.method && { method: [before.method, after.method] as const }),
    ...(before.uri !== after.uri && { uri: [withoutQuery(before.uri), withoutQuery(after.uri)] as const }),
    ...(headers !== null && { headers }),
    ...(before.body !== after.body && { body: true as const }),
    ...listed('contexts', contextsBetween(before.contexts, after.contexts)),
    ...listed(
      'attributes',
      after.attributes.filter((name) => !before.attributes.includes(name)),
    ),
  }
}

export function responseChanges(before: ResponseState, after: ResponseState): MessageChanges {
  const headers = headerChanges(before.headers, after.headers)
  return {
    ...(before.status !== after.status && { status: [before.status, after.status] as const }),
    ...(headers !== null && { headers }),
    ...(before.body !== after.body && { body: true as const }),
  }
}

function headerChanges(before: Snapshot, after: Snapshot): Record<string, Change<string>> | null {
  if (before === after) return null
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  const changes: Record<string, Change<string>> = Object.create(null)
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [left, right] = [old.get(name) ?? null, now.get(name) ?? null]
    if (left === right) continue
    const shown = (value: string | null) => {
      if (value === null) return null
      return isSecretName(name) || isMaskedHeader(name) ? redacted : shownText(value)
    }
    changes[name] = [shown(left), shown(right)]
  }
  return Object.keys(changes).length === 0 ? null : changes
}

/** Names and values of header fields in turn; the same list while nothing was changed. */
type Snapshot = ReturnType<Headers['snapshot']>

/** State of a request for comparison. */
interface RequestState {
  readonly method: string
  readonly uri: string
  readonly headers: Snapshot
  readonly body: Request['body']
  readonly contexts: ContextLink | null
  readonly attributes: readonly string[]
}

/** State of a response for comparison. */
export interface ResponseState {
  readonly status: number
  readonly headers: Snapshot
  readonly body: Response['body']
}

export function requestState({ request, contexts, attributes }: Exchange): RequestState {
  const { method, uri, headers, body } = request
  return { method, uri: String(uri), headers: headers.snapshot(), body, contexts, attributes: Object.keys(attributes) }
}

export function responseState({ status, headers, body }: Response): ResponseState {
  return { status, headers: headers.snapshot(), body }
}

/** Values by their name in lower case. */
function fieldsOf(list: Snapshot): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (let at = 0; at < list.length; at += 2) {
    const name = (list[at] as string).toLowerCase()
    const value = list[at + 1] as string
    const before = fields.get(name)
    fields.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return fields
}

function contextsBetween(before: ContextLink | null, after: ContextLink | null): readonly string[] {
  const names: string[] = []
  for (let link = after; link !== null && link !== before; link = link.parent) names.unshift(link.name)
  return names
}

function listed<K extends string>(key: K, names: readonly string[]): { [P in K]?: readonly string[] } {
  return names.length === 0 ? {} : ({ [key]: names } as { [P in K]: readonly string[] })
}

/** A text of bounded length without credentials. */
export function shownText(text: string): string {
  // Before truncation, which could remove the end that a pattern needs.
  const masked = maskText(text)
  return masked.length > MAX_VALUE ? `${masked.slice(0, MAX_VALUE)}...` : masked
}

/** Queries may have credentials. */
function withoutQuery(uri: string): string {
  return shownText(uri.replace(/\?.*/s, '?...'))
}
