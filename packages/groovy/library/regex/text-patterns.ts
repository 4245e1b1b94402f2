// Methods of strings with a pattern parameter.
import { expandTemplate, type Match, MatchError } from '@identity-gateway/regex'
import { checkCopy, spend } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { collectItems, loop, NEXT } from '../../runtime/iterate.ts'
import { asPattern, patternOf, searching } from '../../runtime/matching.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import { TextParts } from '../../runtime/text-parts.ts'
import { CharSequenceInterface, StringClass } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { ListValue } from '../../values/collection.ts'
import { illegalArgument, indexOutOfBounds } from '../../values/exceptions.ts'
import { ObjectArray } from '../../values/java-array.ts'
import type { PatternValue } from '../../values/pattern.ts'
import { textOf } from '../../values/text.ts'
import type { Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'
import { listOf } from '../collection/similar.ts'
import { linesOf } from '../text/gdk-string.ts'

/** All matches in a string. */
export function matchesIn(pattern: PatternValue, text: string): Match[] {
  return searching(() => {
    const found: Match[] = []
    for (const match of pattern.matcher.findAll(text)) {
      found.push(match)
      checkCopy(1)
    }
    return found
  })
}

/** A match as closures receive it: its text, or a list of the text and its groups. */
export function matchValue({ groups }: Match): Value {
  return groups.length === 1 ? (groups[0] as string) : new ListValue([...groups])
}

/** Calls a closure with a match: with each group, where it has several parameters. */
function callWithMatch(closure: ClosureValue, match: Match): Maybe {
  const { groups } = match
  if (groups.length === 1) return call(closure, groups[0] as string)
  return closure.parameterCount > 1 ? closure.call([...groups]) : call(closure, new ListValue([...groups]))
}

/** Expands a Java replacement string for a match. */
export function expanded(template: string, match: Match): string {
  if (!/[\\$]/.test(template)) return template
  spend(template.length * 8)
  try {
    return expandTemplate(template, match)
  } catch (error) {
    if (!(error instanceof MatchError)) throw error
    const group = /group (\d+)/.exec(error.message)
    throw group === null ? illegalArgument(error.message) : indexOutOfBounds(`No group ${group[1]}`)
  }
}

/** Replaces each match in a string. */
export function replaced(text: string, matches: readonly Match[], replacement: (match: Match) => string): string {
  const parts = new TextParts()
  let end = 0
  for (const match of matches) {
    parts.add(text.slice(end, match.index))
    parts.add(replacement(match))
    end = match.end
  }
  parts.add(text.slice(end))
  return parts.text()
}

function replaceAll(self: Value, pattern: Value, replacement: string): Value {
  const text = textOf(self)
  return replaced(text, matchesIn(asPattern(pattern), text), (match) => expanded(replacement, match))
}

function replaceFirst(self: Value, pattern: Value, replacement: string): Value {
  const text = textOf(self)
  const match = searching(() => asPattern(pattern).matcher.find(text))
  return replaced(text, match === null ? [] : [match], (each) => expanded(replacement, each))
}

/** Replaces each match by the result of a closure. */
function replaceByClosure(self: Value, matches: readonly Match[], closure: ClosureValue): Maybe {
  const text = textOf(self)
  const texts: string[] = []
  return loop(
    matches,
    (match) => callWithMatch(closure, match),
    (result) => {
      texts.push(textOf(result))
      return NEXT
    },
    () => {
      let next = 0
      return replaced(text, matches, () => texts[next++] as string)
    },
  )
}

/** As Java's `split`: no trailing empty strings unless `limit` is negative, at most `limit` parts if it is positive. */
export function splitBy(pattern: PatternValue, text: string, limit: number): Value {
  if (text === '') return new ObjectArray(StringClass, [''])
  const parts: string[] = []
  let end = 0
  for (const match of matchesIn(pattern, text)) {
    if (limit > 0 && parts.length === limit - 1) break
    if (match.end === 0) continue
    if (match.index === match.end && match.index === text.length) continue
    parts.push(text.slice(end, match.index))
    end = match.end
  }
  if (end === 0 && parts.length === 0) return new ObjectArray(StringClass, [text])
  parts.push(text.slice(end))
  if (limit === 0) while (parts.length > 0 && parts.at(-1) === '') parts.pop()
  return new ObjectArray(StringClass, parts)
}

function findFirst(self: Value, pattern: Value): Match | null {
  return searching(() => asPattern(pattern).matcher.find(textOf(self)))
}

/** Methods with a pattern accept its text or a Pattern. */
for (const type of ['CharSequence', 'Pattern']) {
  extend(CharSequenceInterface, {
    [`matches(${type} pattern): boolean`]: (self: Value, pattern: Value) =>
      searching(() => asPattern(pattern).matcher.matchWhole(textOf(self))) !== null,
    [`replaceAll(${type} pattern, CharSequence replacement): String`]: (
      self: Value,
      pattern: Value,
      replacement: Value,
    ) => replaceAll(self, pattern, textOf(replacement)),
    [`replaceAll(${type} pattern, Closure closure): String`]: (self: Value, pattern: Value, closure: ClosureValue) =>
      replaceByClosure(self, matchesIn(asPattern(pattern), textOf(self)), closure),
    [`replaceFirst(${type} pattern, CharSequence replacement): String`]: (
      self: Value,
      pattern: Value,
      replacement: Value,
    ) => replaceFirst(self, pattern, textOf(replacement)),
    [`replaceFirst(${type} pattern, Closure closure): String`]: (
      self: Value,
      pattern: Value,
      closure: ClosureValue,
    ) => {
      const match = findFirst(self, pattern)
      return replaceByClosure(self, match === null ? [] : [match], closure)
    },
    [`find(${type} pattern): String`]: (self: Value, pattern: Value) => findFirst(self, pattern)?.groups[0] ?? null,
    [`find(${type} pattern, Closure closure): String`]: (self: Value, pattern: Value, closure: ClosureValue) => {
      const match = findFirst(self, pattern)
      return match === null
        ? null
        : andThen(callWithMatch(closure, match), (result) => (result === null ? null : textOf(result)))
    },
    [`findAll(${type} pattern): List`]: (self: Value, pattern: Value) =>
      listOf(matchesIn(asPattern(pattern), textOf(self)).map(({ groups }) => groups[0] as string)),
    [`findAll(${type} pattern, Closure closure): List`]: (self: Value, pattern: Value, closure: ClosureValue) =>
      collectItems(matchesIn(asPattern(pattern), textOf(self)), (match) => callWithMatch(closure, match)),
    [`eachMatch(${type} pattern, Closure closure): String`]: (self: Value, pattern: Value, closure: ClosureValue) =>
      loop(
        matchesIn(asPattern(pattern), textOf(self)),
        (match) => callWithMatch(closure, match),
        () => NEXT,
        () => textOf(self),
      ),
    [`splitEachLine(${type} pattern, Closure closure): Object`]: (
      self: Value,
      pattern: Value,
      closure: ClosureValue,
    ) => {
      let last: Value = null
      return loop(
        linesOf(textOf(self)),
        (line) => call(closure, new ListValue([...(splitBy(asPattern(pattern), line, 0) as ObjectArray).items])),
        (result) => {
          last = result
          return NEXT
        },
        () => last,
      )
    },
  })
}

extend(CharSequenceInterface, {
  'split(String pattern): String[]': (self: Value, pattern: string) => splitBy(patternOf(pattern), textOf(self), 0),
  'split(String pattern, int limit): String[]': (self: Value, pattern: string, limit: number) =>
    splitBy(patternOf(pattern), textOf(self), limit),
  'minus(Pattern pattern): String': (self: Value, pattern: PatternValue) => replaceFirst(self, pattern, ''),
})
