import type { BinaryOperator, Node, Segment } from './ast.ts'
import { ExpressionSyntaxError } from './errors.ts'
import { Lexer, operatorOf, type Token } from './lexer.ts'

/** The longest text of an expression, in UTF-16 code units. */
const maxSourceLength = 64 * 1024
/** The deepest nesting of one expression; keeps parsing, compiling and evaluating within the stack. */
const maxDepth = 200
/** The longest chain of operators or accesses, which gives a tree of the same depth. */
const maxChain = 1000
const nestingCost = maxChain / maxDepth

const binaryLevels: readonly (readonly BinaryOperator[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<', '>', '<=', '>='],
  ['+', '-'],
  ['*', '/', '%'],
]

/** Splits a text into literal parts and parsed `${...}` or `#{...}`; `\${` is a literal `${`. */
export function parseTemplate(text: string): Segment[] {
  if (text.length > maxSourceLength) {
    throw new ExpressionSyntaxError(`the text has ${text.length} characters, at most ${maxSourceLength} are allowed`, 0)
  }
  const segments: Segment[] = []
  let literal = ''
  let position = 0
  for (;;) {
    const opening = nextOpening(text, position)
    if (opening === -1) break
    const slashes = backslashesBefore(text, opening, position)
    literal += text.slice(position, opening - slashes) + '\\'.repeat(slashes >> 1)
    if (slashes % 2 === 1) {
      literal += text.slice(opening, opening + 2)
      position = opening + 2
      continue
    }
    if (literal !== '') segments.push(literal)
    literal = ''
    const parser = new Parser(text, opening + 2)
    segments.push(parser.expression())
    position = parser.close(opening)
  }
  literal += text.slice(position)
  if (literal !== '') segments.push(literal)
  return segments
}

/** Whether a text has an unescaped `${` or `#{`. */
export function isExpression(text: string): boolean {
  let position = 0
  for (;;) {
    const opening = nextOpening(text, position)
    if (opening === -1) return false
    if (backslashesBefore(text, opening, position) % 2 === 0) return true
    position = opening + 2
  }
}

/** Offset of the next `${` or `#{`, escaped or not; -1 at the end. */
export function nextOpening(text: string, from: number): number {
  for (let brace = text.indexOf('{', from + 1); brace !== -1; brace = text.indexOf('{', brace + 1)) {
    const before = text[brace - 1]
    if ((before === '$' || before === '#') && brace - 1 >= from) return brace - 1
  }
  return -1
}

/** Number of backslashes directly before an offset. */
export function backslashesBefore(text: string, end: number, start: number): number {
  let count = 0
  while (end - count - 1 >= start && text[end - count - 1] === '\\') count += 1
  return count
}

class Parser {
  readonly #lexer: Lexer
  #token: Token
  #depth = 0

  constructor(text: string, position: number) {
    this.#lexer = new Lexer(text, position)
    this.#token = this.#lexer.next()
  }

  /** Expects the closing brace as the current token and returns the offset after it. */
  close(opening: number): number {
    const token = this.#token
    if (token.kind === 'symbol' && token.text === '}') return token.at + 1
    if (token.kind === 'end') throw new ExpressionSyntaxError('this expression has no closing "}"', opening)
    throw this.#unexpected('an operator or "}"')
  }

  expression(): Node {
    return this.#nested(() => {
      const test = this.#binary(0)
      if (!this.#accept('?')) return test
      const whenTrue = this.expression()
      this.#expect(':')
      return { type: 'ternary', test, whenTrue, whenFalse: this.expression() }
    })
  }

  #binary(level: number): Node {
    const operators = binaryLevels[level]
    if (operators === undefined) return this.#unary()
    let left = this.#binary(level + 1)
    let chained = 0
    for (;;) {
      const operator = operators.find((candidate) => candidate === operatorOf(this.#token))
      if (operator === undefined) break
      chained += 1
      this.#descend(1)
      this.#advance()
      left = { type: 'binary', operator, left, right: this.#binary(level + 1) }
    }
    this.#depth -= chained
    return left
  }

  #unary(): Node {
    const operator = operatorOf(this.#token)
    if (operator !== '-' && operator !== '!' && operator !== 'empty') return this.#postfix()
    this.#advance()
    return this.#nested(() => ({ type: 'unary', operator, operand: this.#unary() }))
  }

  #postfix(): Node {
    let target = this.#primary()
    let chained = 0
    for (;;) {
      const at = this.#token.at
      if (this.#accept('.')) {
        if (this.#token.kind !== 'name') throw this.#unexpected('a property name after "."')
        const name = this.#token.text
        this.#advance()
        target = this.#memberOrMethod(target, { type: 'literal', value: name }, at)
      } else if (this.#accept('[')) {
        const key = this.expression()
        this.#expect(']')
        target = this.#memberOrMethod(target, key, at)
      } else break
      chained += 1
      this.#descend(1)
    }
    this.#depth -= chained
    return target
  }

  #memberOrMethod(target: Node, key: Node, at: number): Node {
    if (!this.#isSymbol('(')) return { type: 'member', target, key }
    if (key.type !== 'literal' || typeof key.value !== 'string') {
      throw new ExpressionSyntaxError('the name of a method must be written literally', at)
    }
    return { type: 'method', target, name: key.value, args: this.#arguments(), at }
  }

  #primary(): Node {
    const token = this.#token
    if (this.#accept('(')) {
      const inner = this.expression()
      this.#expect(')')
      return inner
    }
    if (token.kind === 'number') {
      this.#advance()
      return { type: 'literal', value: token.value }
    }
    if (token.kind === 'string') {
      this.#advance()
      return { type: 'literal', value: token.text }
    }
    if (token.kind !== 'name' || operatorOf(token) !== null) {
      throw this.#unexpected('a value, a name, a function call or "("')
    }
    this.#advance()
    if (token.text === 'true' || token.text === 'false') return { type: 'literal', value: token.text === 'true' }
    if (token.text === 'null') return { type: 'literal', value: null }
    if (this.#isSymbol('(')) return { type: 'call', name: token.text, args: this.#arguments(), at: token.at }
    return { type: 'name', name: token.text }
  }

  #arguments(): Node[] {
    this.#expect('(')
    const args: Node[] = []
    if (this.#accept(')')) return args
    do args.push(this.expression())
    while (this.#accept(','))
    this.#expect(')')
    return args
  }

  #nested(parse: () => Node): Node {
    this.#descend(nestingCost)
    const node = parse()
    this.#depth -= nestingCost
    return node
  }

  #descend(cost: number): void {
    this.#depth += cost
    if (this.#depth > maxChain) {
      throw new ExpressionSyntaxError(
        `this expression is nested deeper than ${maxDepth} levels or has a chain longer than ${maxChain}`,
        this.#token.at,
      )
    }
  }

  #isSymbol(text: string): boolean {
    return this.#token.kind === 'symbol' && this.#token.text === text
  }

  #accept(text: string): boolean {
    if (!this.#isSymbol(text)) return false
    this.#advance()
    return true
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw this.#unexpected(`"${text}"`)
  }

  #advance(): void {
    this.#token = this.#lexer.next()
  }

  #unexpected(expected: string): ExpressionSyntaxError {
    const { kind, text, at } = this.#token
    const found = kind === 'end' ? text : JSON.stringify(text)
    return new ExpressionSyntaxError(`expected ${expected}, found ${found}`, at)
  }
}
