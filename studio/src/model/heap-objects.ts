import type { InheritedObject } from '../api/scope.ts'
import { valueAt } from './canvas-edits.ts'
import { isObject } from './canvas-model.ts'

/** An object that a route can refer to. */
export type HeapObject = Pick<InheritedObject, 'name' | 'type'>

/** The objects of a route's heap, and those that it inherits and does not hide. */
export function heapObjects(text: string, inherited: readonly HeapObject[]): readonly HeapObject[] {
  const heap = valueAt(text, ['heap'])
  const own = (Array.isArray(heap) ? heap : []).flatMap((object: unknown): HeapObject[] =>
    isObject(object) && typeof object['name'] === 'string'
      ? [{ name: object['name'], type: String(object['type']) }]
      : [],
  )
  const byName = new Map([...inherited, ...own].map((object) => [object.name, object]))
  const names = new Set([...own, ...inherited].map(({ name }) => name))
  return [...names].map((name) => byName.get(name) as HeapObject)
}

/** Names of the objects that have one of the types. */
export function namesOfTypes(objects: readonly HeapObject[], types: readonly string[]): readonly string[] {
  return objects.filter(({ type }) => types.includes(type)).map(({ name }) => name)
}
