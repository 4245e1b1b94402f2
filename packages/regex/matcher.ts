import type { ParsedRegex } from './ast.ts'
import { backtrackingCost, linearCost } from './cost.ts'
import { emitLinear } from './emit.ts'
import { MatchError, RegexSyntaxError } from './errors.ts'
import { Machine } from './machine.ts'
import { parseRegex } from './parser.ts'
import { longestWithin } from './polynomial.ts'
import { literalText } from './prefix.ts'
import { compileProgram, type Program } from './program.ts'

/** The longest text that is searched. */
const maxSubjectLength = 1024 * 1024
/** The longest text that is searched by the machine. */
const maxMachineSubjectLength = 256 * 1024
/** Maximum steps of V8 in the worst case, of some nanoseconds each: a few tens of milliseconds. */
const maxBacktrackingSteps = 2 ** 23
/** Maximum steps of V8's linear engine, where a step takes ten times as long. */
const maxLinearSteps = 2 ** 21
/** Milliseconds for all searches of one replacement or split; each search is linear, their sum is not. */
const maxSearchTime = 100

/** Position and groups of a match: the whole match first, null for a group that did not participate. */
export interface Match {
  readonly index: number
  readonly end: number
  readonly groups: readonly (string | null)[]
  readonly names: ReadonlyMap<string, number>
}

/** A compiled regular expression with limited running time on any subject. */
export interface Matcher {
  readonly source: string
  readonly parsed: ParsedRegex
  /** Whether the pattern is found anywhere in a text. */
  test(subject: string): boolean
  /** Finds the first match at or after `from`. */
  find(subject: string, from?: number): Match | null
  /** Matches the whole text. */
  matchWhole(subject: string): Match | null
  /** Finds all matches that do not overlap. */
  findAll(subject: string): Iterable<Match>
}

type Extent = 'part' | 'whole'

/** An engine that runs a pattern. */
interface Engine {
  test(subject: string): boolean
  search(subject: string, from: number): Match | null
}

/** Compiles a pattern of Java's syntax, with `flags` of the letters `ismxud`; throws a `RegexSyntaxError`. */
export function compileRegex(pattern: string, flags = ''): Matcher {
  const parsed = parseRegex(pattern, flags)
  const source = emitLinear(parsed.root)
  const program = source === null ? compileProgram(parsed) : null
  const part = engineFor(parsed, source, program, 'part')
  // Most patterns are searched only.
  let whole: Engine | null = null
  return {
    source: pattern,
    parsed,
    test: (subject) => part.test(subject),
    find: (subject, from = 0) => part.search(subject, from),
    matchWhole: (subject) => {
      whole ??= engineFor(parsed, source === null ? null : `^(?:${source})$`, program, 'whole')
      return whole.search(subject, 0)
    },
    findAll: (subject) => findAll(part, subject),
  }
}

/** Uses V8 where its worst case is short enough, and the machine elsewhere. */
function engineFor(parsed: ParsedRegex, source: string | null, program: Program | null, extent: Extent): Engine {
  const text = extent === 'part' ? literalText(parsed) : null
  if (text !== null) return literal(text, parsed)
  const slow = machine(parsed, program, extent)
  if (source === null) return slow
  const fast = native(parsed, source)
  const limit = nativeLimit(parsed, extent)
  return {
    test: (subject) => (subject.length <= limit ? fast : slow).test(subject),
    search: (subject, from) => (subject.length <= limit ? fast : slow).search(subject, from),
  }
}

/** Finds a literal text; in linear time, and so in subjects of any length. */
function literal(text: string, { names }: ParsedRegex): Engine {
  return {
    test: (subject) => subject.includes(text),
    search: (subject, from) => {
      const index = subject.indexOf(text, from)
      return index < 0 ? null : { index, end: index + text.length, groups: [text], names }
    },
  }
}

/** The longest subject for which both engines of V8 stay within their limits. */
function nativeLimit({ root }: ParsedRegex, extent: Extent): number {
  return Math.min(
    longestWithin(maxBacktrackingSteps, backtrackingCost(root, extent), maxSubjectLength),
    longestWithin(maxLinearSteps, linearCost(root), maxSubjectLength),
  )
}

function native({ names }: ParsedRegex, source: string): Engine {
  const plain = expressionOf(source, '')
  // Only for places: most patterns are tested.
  let global: RegExp | null = null
  return {
    test: (subject) => contained(() => plain.test(subject)),
    search: (subject, from) => {
      const searching = global ?? expressionOf(source, 'g')
      global = searching
      searching.lastIndex = from
      const found = contained(() => searching.exec(subject))
      if (found === null) return null
      const groups = Array.from(found, (group: string | undefined) => group ?? null)
      return { index: found.index, end: found.index + found[0].length, groups, names }
    },
  }
}

function expressionOf(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch (error) {
    throw new RegexSyntaxError(`this pattern cannot be compiled: ${(error as Error).message.slice(0, 200)}`, 0)
  }
}

/** Converts exceptions of V8: it generates code at the first search, and its stack can overflow. */
function contained<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw new MatchError(`a regular expression failed on this text: ${(error as Error).message.slice(0, 200)}`)
  }
}

function machine(parsed: ParsedRegex, ready: Program | null, extent: Extent): Engine {
  let program = ready
  const search: Engine['search'] = (subject, from) => {
    if (subject.length > maxMachineSubjectLength) throw tooLong(subject, maxMachineSubjectLength)
    program ??= contained(() => compileProgram(parsed))
    const slots = new Machine(program, subject, extent).search(from)
    if (slots === null) return null
    const groups = Array.from({ length: parsed.groupCount + 1 }, (_, index) => {
      const [start, end] = [slots[index * 2]!, slots[index * 2 + 1]!]
      return start < 0 || end < 0 ? null : subject.slice(start, end)
    })
    return { index: slots[0]!, end: slots[1]!, groups, names: parsed.names }
  }
  return { test: (subject) => search(subject, 0) !== null, search }
}

function tooLong({ length }: string, limit: number): MatchError {
  return new MatchError(`a text of ${length} characters is too long for this regular expression (${limit})`)
}

function* findAll({ search }: Engine, subject: string): Iterable<Match> {
  const deadline = performance.now() + maxSearchTime
  let position = 0
  while (position <= subject.length) {
    const found = search(subject, position)
    if (found === null) return
    yield found
    position = found.end === found.index ? found.end + 1 : found.end
    if (performance.now() > deadline) throw new MatchError('a regular expression took too long on this text')
  }
}
