import {
  cachedRegex,
  equalsInAnyCase,
  type Matcher,
  RegexSyntaxError,
  replaceMatches,
  splitAt,
} from '@identity-gateway/regex'
import { EvaluationError } from '../errors.ts'
import { text, wholeNumber } from '../functions/arguments.ts'
import { bounded, maxStringLength } from '../values.ts'
import { type Method, method } from './method.ts'

const string = (of: string, value: unknown): string => {
  const found = text(`${of}()`, value)
  if (found === null) throw new EvaluationError(`${of}() expected a string, found null`)
  return found
}

function substring(self: string, [from, to]: readonly unknown[]): string {
  const start = wholeNumber('substring()', from)
  const end = to === undefined ? self.length : wholeNumber('substring()', to)
  if (start < 0 || end > self.length || start > end) {
    throw new EvaluationError(`substring() from ${start} to ${end} is outside a string of ${self.length} characters`)
  }
  return self.slice(start, end)
}

function repeat(self: string, count: number): string {
  if (count < 0 || self.length * count > maxStringLength) {
    throw new EvaluationError(
      `repeat() expected a count that gives at most ${maxStringLength} characters, found ${count}`,
    )
  }
  return self.repeat(count)
}

function replace(self: string, sought: string, replacement: string): string {
  // Counted first, so that hostile arguments can not allocate a huge string.
  const count = sought === '' ? self.length + 1 : self.split(sought).length - 1
  if (self.length + count * (replacement.length - sought.length) > maxStringLength) {
    throw new EvaluationError(`replace() would make more than ${maxStringLength} characters`)
  }
  return self.replaceAll(sought, () => replacement)
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function regex(of: string, pattern: unknown): Matcher {
  try {
    return cachedRegex(string(of, pattern))
  } catch (error) {
    if (error instanceof RegexSyntaxError) throw new EvaluationError(`${of}(): ${error.message}`)
    throw error
  }
}

/** The methods of a string whose first argument is a regular expression. */
export const regexMethods: ReadonlySet<string> = new Set(['replaceAll', 'replaceFirst', 'split', 'matches'])

export const stringMethods: ReadonlyMap<string, Method<string>> = new Map([
  ['length', method<string>(0, (self) => self.length)],
  ['isEmpty', method(0, (self) => self === '')],
  ['isBlank', method(0, (self) => self.trim() === '')],
  ['concat', method(1, (self, [other]) => bounded(self + string('concat', other)))],
  ['startsWith', method(1, (self, [part]) => self.startsWith(string('startsWith', part)))],
  ['endsWith', method(1, (self, [part]) => self.endsWith(string('endsWith', part)))],
  ['contains', method(1, (self, [part]) => self.includes(string('contains', part)))],
  [
    'indexOf',
    method(
      1,
      (self, [part, from]) =>
        self.indexOf(string('indexOf', part), from === undefined ? 0 : wholeNumber('indexOf()', from)),
      2,
    ),
  ],
  ['lastIndexOf', method(1, (self, [part]) => self.lastIndexOf(string('lastIndexOf', part)))],
  ['substring', method(1, substring, 2)],
  ['charAt', method(1, (self, [index]) => substring(self, [index, wholeNumber('charAt()', index) + 1]))],
  ['toUpperCase', method(0, (self) => bounded(self.toUpperCase()))],
  ['toLowerCase', method(0, (self) => self.toLowerCase())],
  ['trim', method(0, (self) => self.trim())],
  ['strip', method(0, (self) => self.trim())],
  ['repeat', method(1, (self, [count]) => repeat(self, wholeNumber('repeat()', count)))],
  ['replace', method(2, (self, [sought, by]) => replace(self, string('replace', sought), string('replace', by)))],
  [
    'replaceAll',
    method(2, (self, [pattern, by]) =>
      replaceMatches(regex('replaceAll', pattern), self, string('replaceAll', by), 'all'),
    ),
  ],
  [
    'replaceFirst',
    method(2, (self, [pattern, by]) =>
      replaceMatches(regex('replaceFirst', pattern), self, string('replaceFirst', by), 'first'),
    ),
  ],
  ['split', method(1, (self, [pattern]) => splitAt(regex('split', pattern), self))],
  ['matches', method(1, (self, [pattern]) => regex('matches', pattern).matchWhole(self) !== null)],
  ['equals', method(1, (self, [other]) => self === other)],
  ['equalsIgnoreCase', method(1, (self, [other]) => typeof other === 'string' && equalsInAnyCase(self, other))],
  ['compareTo', method(1, (self, [other]) => compare(self, string('compareTo', other)))],
  ['toString', method(0, (self) => self)],
])
