// Random scripts: no text causes an internal error of the compiler or interpreter, a hang, or access to the host.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  BindingValue,
  compileProgram,
  coreLibrary,
  DEFAULT_LIMITS,
  Evaluation,
  GroovyCompileError,
  isValue,
  loadRareClasses,
} from './index.ts'

const snippets = join(import.meta.dirname, 'snippets', 'texts')

/** Fragments of real scripts, from which random scripts are built. */
const pieces: readonly string[] = readdirSync(snippets)
  .flatMap((file) => readFileSync(join(snippets, file), 'utf8').split('\n----\n'))
  .flatMap((snippet) => snippet.match(/\w+|\s+|[^\w\s]/g) ?? [])
const vocabulary = [...new Set(pieces)]

const LIMITS = {
  ...DEFAULT_LIMITS,
  timeout: 100,
  maxStringLength: 100_000,
  maxCollectionSize: 10_000,
  maxAllocation: 1_000_000,
}

await loadRareClasses()

async function attempt(text: string): Promise<void> {
  let program: ReturnType<typeof compileProgram>
  try {
    program = compileProgram({ text, file: 'fuzz.groovy', library: coreLibrary() })
  } catch (error) {
    assert.ok(error instanceof GroovyCompileError, `${text}\n${(error as Error).stack}`)
    for (const { line, column } of error.problems) assert.ok(line >= 1 && column >= 1)
    return
  }
  const evaluation = new Evaluation(LIMITS)
  try {
    const outcome = program.run({ binding: new BindingValue(), evaluation })
    const value = outcome instanceof Promise ? await settledSoon(outcome, evaluation) : outcome
    assert.ok(isValue(value), text)
  } catch (error) {
    const { name } = error as Error
    assert.ok(
      name === 'GroovyError' || name === 'GroovyLimitError' || name === 'WaitTimeout',
      `${text}\n${(error as Error).stack}`,
    )
  }
}

class WaitTimeout extends Error {
  override readonly name = 'WaitTimeout'
}

/** Cancels a script that waits too long: the interpreter itself does not limit waits. */
async function settledSoon<T>(outcome: Promise<T>, evaluation: Evaluation): Promise<T> {
  const { promise, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => {
    const error = new WaitTimeout('it waits')
    evaluation.cancel(error)
    reject(error)
  }, 20)
  return await Promise.race([outcome, promise]).finally(() => clearTimeout(timer))
}

test('no text causes an internal error of the compiler', async () => {
  const anyText = fc.array(fc.nat(0xffff), { maxLength: 60 }).map((codes) => String.fromCharCode(...codes))
  await fc.assert(fc.asyncProperty(anyText, attempt))
})

test('scripts of random tokens of the language', async () => {
  const words = fc.array(fc.constantFrom(...vocabulary), { maxLength: 30 }).map((list) => list.join(' '))
  await fc.assert(fc.asyncProperty(words, attempt))
})

test('real scripts with fragments removed, duplicated and swapped', async () => {
  const start = fc.nat(pieces.length - 1)
  const edits = fc.array(fc.tuple(fc.nat(39), fc.constantFrom(...vocabulary)), { maxLength: 4 })
  const script = fc.tuple(start, edits).map(([at, changes]) => {
    const words = pieces.slice(at, at + 40)
    for (const [index, word] of changes) words.splice(index, index % 3, word)
    return words.join('')
  })
  await fc.assert(fc.asyncProperty(script, attempt))
})
