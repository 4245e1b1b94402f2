import {
  isPlainObject,
  JsonNumber,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  readDocument,
  setOwn,
} from '#json'
import { unifiedDiff } from './unified-diff.ts'

/** Whether comments, white space and the order of members are compared too. */
export type Granularity = 'values' | 'text'

/**
 * Hunks from one text of configuration to another; null where both are the same, or both missing. Values are compared as
 * formatted JSON, so that only changed values are shown; a text that is not JSON is compared as it is.
 */
export function textDifference(
  before: string | null,
  after: string | null,
  granularity: Granularity,
): readonly string[] | null {
  if (before === after) return null
  const [old, fresh] = granularity === 'text' ? [null, null] : [parsed(before), parsed(after)]
  const areValues = (before === null || old !== null) && (after === null || fresh !== null)
  if (granularity === 'text' || !areValues) return unifiedDiff(before ?? '', after ?? '')
  const oldText = old === null ? '' : formatted(fresh === null ? old.value : inOrderOf(old.value, fresh.value))
  const newText = fresh === null ? '' : formatted(fresh.value)
  const hunks = unifiedDiff(oldText, newText)
  return hunks.length === 0 && before !== null && after !== null ? null : hunks
}

function parsed(text: string | null): { readonly value: JsonValue } | null {
  try {
    return text === null ? null : readDocument(text)
  } catch (error) {
    if (error instanceof JsonSyntaxError) return null
    throw error
  }
}

function formatted(value: JsonValue): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** A copy whose members are in the order of another value: another order is no difference. */
function inOrderOf(value: JsonValue, model: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return Array.isArray(model) ? value.map((each, at) => inOrderOf(each, model[at] ?? null)) : value
  }
  if (!isObject(value) || !isObject(model)) return value
  const copy: JsonObject = {}
  const keys = new Set([...Object.keys(model), ...Object.keys(value)])
  for (const key of keys) {
    if (!Object.hasOwn(value, key)) continue
    const own = value[key] as JsonValue
    setOwn(copy, key, Object.hasOwn(model, key) ? inOrderOf(own, model[key] as JsonValue) : own)
  }
  return copy
}

function isObject(value: JsonValue): value is JsonObject {
  return isPlainObject(value) && !(value instanceof JsonNumber)
}
