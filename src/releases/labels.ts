import type { JsonValue } from '#json'
import { Manifest } from './manifest.ts'

/** Labels of an instance, or those that an instance must have to serve a staged release. */
export type Labels = Readonly<Record<string, string>>

const MAX_LABELS = 64
const MAX_TEXT = 256

export function decodeLabels(where: string, value: JsonValue | undefined): Labels {
  const manifest = Manifest.of(where, value, 'labels')
  const labels = manifest.entries().map(([name]): [string, string] => [name, manifest.text(name, MAX_TEXT)])
  const problem = labelsProblem(Object.fromEntries(labels))
  return problem === null ? Object.fromEntries(labels) : manifest.fail('only', problem)
}

/** What labels of a staged release have to be; null if they are. Without any label all instances would serve it. */
export function labelsProblem(labels: Labels): string | null {
  const entries = Object.entries(labels)
  if (entries.length === 0 || entries.length > MAX_LABELS) return `1 to ${MAX_LABELS} labels`
  const isText = (text: string): boolean => text.length <= MAX_TEXT && text.isWellFormed()
  const valid = entries.every(([name, value]) => name !== '' && isText(name) && isText(value))
  return valid ? null : `names and values of at most ${MAX_TEXT} characters`
}

/** Whether an instance has all labels of `only`. */
export function includesLabels(labels: Labels, only: Labels): boolean {
  return Object.entries(only).every(([name, value]) => Object.hasOwn(labels, name) && labels[name] === value)
}
