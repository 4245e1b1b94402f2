// The outcome of a snippet, in the real Groovy and in ours.

import { compileUnchecked } from '../compile/program.ts'
import { Unit } from '../compile/unit.ts'
import {
  classOf,
  compileProgram,
  coreLibrary,
  GroovyCompileError,
  GroovyError,
  GroovyLimitError,
  type GroovyProgram,
  type Limits,
  textOf,
  type Value,
  withRareClasses,
} from '../index.ts'
import { parseScript } from '../syntax/parser.ts'

/** Outcome of a snippet: a value, an exception, or rejected by the compiler. */
export interface Outcome {
  readonly kind: 'value' | 'throws' | 'refused' | 'fault'
  /** Of the value or the exception. */
  readonly class: string
  /** The value, printed; of an exception its message. */
  readonly text: string
  /** Printed output. */
  readonly printed: string
}

const limits: Limits = {
  timeout: 20_000,
  maxDepth: 400,
  maxStringLength: 1_000_000,
  maxCollectionSize: 1_000_000,
  maxAllocation: 50_000_000,
}

/** Runs a snippet in our engine, also with missing members, which the real one detects only at run time. */
export async function ourOutcome(snippet: string): Promise<Outcome> {
  return outcomeOf(() => {
    try {
      return compileProgram({ text: snippet, file: 'Snippet.groovy', library: coreLibrary() })
    } catch (error) {
      if (!(error instanceof GroovyCompileError)) throw error
      return compileUnchecked(new Unit(parseScript(snippet, 'Snippet.groovy'), coreLibrary()))
    }
  })
}

/** Compiles and runs a program. */
export async function outcomeOf(compile: () => GroovyProgram): Promise<Outcome> {
  let printed = ''
  try {
    const program = await withRareClasses(compile)
    const value: Value = await program.run({
      limits,
      output: (text) => {
        printed += text
      },
    })
    return {
      kind: 'value',
      class: value === null ? 'null' : classOf(value).name,
      text: withoutAddresses(textOf(value)),
      printed,
    }
  } catch (error) {
    if (error instanceof GroovyCompileError) return { kind: 'refused', class: '', text: error.message, printed }
    if (error instanceof GroovyLimitError)
      return { kind: 'throws', class: `limit ${error.limit}`, text: error.message, printed }
    if (!(error instanceof GroovyError))
      return { kind: 'fault', class: '', text: String((error as Error).stack), printed }
    return {
      kind: 'throws',
      class: error.throwable.klass.name,
      text: withoutAddresses(error.throwable.message ?? 'null'),
      printed,
    }
  }
}

/** Removes object addresses, which differ in each run. */
export function withoutAddresses(text: string): string {
  return text.replace(/\b[\w.$]+@[0-9a-f]+\b/g, 'object@address')
}

/** Classes with other names in the JVM that are equivalent for scripts. */
const SAME: readonly (readonly [RegExp, string])[] = [
  [
    /^Snippet\$_.*closure\d+$|^groovy\.lang\.Closure$|\$\$Lambda|^org\.codehaus\.groovy\.runtime\.(?:MethodClosure|CurriedClosure|ComposedClosure|memoize\..*)$/,
    'closure',
  ],
  [/^java\.util\.(?:Immutable)?Collections\$(?:Unmodifiable.*)?List.*$/, 'unmodifiable list'],
  [/^java\.util\.(?:Immutable)?Collections\$(?:Unmodifiable.*)?Set.*$/, 'unmodifiable set'],
  [/^java\.util\.(?:Immutable)?Collections\$(?:Unmodifiable.*)?Map.*$/, 'unmodifiable map'],
  [/^(.*)NoStack$/, '$1'],
]

function plainClass(name: string): string {
  for (const [pattern, same] of SAME)
    if (pattern.test(name)) return name.replace(pattern, same).replace(/^.*\.runtime\.metaclass\./, 'groovy.lang.')
  return name
}

/** Difference of two outcomes as one line; null if they agree. */
export function difference(expected: Outcome, found: Outcome): string | null {
  if (expected.kind !== found.kind) return `expected ${summary(expected)}, found ${summary(found)}`
  if (expected.printed !== found.printed) {
    return `expected to print ${JSON.stringify(expected.printed)}, printed ${JSON.stringify(found.printed)}`
  }
  if (expected.kind === 'refused') return null
  const sameClass = plainClass(expected.class) === plainClass(found.class)
  const sameText =
    (expected.kind === 'throws' && !expected.class.endsWith('PowerAssertionError')) ||
    expected.text === found.text ||
    plainClass(expected.class) === 'closure'
  if (sameClass && sameText) return null
  return differingParts(expected.text, found.text) ?? `expected ${summary(expected)}, found ${summary(found)}`
}

/** Of texts made of parts, the parts that differ. */
function differingParts(expected: string, found: string): string | null {
  const [left, right] = [expected.split(' | '), found.split(' | ')]
  if (left.length < 2 || left.length !== right.length) return null
  const parts = left.flatMap((part, index) => (part === right[index] ? [] : [`${index}: ${part} -> ${right[index]}`]))
  return `expected -> found, part ${parts.join('; ')}`
}

function summary({ kind, class: name, text }: Outcome): string {
  return kind === 'refused' ? `refused (${text.split('\n')[0]})` : `${kind} ${name} ${JSON.stringify(text)}`
}
