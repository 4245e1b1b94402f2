import { randomUUID } from 'node:crypto'
import {
  applyPatch,
  type Collection,
  contentRevision,
  type Description,
  PageCookies,
  queryResources,
  Refusal,
  type Resource,
} from '#crest'
import type { JsonObject } from '#json'

type PatchOptions = NonNullable<Parameters<typeof applyPatch>[2]>

interface MemoryOptions extends PatchOptions {
  /** A create beyond this number gets 503. */
  readonly limit?: number
}

/** A collection in memory with every verb: for tests. */
export function memoryCollection(description: Description, options: MemoryOptions = {}): Collection {
  const resources = new Map<string, Resource>()
  const cookies = new PageCookies()
  const keep = (id: string, content: JsonObject): Resource => {
    const resource = { id, revision: contentRevision(content), content }
    resources.set(id, resource)
    return resource
  }
  const current = (id: string, revision: string | null): Resource | Refusal => {
    const resource = resources.get(id)
    if (resource === undefined) return new Refusal(404, 'there is no resource of this id')
    if (revision === null || revision === resource.revision) return resource
    return new Refusal(412, 'the resource has another revision now; read it again')
  }
  return {
    kind: 'collection',
    description,
    create: async (_, wanted, content) => {
      const id = wanted ?? randomUUID()
      if (resources.has(id)) return new Refusal(412, 'there is a resource of this id already')
      if (resources.size >= (options.limit ?? 10_000)) return new Refusal(503, 'the collection is full')
      return keep(id, content)
    },
    read: async (_, id) => current(id, null),
    update: async (_, id, content, revision) => {
      const found = current(id, revision)
      return found instanceof Refusal ? found : keep(id, content)
    },
    delete: async (_, id, revision) => {
      const found = current(id, revision)
      if (!(found instanceof Refusal)) resources.delete(id)
      return found
    },
    patch: async (_, id, operations, revision) => {
      const found = current(id, revision)
      if (found instanceof Refusal) return found
      const content = await applyPatch(found.content, operations, options)
      // The resource may have changed while the transformation ran.
      const still = current(id, found.revision)
      return still instanceof Refusal ? still : keep(id, content)
    },
    query: async (_, query) => queryResources([...resources.values()], query, { cookies }),
  }
}
