import { EvaluationError, RegexSyntaxError } from '../errors.ts'
import type { ParsedRegex } from './ast.ts'
import { costOf } from './cost.ts'
import { emitLinear } from './emit.ts'
import { Machine } from './machine.ts'
import { parseRegex } from './parser.ts'
import { compileProgram } from './program.ts'

/** The longest text that is searched. */
const maxSubjectLength = 1024 * 1024
/** The longest text that is searched by the machine. */
const maxMachineSubjectLength = 256 * 1024
/** The most steps V8 may take at worst; a few tens of milliseconds. */
const maxNativeSteps = 2 ** 24
/** How long all searches of one replacement or split may take; each by itself is linear, their sum is not. */
const maxSearchTime = 100

/** Where a pattern matched, and its groups: the whole match first, null for a group that took no part. */
export interface Match {
  readonly index: number
  readonly end: number
  readonly groups: readonly (string | null)[]
  readonly names: ReadonlyMap<string, number>
}

/** A compiled regular expression; no subject makes it run for long. */
export interface Matcher {
  readonly source: string
  readonly parsed: ParsedRegex
  /** Says whether the pattern is found anywhere in a text. */
  test(subject: string): boolean
  /** Finds the first match at or after `from`. */
  find(subject: string, from?: number): Match | null
  /** Matches the whole text. */
  matchWhole(subject: string): Match | null
  /** Finds all matches that do not overlap. */
  findAll(subject: string): Iterable<Match>
}

type Search = (subject: string, from: number) => Match | null

/** Compiles a pattern of Java's syntax, with `flags` of the letters `ismxud`; throws a `RegexSyntaxError`. */
export function compileRegex(pattern: string, flags = ''): Matcher {
  const parsed = parseRegex(pattern, flags)
  const source = emitLinear(parsed.root)
  const find = searcher(parsed, source, 'part')
  const whole = searcher(parsed, source === null ? null : `^(?:${source})$`, 'whole')
  return {
    source: pattern,
    parsed,
    test: source === null ? (subject) => find(subject, 0) !== null : tester(parsed, source, find),
    find: (subject, from = 0) => find(subject, from),
    matchWhole: (subject) => whole(subject, 0),
    findAll: (subject) => findAll(find, subject),
  }
}

/** Lets V8 search where its worst case is short enough, and the machine elsewhere. */
function searcher(parsed: ParsedRegex, source: string | null, extent: 'part' | 'whole'): Search {
  let machine: Search | null = null
  const slow: Search = (subject, from) => {
    checkLength(subject, maxMachineSubjectLength)
    machine ??= machineSearch(parsed, extent)
    return machine(subject, from)
  }
  if (source === null) {
    machine = machineSearch(parsed, extent)
    return slow
  }
  const native = nativeSearch(source, parsed)
  const limit = nativeLimit(parsed, extent)
  return (subject, from) => (subject.length <= limit ? native(subject, from) : slow(subject, from))
}

/** The longest subject V8 is sure to be done with in some tens of milliseconds. */
function nativeLimit({ root }: ParsedRegex, extent: 'part' | 'whole'): number {
  const { degree, factor } = costOf(root, extent)
  if (degree === 0) return factor <= maxNativeSteps ? maxSubjectLength : 0
  return Math.min(maxSubjectLength, Math.floor((maxNativeSteps / factor) ** (1 / degree)))
}

function tester(parsed: ParsedRegex, source: string, find: Search): Matcher['test'] {
  const expression = native(source, '')
  const limit = nativeLimit(parsed, 'part')
  return (subject) => (subject.length <= limit ? expression.test(subject) : find(subject, 0) !== null)
}

function checkLength(subject: string, limit: number): void {
  if (subject.length <= limit) return
  throw new EvaluationError(`a text of ${subject.length} characters is too long for this regular expression (${limit})`)
}

function native(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch (error) {
    throw new RegexSyntaxError(`this pattern cannot be compiled: ${(error as Error).message.slice(0, 200)}`, 0)
  }
}

function nativeSearch(source: string, { names }: ParsedRegex): Search {
  const expression = native(source, 'g')
  return (subject, from) => {
    expression.lastIndex = from
    const found = expression.exec(subject)
    if (found === null) return null
    const groups = Array.from(found, (group: string | undefined) => group ?? null)
    return { index: found.index, end: found.index + found[0].length, groups, names }
  }
}

function machineSearch(parsed: ParsedRegex, extent: 'part' | 'whole'): Search {
  const program = compileProgram(parsed)
  return (subject, from) => {
    const slots = new Machine(program, subject, extent).search(from)
    if (slots === null) return null
    const groups = Array.from({ length: parsed.groupCount + 1 }, (_, index) => {
      const [start, end] = [slots[index * 2]!, slots[index * 2 + 1]!]
      return start < 0 || end < 0 ? null : subject.slice(start, end)
    })
    return { index: slots[0]!, end: slots[1]!, groups, names: parsed.names }
  }
}

function* findAll(find: Search, subject: string): Iterable<Match> {
  const deadline = performance.now() + maxSearchTime
  let position = 0
  while (position <= subject.length) {
    const found = find(subject, position)
    if (found === null) return
    yield found
    position = found.end === found.index ? found.end + 1 : found.end
    if (performance.now() > deadline) throw new EvaluationError('a regular expression took too long on this text')
  }
}
