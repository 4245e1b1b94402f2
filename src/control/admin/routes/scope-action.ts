import type { Action } from '#crest'
import { Catalogue, type DocumentScope } from '#heap'
import { ROUTE_FILE } from '#instance'
import { isPlainObject, type JsonObject } from '#json'
import { loadTypes, shallowDocumentSchema } from '#schema'
import { ROUTE_ACTIONS } from '../../routes/routes-descriptions.ts'
import { type ExplainContext, routerAndScope } from './explain-action.ts'

/**
 * `scope`: the objects that a route of the router can refer to by name, and the schema of a route. Configurations of objects are
 * left out, since they may have secrets.
 */
export function scopeAction(names: readonly string[], context: ExplainContext): Action {
  let schema: JsonObject | null = null
  return {
    ...ROUTE_ACTIONS.scope,
    run: async () => {
      const types = await loadTypes(context.types)
      const catalogue = new Catalogue(types)
      const { scope } = await routerAndScope(names, context, catalogue)
      schema ??= shallowDocumentSchema(ROUTE_FILE, types) as JsonObject
      return { objects: inheritedObjects(scope, catalogue), schema }
    },
  }
}

/** Objects of a heap and of its parents; of several with a name the nearest. */
function inheritedObjects(scope: DocumentScope, catalogue: Catalogue): JsonObject[] {
  const objects = new Map<string, JsonObject>()
  for (let document: DocumentScope | null = scope; document !== null; document = document.parent) {
    const from = originOf(document)
    for (const declared of document.heap) {
      if (!isPlainObject(declared)) continue
      const { name, type } = declared as JsonObject
      if (typeof name !== 'string' || typeof type !== 'string' || objects.has(name)) continue
      const definition = catalogue.find(type)
      objects.set(name, { name, type: definition?.name ?? type, kind: definition?.kind?.name ?? null, from })
    }
  }
  return [...objects.values()]
}

/** The id of a route that contains the router, `config.json`, or null for the predefined objects. */
function originOf({ path, parent }: DocumentScope): string | null {
  if (parent === null) return null
  return parent.parent === null ? 'config.json' : path.slice(path.lastIndexOf('+') + 1)
}
