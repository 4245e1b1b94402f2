import type { JSONPath } from 'jsonc-parser'
import { comparePaths, filterListOf, inserted, type ObjectValue, outermost, valueAt } from './canvas-edits.ts'
import { isObject } from './canvas-model.ts'
import { parseExact } from './exact-values.ts'
import { freeName } from './free-name.ts'

const KEY = 'studio.clipboard'

/** Kind of a type, such as Filter; null for a type that has none or is unknown. */
export type KindOf = (type: string) => string | null

/** Objects as text of the clipboard: the JSON of one, or a list of several. Null where there is no object. */
export function copiedText(text: string, paths: readonly JSONPath[]): string | null {
  const values = outermost(paths)
    .toSorted(comparePaths)
    .map((path) => valueAt(text, path))
    .filter((value) => isObject(value) || typeof value === 'string')
  if (values.length === 0) return null
  return JSON.stringify(values.length === 1 ? values[0] : values, null, 2)
}

/** Objects in a text of the clipboard; none where it is another text. */
export function objectsIn(copied: string): readonly ObjectValue[] {
  let value: unknown
  try {
    value = parseExact(copied)
  } catch {
    return []
  }
  const list = Array.isArray(value) ? value : [value]
  const isEach = list.every((item) => typeof item === 'string' || (isObject(item) && typeof item['type'] === 'string'))
  return isEach ? (list as ObjectValue[]) : []
}

/** Inserts objects of the clipboard in their order; one whose name is taken gets another. */
export function pasted(
  text: string,
  values: readonly ObjectValue[],
  kindOf: KindOf,
  selected: JSONPath | null,
): string {
  const withKinds = values.map((value) => ({ value, kind: kindOfValue(text, value, kindOf) }))
  // One handler has the selected place. It comes first: a filter may put a Chain around it.
  const handler = withKinds.find(({ kind }) => kind === 'Handler')
  let result = text
  let after = selected
  if (handler !== undefined) result = inserted(result, 'Handler', withFreeName(result, handler.value), selected)
  for (const one of withKinds) {
    if (one === handler) continue
    const named = withFreeName(result, one.value)
    const place = one.kind === 'Filter' && after !== null ? filterListOf(result, after) : null
    result = inserted(result, one.kind === 'Handler' ? null : one.kind, named, after)
    after = place ?? after
  }
  return result
}

/** A name is of the kind of the object that it refers to; of an unknown one, it is taken for a filter. */
function kindOfValue(text: string, value: ObjectValue, kindOf: KindOf): string | null {
  if (typeof value !== 'string') return kindOf(String((value as { type?: unknown }).type))
  const heap = valueAt(text, ['heap'])
  const declared: unknown = Array.isArray(heap) ? heap.find((item) => isObject(item) && item['name'] === value) : null
  const kind = kindOf(isObject(declared) ? String(declared['type']) : value)
  return kind === 'Handler' ? kind : 'Filter'
}

function withFreeName(text: string, value: ObjectValue): ObjectValue {
  const name = typeof value === 'string' ? undefined : (value as { name?: unknown }).name
  return typeof name === 'string' ? { ...(value as object), name: freeName(name, text) } : value
}

/** Keeps copied objects for pages to which the browser does not give the clipboard. */
export function storeCopied(copied: string): void {
  try {
    localStorage.setItem(KEY, copied)
  } catch {
    // Without storage, the clipboard of the browser is the only one.
  }
}

export function storedCopy(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}
