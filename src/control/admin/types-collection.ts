import { type Collection, contentRevision, listResources, PageCookies, Refusal, type Resource } from '#crest'
import type { JsonObject } from '#json'
import { type CatalogueType, loadTypes, type TypeDefinition, typeSchema } from '#schema'
import { ADMIN_DESCRIPTIONS } from './admin-descriptions.ts'

/** The object types of the gateway with their JSON Schemas, as a read-only collection. */
export function typesCollection(types: readonly CatalogueType[]): Collection {
  const cookies = new PageCookies()
  let resources: ReadonlyMap<string, Resource> | null = null
  // Types are loaded and schemas generated on first use: most gateways never need them.
  const all = async () => {
    const definitions = await loadTypes(types)
    resources ??= new Map(definitions.map((type) => [type.name, typeResource(type, definitions)]))
    return resources
  }
  return {
    kind: 'collection',
    description: ADMIN_DESCRIPTIONS.endpoints.types,
    read: async (_, id) => (await all()).get(id) ?? new Refusal(404, 'there is no type of this name'),
    query: async (_, query) => listResources((await all()).values(), query, { cookies }),
  }
}

function typeResource(type: TypeDefinition, types: readonly TypeDefinition[]): Resource {
  const { name, aliases, kind, summary, replacement, provides, needs, after } = type
  const content: JsonObject = {
    aliases: [...aliases],
    kind: kind?.name ?? null,
    summary,
    deprecated: replacement,
    provides: provides.map((context) => context.name),
    needs: needs.map(({ context }) => context.name),
    after: [...after],
    schema: typeSchema(type, types) as JsonObject,
  }
  return { id: name, revision: contentRevision(content), content }
}
