import { appendPointer, canonicalJson, isPlainObject, type JsonObject, type JsonValue } from '#json'

const MAX_FIELDS = 100

/**
 * The JSON pointers at which two objects differ, as deep as they have the same shape; without values.
 * With more than a hundred differences, only their fields at the top.
 */
export function changedFields(before: JsonObject, after: JsonObject): readonly string[] {
  const found: string[] = []
  compare(before, after, '', found)
  if (found.length <= MAX_FIELDS) return found
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const top = [...names].filter((name) => !same(own(before, name), own(after, name)))
  return top.slice(0, MAX_FIELDS).map((name) => appendPointer('', name))
}

function compare(before: JsonValue, after: JsonValue, pointer: string, found: string[]): void {
  if (found.length > MAX_FIELDS) return
  if (isPlainObject(before) && isPlainObject(after)) {
    const [old, now] = [before as JsonObject, after as JsonObject]
    for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
      member(own(old, name), own(now, name), appendPointer(pointer, name), found)
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    for (let at = 0; at < Math.max(before.length, after.length); at++) {
      if (found.length > MAX_FIELDS) return
      member(before[at], after[at], appendPointer(pointer, at), found)
    }
  } else if (before !== after) found.push(pointer)
}

function member(before: JsonValue | undefined, after: JsonValue | undefined, pointer: string, found: string[]): void {
  if (before === undefined || after === undefined) found.push(pointer)
  else compare(before, after, pointer, found)
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function same(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (before === undefined || after === undefined) return before === after
  return canonicalJson(before) === canonicalJson(after)
}
