import { CATALOGUE } from '#catalogue'
import { loadTypes, typeSchema } from '#schema'

const types = await loadTypes(CATALOGUE)

/** The JSON Schema of the objects of a type, as the management API sends it. */
export function schemaOfType(name: string): unknown {
  const definition = types.find((type) => type.name === name)
  if (definition === undefined) throw new Error(`there is no type ${name}`)
  return structuredClone(typeSchema(definition, types))
}
