import { appendPointer, formatPointer, isPlainObject } from '#json'
import { shapeOf } from './composites.ts'
import type { Decoded, Field } from './field.ts'
import { fieldInfo } from './field.ts'
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
  const { shape } = fieldInfo(field)
  if (shape.inner !== undefined) yield* remarks(shape.inner, json, pointer)
  const branch = shape.branches?.get(shapeOf(json))
  if (branch !== undefined) yield* remarks(branch, json, pointer)
  if (Array.isArray(json)) {
    if (shape.item !== undefined)
      for (const [at, item] of json.entries()) yield* remarks(shape.item, item, appendPointer(pointer, at))
    return
  }
  if (shape.item !== undefined) yield* remarks(shape.item, json, pointer)
  if (!isPlainObject(json)) return
  for (const key of Object.keys(json)) {
    if (json[key] === null) continue
    const at = appendPointer(pointer, key)
    if (shape.entries !== undefined) yield* remarks(shape.entries, json[key], at)
    if (shape.members !== undefined) yield* memberRemarks(shape.members, shape.renamed ?? {}, key, json[key], at)
  }
}

function* memberRemarks(
  members: Readonly<Record<string, Field>>,
  renamed: Readonly<Record<string, string>>,
  key: string,
  json: unknown,
  pointer: string,
): Generator<Problem> {
  if (Object.hasOwn(renamed, key)) yield { pointer, message: `${key} is deprecated; use ${renamed[key]} instead` }
  const name = Object.hasOwn(renamed, key) ? (renamed[key] as string) : key
  const member = Object.hasOwn(members, name) ? members[name] : undefined
  if (member === undefined) return
  const { replacement, unsupported } = fieldInfo(member).notes
  if (replacement !== undefined) yield { pointer, message: `${key} is deprecated; ${replacement}` }
  if (unsupported !== undefined) yield { pointer, message: `${key} has no effect: ${unsupported}` }
  yield* remarks(member, json, pointer)
}
