import { stripTypeScriptTypes } from 'node:module'
import { Script } from 'node:vm'
import { locationAt, ScriptSyntaxError } from './errors.ts'
import type { ScriptLanguage } from './languages.ts'
import { checkSecretCalls } from './secret-calls.ts'

/** The source of a script. */
export interface ScriptSource {
  readonly language: ScriptLanguage
  readonly text: string
  /** Name in errors: a file name, or the name of the object with an inline script. */
  readonly file: string
  /** The names of its bindings, in the order of its parameters. */
  readonly bindings: readonly string[]
  /** Bindings that the object of the script does not have, by name, with the reason: a call of one does not compile. */
  readonly missing?: ReadonlyMap<string, string>
  /** The folder of classes that Groovy scripts import. */
  readonly classFolder?: string
}

/** A compiled JavaScript script: evaluates in a realm to an async function of the bindings. */
export interface RealmProgram {
  readonly file: string
  readonly bindings: readonly string[]
  readonly script: Script
}

/** Whether a name can be one of the bindings of a script. */
export function isBindingName(name: string): boolean {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return false
  try {
    return new Script(`(async function(${name}){'use strict'})`) !== null
  } catch {
    // A reserved word.
    return false
  }
}

// The inner block allows variables with the names of bindings.
const suffix = '\n}})'

/**
 * Compiles a script without running it. The source becomes the body of an async function without additional lines, so that
 * positions in errors are those of the source.
 */
export function compileRealmProgram(source: ScriptSource): RealmProgram {
  const { language, text, file, bindings: offered } = source
  // Bindings that a script does not mention are not created. With an escape, any name may be used.
  const bindings = text.includes('\\u') ? offered : offered.filter((name) => text.includes(name))
  const prefix = `(async function(${bindings.join(',')}){'use strict';{`
  const javascript = language === 'typescript' ? withoutTypes(prefix, text, file) : text
  compile(prefix, javascript, suffix, file)
  // Source that closes the function early is invalid; as a class member it does not compile.
  const asMember = `(class{async m(${bindings.join(',')}){'use strict';{`
  compile(asMember, javascript, '\n}}})', file)
  rejectImports(prefix, javascript, file)
  checkSecretCalls(javascript, source, (changed) => compiles(prefix, changed))
  const script = new Script(prefix + javascript + suffix, { filename: file, columnOffset: -prefix.length })
  return { file, bindings, script }
}

function compile(prefix: string, text: string, end: string, file: string): void {
  try {
    new Script(prefix + text + end, { filename: file })
  } catch (error) {
    throw syntaxError(error as Error, prefix, text, file)
  }
}

const importWord = /\bimport\b/g

/**
 * Scripts can not import: `import()` is resolved by code of the gateway's realm, with errors of that realm. V8 decides whether
 * the word is code or part of a string, a comment or a name: where `import` starts a call, `export` of the same length is a
 * syntax error, and everywhere else it is valid.
 */
function rejectImports(prefix: string, text: string, file: string): void {
  if (!text.includes('import')) return
  if (compiles(prefix, text.replaceAll(importWord, 'export'))) return
  for (const { index } of text.matchAll(importWord)) {
    if (compiles(prefix, `${text.slice(0, index)}export${text.slice(index + 'import'.length)}`)) continue
    throw new ScriptSyntaxError(
      'import() is not available in scripts; use http to get data, and args for settings',
      locationAt(text, index, file),
    )
  }
  throw new ScriptSyntaxError('import() is not available in scripts', null)
}

function compiles(prefix: string, text: string): boolean {
  try {
    return new Script(prefix + text + suffix) !== null
  } catch {
    return false
  }
}

/** Replaces type annotations by spaces, so that positions do not change. */
function withoutTypes(prefix: string, text: string, file: string): string {
  const { emitWarning } = process
  try {
    // Node warns once per thread that stripping is experimental; the version of Node is fixed with the gateway.
    process.emitWarning = () => undefined
    return stripTypeScriptTypes(prefix + text + suffix).slice(prefix.length, -suffix.length)
  } catch (error) {
    throw syntaxError(error as Error, prefix, text, file)
  } finally {
    process.emitWarning = emitWarning
  }
}

/** V8 and the type stripper show the line, perhaps with the one before it, and below it a caret at the column. */
const shownLocation = /^[^\n]*:(\d+)\n(?:(?:[^\n]*\n){1,2}?([ \t]*)\^)?/

function syntaxError(error: Error, prefix: string, text: string, file: string): ScriptSyntaxError {
  const [, lineText, indent = ''] = shownLocation.exec(error.stack ?? '') ?? []
  if (lineText === undefined) return new ScriptSyntaxError(error.message, null)
  const line = Number(lineText)
  const lines = text.split('\n')
  if (line > lines.length) {
    // The unexpected token is part of the wrapper, not of the script.
    const location = { file, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
    return new ScriptSyntaxError('unexpected end of the script: its brackets do not match', location)
  }
  const column = indent.length + 1 - (line === 1 ? prefix.length : 0)
  return new ScriptSyntaxError(error.message, { file, line, column: Math.max(column, 1) })
}
