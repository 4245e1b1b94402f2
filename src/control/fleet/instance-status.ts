import { isPlainObject, type JsonObject, type JsonValue, parseJson } from '#json'
import { type Labels, type Pointer, wantedRelease } from '#releases'

/** Why a release, or a file of it, is not served. */
export interface ReleaseProblem {
  /** Path in the release; empty where it is no single file. */
  readonly file: string
  readonly pointer?: string
  readonly message: string
}

/** `behind`: it serves another release than it should, and nothing failed so far. */
export type InstanceState = 'current' | 'behind' | 'failing'

/** The record of an instance, which it writes itself. */
export interface InstanceStatus {
  readonly id: string
  readonly version: string
  /** Where it serves traffic. */
  readonly address: string
  readonly labels: Labels
  /** Null while that is not known. */
  readonly wanted: number | null
  /** The last release of which it serves every file; null without one. */
  readonly served: number | null
  readonly state: InstanceState
  readonly problems: readonly ReleaseProblem[]
  /** Since when state, wanted and served are these; by the clock of the instance. */
  readonly since: string
}

const MAX_PROBLEMS = 50
const MAX_MESSAGE = 500
const MAX_TEXT = 1_024
const STATES: ReadonlySet<JsonValue | undefined> = new Set(['current', 'behind', 'failing'])

/** Bounded: the record is rewritten with each change, and read by all. */
export function boundedProblems(problems: readonly ReleaseProblem[]): ReleaseProblem[] {
  const shown = problems.slice(0, MAX_PROBLEMS).map(({ file, pointer, message }) => ({
    file,
    ...(pointer !== undefined && { pointer: pointer.slice(0, MAX_MESSAGE) }),
    message: message.slice(0, MAX_MESSAGE),
  }))
  if (problems.length <= MAX_PROBLEMS) return shown
  return [...shown, { file: '', message: `and ${problems.length - MAX_PROBLEMS} more; see the log of the instance` }]
}

/**
 * The status of an instance by what the store has. A record that names an earlier release than the instance should serve was not
 * written since: the instance does not know of the release yet, is frozen or dead, or the store takes no writes.
 */
export function comparedWith(status: InstanceStatus, pointer: Pointer): InstanceStatus {
  const wanted = wantedRelease(pointer, status.labels)
  if (status.wanted === null || status.wanted >= wanted) return status
  return { ...status, wanted, state: status.state === 'current' ? 'behind' : status.state }
}

/** `process`: a token of the process that writes it. */
export function encodeStatus({ id: _, ...status }: InstanceStatus, process: string): string {
  return JSON.stringify({ format: 1, process, ...status })
}

/** The token of the process that has written a record; empty where it has none. */
export function processOf(value: Buffer): string {
  try {
    const json = parseJson(value.toString('utf8'))
    return isPlainObject(json) ? textOf(json['process']) : ''
  } catch {
    return ''
  }
}

/** Null for a value that is not the record of an instance: anyone with access to the store may have written it. */
export function decodeStatus(id: string, value: Buffer): InstanceStatus | null {
  let json: JsonValue
  try {
    json = parseJson(value.toString('utf8'))
  } catch {
    return null
  }
  if (!isPlainObject(json)) return null
  const { version, address, labels, wanted, served, state, problems, since } = json as JsonObject
  if (!STATES.has(state) || !isNumberOrNull(wanted) || !isNumberOrNull(served)) return null
  return {
    id,
    version: textOf(version),
    address: textOf(address),
    labels: labelsOf(labels),
    wanted,
    served,
    state: state as InstanceState,
    problems: boundedProblems((Array.isArray(problems) ? problems : []).flatMap(problemOf)),
    since: textOf(since),
  }
}

function isNumberOrNull(value: JsonValue | undefined): value is number | null {
  return value === null || (typeof value === 'number' && Number.isSafeInteger(value) && value > 0)
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : ''
}

function labelsOf(value: JsonValue | undefined): Labels {
  if (!isPlainObject(value)) return {}
  const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(texts.map(([name, text]) => [name, text.slice(0, MAX_TEXT)]))
}

function problemOf(value: JsonValue): ReleaseProblem[] {
  if (!isPlainObject(value)) return []
  const { file, pointer, message } = value as JsonObject
  return [{ file: textOf(file), ...(typeof pointer === 'string' && { pointer }), message: textOf(message) }]
}
