// Prose and names of TypeScript files, found by the scanner of the compiler.
import { SyntaxKind } from 'typescript/unstable/ast'
import { createScanner, type Scanner } from 'typescript/unstable/ast/scanner'

/** A text to check, at its offset in the file. */
export interface Wording {
  readonly text: string
  readonly offset: number
}

const scanner = createScanner(false)

/**
 * Wordings of a TypeScript file: first its comments, strings and regular expressions, as one text of the same length in which code is
 * blanked out; then each identifier, split at camel case. Line breaks stay, and so does every offset in the first text.
 */
export function wordingsOf(source: string): Wording[] {
  const names: Wording[] = []
  let prose = ''
  for (const { kind, start, end } of tokensOf(source)) {
    const text = source.slice(start, end)
    if (kind === SyntaxKind.Identifier || kind === SyntaxKind.PrivateIdentifier)
      names.push({ text: splitCamelCase(text), offset: start })
    prose += proseOf(kind, text)
  }
  return [{ text: prose, offset: 0 }, ...names]
}

/** `isIdleNow` as `is Idle Now`, `HTTPServer` as `HTTP Server`, `keep_alive` as `keep alive`. */
export function splitCamelCase(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_$#]+/g, ' ')
}

interface Token {
  readonly kind: SyntaxKind
  readonly start: number
  readonly end: number
}

const literals: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
])
const trivia: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.SingleLineCommentTrivia,
  SyntaxKind.MultiLineCommentTrivia,
  SyntaxKind.WhitespaceTrivia,
  SyntaxKind.NewLineTrivia,
])

function proseOf(kind: SyntaxKind, text: string): string {
  if (literals.has(kind)) return text
  // Comment markers at the beginning of a line are blanked, so that a phrase is found across lines.
  if (trivia.has(kind)) return text.replace(/^[ \t]*(?:\/\/+|\/?\*+\/?)/gm, (marks) => ' '.repeat(marks.length))
  return ';'.repeat(text.length)
}

function* tokensOf(source: string): Generator<Token> {
  scanner.setText(source)
  /** One entry for each open brace: whether it is that of a template's `${`. */
  const braces: boolean[] = []
  let previous: SyntaxKind = SyntaxKind.Unknown
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    kind = rescanned(scanner, kind, previous, braces)
    if (kind === SyntaxKind.OpenBraceToken) braces.push(false)
    if (kind === SyntaxKind.TemplateHead) braces.push(true)
    if (kind === SyntaxKind.CloseBraceToken || kind === SyntaxKind.TemplateTail) braces.pop()
    if (!trivia.has(kind)) previous = kind
    yield { kind, start: scanner.getTokenStart(), end: scanner.getTokenEnd() }
  }
}

/** The two tokens that depend on their context: a slash or a regular expression, a brace or a template's rest. */
function rescanned(scanner: Scanner, kind: SyntaxKind, previous: SyntaxKind, braces: readonly boolean[]): SyntaxKind {
  if (kind === SyntaxKind.CloseBraceToken && braces.at(-1)) return scanner.reScanTemplateToken(false)
  const isSlash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken
  return isSlash && !endsOperand(previous) ? scanner.reScanSlashToken() : kind
}

const operandEnds: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.ThisKeyword,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
])

function endsOperand(kind: SyntaxKind): boolean {
  return operandEnds.has(kind)
}
