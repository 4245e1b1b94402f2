import { JsonNumber } from '#json'

/** An error in configuration with its location. */
export interface Problem {
  /** JSON pointer into the document. */
  readonly pointer: string
  /** Expected and found value, and the remedy. */
  readonly message: string
}

/** Invalid configuration, with all problems. */
export class ConfigError extends Error {
  readonly code = 'GW_CONFIG_INVALID'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems.map(formatProblem).join('\n'), options)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** `/heap/3/config/rate: expected ...`; without pointer for a problem of the whole document. */
export function formatProblem({ pointer, message }: Problem): string {
  return pointer === '' ? message : `${pointer}: ${message}`
}

const SHOWN_LENGTH = 80

/** A value for a message: truncated JSON. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber)) return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}...` : text
}

/** For longer names no suggestion is searched. */
const LONGEST_NAME = 64

/** ` did you mean "x"?` with the most similar known name; empty without one. */
export function didYouMean(name: string, known: Iterable<string>): string {
  if (name.length > LONGEST_NAME) return ''
  const misspelled = name.toLowerCase()
  let best: string | null = null
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    if (candidate.length > LONGEST_NAME || Math.abs(name.length - candidate.length) >= bestDistance) continue
    const distance = editDistance(misspelled, candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best === null ? '' : `; did you mean "${best}"?`
}

/** Two rows of distances, reused: a document may have thousands of unknown names. */
const rows: [Uint8Array, Uint8Array] = [new Uint8Array(4 * LONGEST_NAME), new Uint8Array(4 * LONGEST_NAME)]

/** Levenshtein distance; stops at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  let [previous, current] = rows
  for (let column = 0; column <= b.length; column++) previous[column] = column
  for (let row = 1; row <= a.length; row++) {
    const unit = a.charCodeAt(row - 1)
    let least = row
    current[0] = row
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] as number) + (unit === b.charCodeAt(column - 1) ? 0 : 1)
      const shift = Math.min(previous[column] as number, current[column - 1] as number) + 1
      const distance = Math.min(substitution, shift)
      current[column] = distance
      least = Math.min(least, distance)
    }
    if (least >= limit) return limit
    ;[previous, current] = [current, previous]
  }
  return previous[b.length] as number
}
