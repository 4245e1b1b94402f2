import type { JSONPath } from 'jsonc-parser'
import { isObject } from './canvas-model.ts'

/** A value to set at a path; undefined removes it. */
export interface Edit {
  readonly path: JSONPath
  readonly value: unknown
}

/** The innermost edit that turns one value into another, so that comments and formatting around it stay. */
export function smallestEdit(before: unknown, after: unknown): Edit {
  const whole = { path: [], value: after }
  if (Array.isArray(before) && Array.isArray(after)) return editOfList(before, after) ?? whole
  if (isObject(before) && isObject(after)) return editOfObject(before, after) ?? whole
  return whole
}

function editOfList(before: readonly unknown[], after: readonly unknown[]): Edit | null {
  const first = before.findIndex((item, index) => !isSame(item, after[index]))
  if (after.length === before.length) {
    if (first < 0 || !isSame(before.slice(first + 1), after.slice(first + 1))) return null
    return within(first, smallestEdit(before[first], after[first]))
  }
  if (after.length === before.length + 1 && first < 0) return { path: [before.length], value: after.at(-1) }
  const isOneLess = after.length === before.length - 1 && after.length > 0
  return isOneLess && isSame(before.toSpliced(first, 1), after) ? { path: [first], value: undefined } : null
}

function editOfObject(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) {
  const [old, now] = [Object.keys(before), Object.keys(after)]
  const changed = [...new Set([...old, ...now])].filter((key) => !isSame(before[key], after[key]))
  const key = changed[0]
  if (key === undefined || changed.length > 1) return null
  const rest = (keys: readonly string[]) => keys.filter((one) => one !== key)
  if (!isSame(rest(old), rest(now))) return null
  if (!(key in after)) return { path: [key], value: undefined }
  if (!(key in before)) return now.at(-1) === key ? { path: [key], value: after[key] } : null
  return old.indexOf(key) === now.indexOf(key) ? within(key, smallestEdit(before[key], after[key])) : null
}

function within(step: string | number, { path, value }: Edit): Edit {
  return { path: [step, ...path], value }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
