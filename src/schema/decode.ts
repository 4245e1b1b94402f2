import { formatPointer } from '#json'
import type { Decoded, Field } from './field.ts'
import { fieldInfo } from './field.ts'
import { placesIn } from './places.ts'
import type { Problem } from './problem.ts'

/** What decoding found: the value, or every problem. */
export type Decoding<T> =
  | { readonly value: T; readonly problems: readonly []; readonly warnings: readonly Problem[] }
  | { readonly value: null; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] }

/** Decodes JSON by a field. `pointer` is where the JSON stands in its document. */
export function decode<F extends Field>(field: F, json: unknown, pointer: string): Decoding<Decoded<F>> {
  const result = field.safeParse(json)
  const warnings = [...remarks(field, json, pointer)]
  if (result.success) return { value: result.data as Decoded<F>, problems: [], warnings }
  const problems = result.error.issues.map(({ path, message }) => ({ pointer: pointer + formatPointer(path), message }))
  return { value: null, problems, warnings }
}

/** Deprecated, renamed and unsupported fields that are used. */
function* remarks(field: Field, json: unknown, pointer: string): Generator<Problem> {
  for (const { field: used, key, name, pointer: at } of placesIn(field, json, pointer)) {
    if (key === null) continue
    if (key !== name) yield { pointer: at, message: `${key} is deprecated; use ${name} instead` }
    const { replacement, unsupported } = fieldInfo(used).notes
    if (replacement !== undefined) yield { pointer: at, message: `${key} is deprecated; ${replacement}` }
    if (unsupported !== undefined) yield { pointer: at, message: `${key} has no effect: ${unsupported}` }
  }
}
