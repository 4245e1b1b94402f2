import { RegexSyntaxError } from './errors.ts'
import { compileRegex, type Matcher } from './matcher.ts'

const maxEntries = 200
/** Limit of patterns that are no literals of the configuration, so that compiling them is cheap. */
const maxPatternLength = 1_000

const recent = new Map<string, Matcher>()

/** Compiles a pattern at evaluation, with a cache of the last ones. */
export function cachedRegex(pattern: string): Matcher {
  if (pattern.length > maxPatternLength) {
    throw new RegexSyntaxError(`a pattern that is not a literal has at most ${maxPatternLength} characters`, 0)
  }
  return literalRegex(pattern)
}

/** Compiles a literal pattern of the configuration: for its condition, for the index of routes and for warnings. */
export function literalRegex(pattern: string): Matcher {
  const known = recent.get(pattern)
  if (known !== undefined) return known
  const matcher = compileRegex(pattern)
  const [oldest] = recent.keys()
  if (recent.size >= maxEntries && oldest !== undefined) recent.delete(oldest)
  recent.set(pattern, matcher)
  return matcher
}
