// Groovy scripts in tests.
import {
  BindingValue,
  compileProgram,
  coreLibrary,
  DEFAULT_LIMITS,
  type Library,
  type Limits,
  textOf,
  type Value,
  withRareClasses,
} from '../index.ts'

interface GroovyRun {
  readonly value: Value
  /** The value, printed. */
  readonly text: string
  readonly printed: string
  readonly binding: BindingValue
}

interface GroovyOptions {
  readonly library?: Library
  readonly limits?: Partial<Limits>
  readonly variables?: Readonly<Record<string, Value>>
  /** Output of the script, also when it fails. */
  readonly output?: (text: string) => void
}

/** Compiles and runs a script. */
export async function runGroovy(text: string, options: GroovyOptions = {}): Promise<GroovyRun> {
  const library = options.library ?? coreLibrary()
  const program = await withRareClasses(() => compileProgram({ text, file: 'test.groovy', library }))
  const binding = new BindingValue()
  for (const [name, value] of Object.entries(options.variables ?? {})) binding.set(name, value)
  let printed = ''
  const value = await program.run({
    binding,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    output: (part) => {
      printed += part
      options.output?.(part)
    },
  })
  return { value, text: textOf(value), printed, binding }
}
