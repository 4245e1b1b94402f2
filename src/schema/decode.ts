import { formatPointer } from '#json'
import type { Decoded, Field } from './field.ts'
import { fieldValuesIn } from './field-values.ts'
import type { Problem } from './problem.ts'

/** The decoded value, or every problem. */
export type Decoding<T> =
  | { readonly value: T; readonly problems: readonly []; readonly warnings: readonly Problem[] }
  | { readonly value: null; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] }

/** `pointer` is the location of the JSON in its document. */
export function decode<F extends Field>(field: F, json: unknown, pointer: string): Decoding<Decoded<F>> {
  const problems: Problem[] = []
  const value = field.decode(json, (message, path = []) => {
    problems.push({ pointer: pointer + formatPointer(path), message })
  })
  const warnings = [...remarks(field, json, pointer)]
  if (problems.length > 0) return { value: null, problems, warnings }
  return { value: value as Decoded<F>, problems: [], warnings }
}

/** Warnings for deprecated, renamed and unsupported fields in use. */
function* remarks(field: Field, json: unknown, pointer: string): Generator<Problem> {
  for (const { field: used, key, name, pointer: at } of fieldValuesIn(field, json, pointer)) {
    if (key === null) continue
    if (key !== name) yield { pointer: at, message: `${key} is deprecated; use ${name} instead` }
    const { replacement, unsupported } = used.info.notes
    if (replacement !== undefined) yield { pointer: at, message: `${key} is deprecated; ${replacement}` }
    if (unsupported !== undefined) yield { pointer: at, message: `${key} has no effect: ${unsupported}` }
  }
}
