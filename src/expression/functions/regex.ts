import { type Matcher, splitAt } from '@identity-gateway/regex'
import { describe } from '../coercion.ts'
import { EvaluationError } from '../errors.ts'
import { keysOf } from '../values.ts'
import { text } from './arguments.ts'
import { define, type FunctionDefinition } from './definition.ts'

/** Functions on regular expressions; the pattern is passed compiled, or null where it is null or invalid. */
export const regexFunctions: readonly FunctionDefinition[] = [
  onPattern('find', false, (subject, pattern) => pattern.test(subject)),
  onPattern('matches', false, (subject, pattern) => pattern.test(subject)),
  onPattern('matchesWithRegex', false, (subject, pattern) => pattern.matchWhole(subject) !== null),
  onPattern('findGroups', null, (subject, pattern) => pattern.find(subject)?.groups ?? null),
  onPattern('matchingGroups', null, (subject, pattern) => pattern.find(subject)?.groups ?? null),
  onPattern('split', null, (subject, pattern) => splitAt(pattern, subject)),
  define('keyMatch', 'map, regex', ([map, pattern]) => keyMatch(map, pattern as Matcher | null), 1),
]

function onPattern(
  name: string,
  otherwise: false | null,
  call: (subject: string, pattern: Matcher) => unknown,
): FunctionDefinition {
  const apply = ([value, pattern]: readonly unknown[]): unknown => {
    const subject = text(`${name}()`, value)
    return subject === null || pattern === null ? otherwise : call(subject, pattern as Matcher)
  }
  return define(name, 'text, regex', apply, 1)
}

function keyMatch(map: unknown, pattern: Matcher | null): string | null {
  if (map === null || pattern === null) return null
  const keys = keysOf(map)
  if (keys === null) throw new EvaluationError(`keyMatch() expected a map, found ${describe(map)}`)
  for (const key of keys) if (pattern.matchWhole(key) !== null) return key
  return null
}
