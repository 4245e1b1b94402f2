import type { Value } from '../values/value.ts'
import type { Position } from './syntax-error.ts'

export type TokenKind = 'identifier' | 'keyword' | 'number' | 'string' | 'gstring' | 'operator' | 'newline' | 'end'

/** A lexical token. */
export interface Token {
  readonly kind: TokenKind
  /** Source text; the content of a string. */
  readonly text: string
  readonly position: Position
  /** Offset of its end. */
  readonly end: number
  /** The value of a number. */
  readonly value?: Value
  /** For a GString: the expressions between `strings`. */
  readonly strings?: readonly string[]
  readonly parts?: readonly GStringPart[]
}

/** An expression in a GString: `${...}` with its tokens, or `$a.b` as names. */
export interface GStringPart {
  readonly position: Position
  readonly tokens: readonly Token[] | null
  readonly path: readonly { readonly name: string; readonly position: Position }[]
}

export const PRIMITIVE_NAMES: ReadonlySet<string> = new Set([
  'boolean',
  'byte',
  'char',
  'double',
  'float',
  'int',
  'long',
  'short',
])

export const MODIFIERS: ReadonlySet<string> = new Set([
  'abstract',
  'def',
  'final',
  'native',
  'private',
  'protected',
  'public',
  'static',
  'strictfp',
  'synchronized',
  'transient',
  'var',
  'volatile',
])

export const KEYWORDS: ReadonlySet<string> = new Set([
  ...PRIMITIVE_NAMES,
  ...MODIFIERS,
  'as',
  'assert',
  'break',
  'case',
  'catch',
  'class',
  'const',
  'continue',
  'default',
  'do',
  'else',
  'enum',
  'extends',
  'false',
  'finally',
  'for',
  'goto',
  'if',
  'implements',
  'import',
  'in',
  'instanceof',
  'interface',
  'new',
  'null',
  'package',
  'return',
  'super',
  'switch',
  'this',
  'throw',
  'throws',
  'trait',
  'true',
  'try',
  'void',
  'while',
])

/** Longest first, so that the first match is used. `>` is always a single token, since it also ends type arguments. */
export const OPERATORS: readonly string[] = [
  '>>>=',
  '<..<',
  '...',
  '..<',
  '<..',
  '<=>',
  '===',
  '!==',
  '==~',
  '**=',
  '<<=',
  '>>=',
  '??.',
  '?.@',
  '*.@',
  '->',
  '::',
  '..',
  '?.',
  '?:',
  '?=',
  '?[',
  '*.',
  '.&',
  '.@',
  '++',
  '--',
  '&&',
  '||',
  '**',
  '==',
  '!=',
  '<=',
  '>=',
  '=~',
  '<<',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '&=',
  '|=',
  '^=',
  ...'+-*/%=<>!~?:;,.&|^()[]{}@',
]
