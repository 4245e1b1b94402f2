import { compareNumbers, exceedsDoubleRange, JsonNumber, type Numeric } from '#json'
import { type Pointer, parseQueryPointer } from '../pointer.ts'
import {
  type Assertion,
  MAX_FILTER_DEPTH,
  MAX_FILTER_LENGTH,
  OPERATORS,
  type QueryFilter,
  QueryFilterError,
} from './filter.ts'
import { FilterLexer, type Token } from './lexer.ts'

/** Parses a query filter; throws QueryFilterError for invalid text. */
export function parseQueryFilter(text: string): QueryFilter {
  if (text.length > MAX_FILTER_LENGTH) {
    throw new QueryFilterError(`longer than ${MAX_FILTER_LENGTH} characters`, MAX_FILTER_LENGTH)
  }
  return new FilterParser(text).whole()
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** ASCII without white space; parentheses and quotes end a word. */
const EXTENDED_OPERATOR = /^[!-~]{1,64}$/

/** One method for each rule of the grammar. Keywords are case-insensitive. */
class FilterParser {
  readonly #lexer: FilterLexer
  #token: Token
  #depth = 0

  constructor(text: string) {
    this.#lexer = new FilterLexer(text)
    this.#token = this.#lexer.next()
  }

  whole(): QueryFilter {
    const filter = this.#or()
    if (this.#token.kind !== 'end') this.#fail('expected "and", "or" or the end')
    return filter
  }

  #or(): QueryFilter {
    return this.#repeated('or', () => this.#and())
  }

  #and(): QueryFilter {
    return this.#repeated('and', () => this.#not())
  }

  #repeated(kind: 'and' | 'or', one: () => QueryFilter): QueryFilter {
    const first = one()
    if (!this.#isWord(kind)) return first
    const filters = [first]
    while (this.#isWord(kind)) {
      this.#advance()
      filters.push(one())
    }
    return { kind, filters }
  }

  #not(): QueryFilter {
    if (this.#token.kind !== '!') return this.#primary()
    this.#advance()
    return { kind: 'not', filter: this.#primary() }
  }

  #primary(): QueryFilter {
    if (this.#token.kind === '(') return this.#group()
    if (this.#token.kind !== 'word') this.#fail('expected a field, "(", "!", "true" or "false"')
    const word = this.#token.text.toLowerCase()
    if (word === 'true' || word === 'false') {
      this.#advance()
      return { kind: 'literal', value: word === 'true' }
    }
    if (word === 'and' || word === 'or') this.#fail(`expected a field; one of this name is written "/${word}"`)
    return this.#assertion()
  }

  #group(): QueryFilter {
    if (++this.#depth > MAX_FILTER_DEPTH) this.#fail(`nested more than ${MAX_FILTER_DEPTH} levels deep`)
    this.#advance()
    const filter = this.#or()
    if (this.#token.kind !== ')') this.#fail('expected ")"')
    this.#advance()
    this.#depth--
    return filter
  }

  #assertion(): QueryFilter {
    const pointer = this.#pointer()
    if (this.#token.kind !== 'word') this.#fail('expected an operator after the field')
    const written = this.#token.text
    const operator = written.toLowerCase()
    if (operator === 'and' || operator === 'or') this.#fail('expected an operator after the field')
    if (operator !== 'pr' && !EXTENDED_OPERATOR.test(written))
      this.#fail('expected an operator of at most 64 ASCII characters')
    this.#advance()
    if (operator === 'pr') return { kind: 'present', pointer }
    const isStandard = (OPERATORS as readonly string[]).includes(operator)
    return { kind: 'comparison', pointer, operator: isStandard ? operator : written, value: this.#value() }
  }

  #pointer(): Pointer {
    const pointer = parseQueryPointer(this.#token.text)
    if (pointer === null) this.#fail('expected a JSON pointer; "~" is written ~0 and "%" is written %25')
    this.#advance()
    return pointer as Pointer
  }

  #value(): Assertion {
    const { kind, text } = this.#token
    if (kind !== 'word' && kind !== 'string') this.#fail('expected a value after the operator')
    const value = kind === 'string' ? text : this.#bareValue(text)
    this.#advance()
    return value
  }

  #bareValue(text: string): Numeric | boolean {
    const lower = text.toLowerCase()
    if (lower === 'true' || lower === 'false') return lower === 'true'
    if (!NUMBER.test(text)) this.#fail('expected a number, true, false or a text in double quotes')
    const exact = new JsonNumber(text)
    if (exceedsDoubleRange(exact)) this.#fail('this number is too large')
    // Another spelling of a double, such as -0, is that double.
    const double = Number(text) + 0
    return compareNumbers(exact, double) === 0 ? double : exact
  }

  #isWord(word: string): boolean {
    return this.#token.kind === 'word' && this.#token.text.toLowerCase() === word
  }

  #advance(): void {
    this.#token = this.#lexer.next()
  }

  #fail(expected: string): never {
    const { kind, text, offset } = this.#token
    const shown = text.length > 40 ? `${text.slice(0, 40)}...` : text
    throw new QueryFilterError(
      kind === 'end' ? `${expected}, got the end` : `${expected}, got ${JSON.stringify(shown)}`,
      offset,
    )
  }
}
