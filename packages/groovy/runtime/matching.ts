// `=~`, `==~`, and patterns.

import { compileRegex, MatchError, type Matcher, RegexSyntaxError } from '@identity-gateway/regex'
import { GroovyLimitError } from '../meter.ts'
import { PatternSyntaxException } from '../values/exceptions.ts'
import { MatcherValue, PatternValue } from '../values/pattern.ts'
import { textOf } from '../values/text.ts'
import { throwable } from '../values/throwable.ts'
import type { Value } from '../values/value.ts'

const maxEntries = 200
const recent = new Map<string, PatternValue>()

/** Compiles a pattern of Java's syntax; the last ones are cached. */
export function patternOf(text: string, flags = ''): PatternValue {
  const key = `${flags}/${text}`
  const known = recent.get(key)
  if (known !== undefined) return known
  const made = new PatternValue(text, flags, compile(text, flags))
  const [oldest] = recent.keys()
  if (recent.size >= maxEntries && oldest !== undefined) recent.delete(oldest)
  recent.set(key, made)
  return made
}

function compile(text: string, flags: string): Matcher {
  try {
    return compileRegex(text, flags)
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error
    throw throwable(PatternSyntaxException, `${error.message} near index ${error.offset}\n${text}`)
  }
}

/** Runs a search; exceeding its time limit ends the evaluation. */
export function searching<Result>(search: () => Result): Result {
  try {
    return search()
  } catch (error) {
    if (error instanceof MatchError) throw new GroovyLimitError('regex', error.message)
    throw error
  }
}

/** Converts a Pattern or a string to a pattern. */
export function asPattern(value: Value): PatternValue {
  return value instanceof PatternValue ? value : patternOf(textOf(value))
}

/** `text =~ pattern`. */
export function findMatches(text: Value, pattern: Value): Value {
  return new MatcherValue(asPattern(pattern), textOf(text))
}

/** `text ==~ pattern`. */
export function matchesEntirely(text: Value, pattern: Value): Value {
  if (text === null) return false
  return searching(() => asPattern(pattern).matcher.matchWhole(textOf(text))) !== null
}
