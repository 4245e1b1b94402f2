import { JsonNumber } from '#json'

/** Something wrong with configuration, and where. */
export interface Problem {
  /** JSON pointer into the document. */
  readonly pointer: string
  /** What was expected, what was found, what to do. */
  readonly message: string
}

/** Configuration that can not be used. Holds every problem found, not the first. */
export class ConfigError extends Error {
  readonly code = 'GW_CONFIG_INVALID'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** `/heap/3/config/rate: expected ...`; a problem of the whole document has no pointer to show. */
export function formatProblem({ pointer, message }: Problem): string {
  return pointer === '' ? message : `${pointer}: ${message}`
}

const SHOWN_LENGTH = 80

/** A value as it is shown in a message: JSON, cut short. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber)) return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}...` : text
}

/** Longer names are no misspelled ones. */
const LONGEST_NAME = 64

/** ` did you mean "x"?` for the known name nearest to a misspelled one, or nothing. */
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

/** Two rows of distances, reused: a document may hold thousands of unknown names. */
const rows: [Uint8Array, Uint8Array] = [new Uint8Array(4 * LONGEST_NAME), new Uint8Array(4 * LONGEST_NAME)]

/** Levenshtein distance, given up at `limit`. */
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
