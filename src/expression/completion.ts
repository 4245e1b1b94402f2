import { exposureOf } from './exposed.ts'
import { functions } from './functions/table.ts'
import type { Token } from './lexer.ts'
import { methodNames } from './methods/call.ts'
import type { Scope } from './scope.ts'
import { expressionSpans } from './spans.ts'
import { keysOf } from './values.ts'

/** A name that can be written in a place of an expression. */
interface Completion {
  readonly name: string
  readonly kind: 'binding' | 'function' | 'property' | 'method'
  /** Parameters of a function. */
  readonly detail?: string
}

/** The place at an offset: where its name begins, and the expression whose member it is. */
interface CompletionPlace {
  readonly from: number
  /** Null for a name of the scope or a function. */
  readonly target: string | null
}

/** The place of a name at an offset of a text; null where none is expected, such as in literal text or a string. */
export function completionPlace(text: string, offset: number): CompletionPlace | null {
  const span = [...expressionSpans(text.slice(0, offset))].at(-1)
  if (span === undefined || span.isClosed || span.invalidFrom !== null) return null
  const { tokens } = span
  const last = tokens.at(-1)
  const isPartial = last?.kind === 'name' && last.end === offset
  if (!isPartial && (last?.kind === 'number' || last?.kind === 'string')) return null
  const from = isPartial ? last.at : offset
  const before = isPartial ? tokens.slice(0, -1) : tokens
  const dot = before.at(-1)
  if (dot === undefined || !isSymbol(dot, '.')) return { from, target: null }
  const first = operandBefore(before, before.length - 1)
  return first === null ? null : { from, target: text.slice(first.at, dot.at) }
}

/** The first token of the operand that ends before an index, with its accesses and calls; null without one. */
function operandBefore(tokens: readonly Token[], end: number): Token | null {
  let at = end - 1
  for (;;) {
    const token = tokens[at]
    if (isSymbol(token, ']')) {
      at = openingOf(tokens, at) - 1
      continue
    }
    if (isSymbol(token, ')')) {
      const opening = openingOf(tokens, at)
      if (tokens[opening - 1]?.kind !== 'name') return tokens[opening] ?? null
      at = opening - 1
    } else if (token === undefined || token.kind === 'symbol') return null
    if (!isSymbol(tokens[at - 1], '.')) return tokens[at] ?? null
    at -= 2
  }
}

/** Index of the bracket that opens the one at an index; -1 without one. */
function openingOf(tokens: readonly Token[], closing: number): number {
  let depth = 0
  for (let at = closing; at >= 0; at--) {
    const token = tokens[at]
    if (isSymbol(token, ')') || isSymbol(token, ']')) depth++
    if ((isSymbol(token, '(') || isSymbol(token, '[')) && --depth === 0) return at
  }
  return -1
}

function isSymbol(token: Token | undefined, text: string): boolean {
  return token?.kind === 'symbol' && token.text === text
}

/** Names of a scope, and every function. */
export function namesIn(scope: Scope): Completion[] {
  return [
    ...Array.from(scope.names?.() ?? [], (name): Completion => ({ name, kind: 'binding' })),
    ...Array.from(
      functions.values(),
      ({ name, parameters }): Completion => ({
        name,
        kind: 'function',
        detail: `(${parameters})`,
      }),
    ),
  ]
}

/** Properties and methods of a value. */
export function membersOf(value: unknown): Completion[] {
  const exposure = typeof value === 'object' && value !== null ? exposureOf(value) : undefined
  const properties = new Set([...Object.keys(exposure?.get ?? {}), ...(keysOf(value) ?? [])])
  const methods = new Set(methodNames(value))
  return [
    ...Array.from(properties, (name): Completion => ({ name, kind: 'property' })),
    ...Array.from(methods, (name): Completion => ({ name, kind: 'method' })),
  ]
}
