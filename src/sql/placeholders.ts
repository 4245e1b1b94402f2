import type { SqlDialect } from './jdbc-url.ts'

/** Text between placeholders: n placeholders are between n + 1 parts. */
interface Placeholders {
  readonly parts: readonly string[]
}

/** Parts in which `?` is text; `open` matches at the end of the statement, where a part has no end. */
const part = (start: string, text: string, end: string): string => `${start}(?:${text})*?(?:${end}|(?<open>$))`
const QUOTED: Readonly<Record<SqlDialect, readonly string[]>> = {
  postgresql: [
    part("[eE]'", String.raw`[^'\\]|''|\\[\s\S]`, "'(?!')"),
    part("'", "[^']|''", "'(?!')"),
    part('"', '[^"]|""', '"(?!")'),
    part(
      String.raw`\$(?<tag>[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$`,
      String.raw`[\s\S]`,
      String.raw`\$\k<tag>\$`,
    ),
    String.raw`--[^\n]*`,
    // Block comments nest in PostgreSQL: only the start is matched here.
    String.raw`\/\*`,
  ],
  mysql: [
    part("'", String.raw`[^'\\]|''|\\[\s\S]`, "'(?!')"),
    part('"', String.raw`[^"\\]|""|\\[\s\S]`, '"(?!")'),
    part('`', '[^`]|``', '`(?!`)'),
    String.raw`#[^\n]*`,
    // `5--?` subtracts: a comment has a space or control character after the hyphens.
    String.raw`--(?=[\u0000-\u0020]|$)[^\n]*`,
    // The content of `/*! */`, with or without a version, is executed.
    part(String.raw`\/\*(?!!)`, String.raw`[\s\S]`, String.raw`\*\/`),
  ],
}

const NOT_ENDED = 'expected a statement whose quotes and comments end'

/** Splits a statement at its `?`. In PostgreSQL `??` stands for the operator `?`, as in JDBC. Throws a SyntaxError for an open quote. */
function placeholdersIn(statement: string, dialect: SqlDialect): Placeholders {
  const parts: string[] = []
  let part = ''
  let at = 0
  const tokens = new RegExp(`${QUOTED[dialect].join('|')}|\\?\\??`, 'g')
  for (let match = tokens.exec(statement); match !== null; match = tokens.exec(statement)) {
    const [token] = match
    part += statement.slice(at, match.index)
    at = token === '/*' ? endOfComment(statement, match.index) : tokens.lastIndex
    tokens.lastIndex = at
    if (token === '??' && dialect === 'postgresql') part += '?'
    else if (token === '?' || token === '??') {
      parts.push(part)
      part = ''
      if (token === '??') parts.push('')
    } else {
      if (match.groups?.['open'] !== undefined) throw new SyntaxError(NOT_ENDED)
      part += statement.slice(match.index, at)
    }
  }
  return { parts: [...parts, part + statement.slice(at)] }
}

/** End of the block comment that begins at `start`, with those inside it. */
function endOfComment(statement: string, start: number): number {
  const marks = /\/\*|\*\//g
  marks.lastIndex = start
  let depth = 0
  for (let mark = marks.exec(statement); mark !== null; mark = marks.exec(statement)) {
    depth += mark[0] === '/*' ? 1 : -1
    if (depth === 0) return marks.lastIndex
  }
  throw new SyntaxError(NOT_ENDED)
}

/** A statement in the form of its dialect. */
export interface BoundStatement {
  readonly text: string
  readonly parameterCount: number
}

/** The statement with `$1`, `$2` for PostgreSQL; unchanged for MySQL. */
export function boundStatement(statement: string, dialect: SqlDialect): BoundStatement {
  const { parts } = placeholdersIn(statement, dialect)
  const parameterCount = parts.length - 1
  if (dialect === 'mysql') return { text: statement, parameterCount }
  const text = parts.reduce((joined, part, at) => `${joined}$${at}${part}`)
  return { text, parameterCount }
}
