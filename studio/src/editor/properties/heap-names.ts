import { isObject } from '../../model/canvas-model.ts'

/** Names of the objects of a heap that have one of the types. */
export function heapNames(heap: unknown, types: readonly string[]): readonly string[] {
  if (!Array.isArray(heap)) return []
  const names = heap.flatMap((object: unknown) =>
    isObject(object) && typeof object['name'] === 'string' && types.includes(String(object['type']))
      ? [object['name']]
      : [],
  )
  return [...new Set(names)]
}
