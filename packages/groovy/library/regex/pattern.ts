// Pattern and Matcher.
import type { Match } from '@identity-gateway/regex'
import { extend } from '../../registry/extend.ts'
import { getAt } from '../../runtime/indexing.ts'
import { IteratorValue } from '../../runtime/items.ts'
import { collectItems, eachItem } from '../../runtime/iterate.ts'
import { patternOf, searching } from '../../runtime/matching.ts'
import { andThen } from '../../runtime/pending.ts'
import { MatcherClass, PatternClass } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import type { ListValue } from '../../values/collection.ts'
import { IllegalStateException, illegalArgument, indexOutOfBounds } from '../../values/exceptions.ts'
import { toInt } from '../../values/number-tower.ts'
import { MatcherValue, type PatternValue } from '../../values/pattern.ts'
import type { IntRange } from '../../values/range.ts'
import { textOf } from '../../values/text.ts'
import { throwable } from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'
import { listOf } from '../collection/similar.ts'
import { StringBuilderValue } from '../text/string-builder-value.ts'
import { expanded, matchesIn, matchValue, replaced, splitBy } from './text-patterns.ts'

const FLAGS: readonly (readonly [number, string])[] = [
  [1, 'd'],
  [2, 'i'],
  [4, 'x'],
  [8, 'm'],
  [32, 's'],
  [64, 'u'],
]

function flagLetters(flags: number): string {
  return FLAGS.filter(([bit]) => (flags & bit) !== 0)
    .map(([, letter]) => letter)
    .join('')
}

function quoted(text: string): string {
  return `\\Q${text.replaceAll('\\E', '\\E\\\\E\\Q')}\\E`
}

extend(PatternClass, {
  'static compile(String pattern): Pattern': (text: string) => patternOf(text),
  'static compile(String pattern, int flags): Pattern': (text: string, flags: number) =>
    (flags & 16) !== 0 ? patternOf(quoted(text), flagLetters(flags)) : patternOf(text, flagLetters(flags)),
  'static matches(String pattern, CharSequence text): boolean': (pattern: string, text: Value) =>
    searching(() => patternOf(pattern).matcher.matchWhole(textOf(text))) !== null,
  'static quote(String text): String': quoted,
  'static CASE_INSENSITIVE: int': 2,
  'static MULTILINE: int': 8,
  'static DOTALL: int': 32,
  'static UNICODE_CASE: int': 64,
  'static COMMENTS: int': 4,
  'static LITERAL: int': 16,
  'static UNIX_LINES: int': 1,
  'matcher(CharSequence text): Matcher': (self: PatternValue, text: Value) => new MatcherValue(self, textOf(text)),
  'pattern(): String': (self: PatternValue) => self.text,
  'flags(): int': (self: PatternValue) =>
    FLAGS.reduce((sum, [bit, letter]) => (self.flags.includes(letter) ? sum | bit : sum), 0),
  'split(CharSequence text): String[]': (self: PatternValue, text: Value) => splitBy(self, textOf(text), 0),
  'split(CharSequence text, int limit): String[]': (self: PatternValue, text: Value, limit: number) =>
    splitBy(self, textOf(text), limit),
  'isCase(Object value): boolean': (self: PatternValue, value: Value) =>
    value !== null && searching(() => self.matcher.matchWhole(textOf(value))) !== null,
  'toString(): String': (self: PatternValue) => self.text,
})

function find(self: MatcherValue): boolean {
  if (self.position > self.text.length) {
    self.match = null
    return false
  }
  const match = searching(() => self.pattern.matcher.find(self.text, self.position))
  self.match = match
  if (match !== null) self.position = match.end === match.index ? match.end + 1 : match.end
  return match !== null
}

function matchesEntirely(self: MatcherValue): boolean {
  self.match = searching(() => self.pattern.matcher.matchWhole(self.text))
  if (self.match !== null) self.position = self.match.end
  return self.match !== null
}

function present(self: MatcherValue): Match {
  if (self.match === null) throw throwable(IllegalStateException, 'No match found')
  return self.match
}

function group(self: MatcherValue, index: number): Value {
  const { groups } = present(self)
  if (index < 0 || index >= groups.length) throw indexOutOfBounds(`No group ${index}`)
  return groups[index] as Value
}

function namedGroup(self: MatcherValue, name: string): Value {
  const { groups, names } = present(self)
  const index = names.get(name)
  if (index === undefined) throw illegalArgument(`No group with name <${name}>`)
  return groups[index] as Value
}

function groupCount(self: MatcherValue): number {
  return self.pattern.matcher.parsed.groupCount
}

/** `matcher[0]`: the match at an index, or a list of it and its groups. */
function matchAt(self: MatcherValue, index: number): Value {
  const matches = matchesIn(self.pattern, self.text)
  const position = index < 0 ? index + matches.length : index
  const match = matches[position]
  if (match === undefined) throw indexOutOfBounds(`index is out of range 0..${matches.length - 1} (index = ${index})`)
  return matchValue(match)
}

extend(MatcherClass, {
  'matches(): boolean': matchesEntirely,
  'find(): boolean': find,
  'find(int start): boolean': (self: MatcherValue, start: number) => {
    if (start < 0 || start > self.text.length) throw indexOutOfBounds('Illegal start index')
    self.reset()
    self.position = start
    return find(self)
  },
  'lookingAt(): boolean': (self: MatcherValue) => {
    const match = searching(() => patternOf(`\\A(?:${self.pattern.text})`, self.pattern.flags).matcher.find(self.text))
    self.match = match
    if (match !== null) self.position = match.end
    return match !== null
  },
  'group(): String': (self: MatcherValue) => group(self, 0),
  'group(int index): String': group,
  'group(String name): String': namedGroup,
  'groupCount(): int': groupCount,
  'hasGroup(): boolean': (self: MatcherValue) => groupCount(self) > 0,
  'start(): int': (self: MatcherValue) => present(self).index,
  'end(): int': (self: MatcherValue) => present(self).end,
  'reset(): Matcher': (self: MatcherValue) => {
    self.reset()
    return self
  },
  'reset(CharSequence text): Matcher': (self: MatcherValue, text: Value) => {
    self.text = textOf(text)
    self.reset()
    return self
  },
  'pattern(): Pattern': (self: MatcherValue) => self.pattern,
  'hitEnd(): boolean': (self: MatcherValue) => self.position >= self.text.length,
  'getCount(): int': (self: MatcherValue) => matchesIn(self.pattern, self.text).length,
  'size(): int': (self: MatcherValue) => matchesIn(self.pattern, self.text).length,
  'getAt(Number index): Object': (self: MatcherValue, index: Value) => matchAt(self, toInt(index)),
  'getAt(Range range): List': (self: MatcherValue, range: IntRange) =>
    getAt(listOf(matchesIn(self.pattern, self.text).map(matchValue)), range),
  'getAt(Collection indexes): List': (self: MatcherValue, indexes: ListValue) =>
    listOf(indexes.items.map((index) => matchAt(self, toInt(index)))),
  'iterator(): Iterator': (self: MatcherValue) => new IteratorValue(matchesIn(self.pattern, self.text).map(matchValue)),
  'each(Closure closure): Object': (self: MatcherValue, closure: ClosureValue) =>
    eachItem(
      matchesIn(self.pattern, self.text),
      (match) => call(closure, matchValue(match)),
      () => self,
    ),
  'asBoolean(): boolean': (self: MatcherValue) => {
    self.reset()
    return find(self)
  },
  'replaceAll(String replacement): String': (self: MatcherValue, replacement: string) =>
    substituted(self, matchesIn(self.pattern, self.text), replacement),
  'replaceAll(Function replacer): String': (self: MatcherValue, replacer: Value) => {
    const matches = matchesIn(self.pattern, self.text)
    return andThen(
      collectItems(matches, (match) => call(replacer, atMatch(self, match))),
      (results) => {
        const texts = (results as ListValue).items.map(textOf)
        let next = 0
        return replaced(self.text, matches, (match) => expanded(texts[next++] as string, match))
      },
    )
  },
  'replaceFirst(String replacement): String': (self: MatcherValue, replacement: string) =>
    substituted(self, matchesIn(self.pattern, self.text).slice(0, 1), replacement),
  'appendReplacement(Object buffer, String replacement): Matcher': (
    self: MatcherValue,
    buffer: Value,
    replacement: string,
  ) => {
    const match = present(self)
    builderOf(buffer).append(self.text.slice(self.appendPosition, match.index) + expanded(replacement, match))
    self.appendPosition = match.end
    return self
  },
  'appendTail(Object buffer): Object': (self: MatcherValue, buffer: Value) =>
    builderOf(buffer).append(self.text.slice(self.appendPosition)),
  'toString(): String': (self: MatcherValue) =>
    `java.util.regex.Matcher[pattern=${self.pattern.text} region=0,${self.text.length} lastmatch=${self.match?.groups[0] ?? ''}]`,
  'static quoteReplacement(String text): String': (text: string) => text.replace(/[\\$]/g, '\\$&'),
})

function builderOf(value: Value): StringBuilderValue {
  if (value instanceof StringBuilderValue) return value
  throw illegalArgument('appendReplacement and appendTail take a StringBuilder or StringBuffer')
}

/** The MatchResult of a search. */
function atMatch({ pattern, text }: MatcherValue, match: Match): MatcherValue {
  const made = new MatcherValue(pattern, text)
  made.match = match
  return made
}

function substituted(self: MatcherValue, matches: readonly Match[], replacement: string): Value {
  return replaced(self.text, matches, (match) => expanded(replacement, match))
}
