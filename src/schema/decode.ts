import { formatPointer } from '#json'
import type { Decoded, Field } from './field.ts'
import { fieldValuesIn } from './field-values.ts'
import { type Problem, shown } from './problem.ts'
import { nameOnly } from './reference.ts'

/** A finding that does not prevent the build. */
export interface Warning extends Problem {
  /** Whether a document gets this message once, however often it applies. */
  readonly isOnce?: boolean
}

/** The decoded value, or every problem. */
export type Decoding<T> =
  | { readonly value: T; readonly problems: readonly []; readonly warnings: readonly Warning[] }
  | { readonly value: null; readonly problems: readonly Problem[]; readonly warnings: readonly Warning[] }

/** `pointer` is the location of the JSON in its document. */
export function decode<F extends Field>(field: F, json: unknown, pointer: string): Decoding<Decoded<F>> {
  const problems: Problem[] = []
  const value = field.decode(json, (message, path = []) => {
    problems.push({ pointer: pointer + formatPointer(path), message })
  })
  const warnings = remarksOn(field, json, pointer)
  if (problems.length > 0) return { value: null, problems, warnings }
  return { value: value as Decoded<F>, problems: [], warnings }
}

/** Warnings for deprecated, renamed and unsupported fields in use, and for values in another shape. */
function remarksOn(field: Field, json: unknown, pointer: string): Warning[] {
  const warnings: Warning[] = []
  for (const { field: used, json: value, key, pointer: at, remarks } of fieldValuesIn(field, json, pointer)) {
    for (const { path, message, isOnce } of remarks)
      warnings.push({ pointer: at + formatPointer(path), message, ...(isOnce && { isOnce }) })
    const add = (message: string) => warnings.push({ pointer: at, message })
    const reshaped = used.reshaped(value)
    if (reshaped !== null) add(`expected ${reshaped}, got ${shown(value)}, which is used so`)
    const name = used.info.shape.kinds === undefined ? null : nameOnly(value)
    if (name !== null) add(`{ "name": ... } without a type is read as a reference; write ${JSON.stringify(name)}`)
    if (key === null) continue
    const { replacement, unsupported } = used.info.notes
    if (replacement !== undefined) add(`${key} is deprecated; ${replacement}`)
    if (unsupported !== undefined) add(`${key} has no effect: ${unsupported}`)
  }
  return warnings
}
