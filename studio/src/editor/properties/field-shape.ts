import type { Schema } from '../../api/types.ts'

/** What a form shows for a field. */
export type FieldShape =
  | { readonly kind: 'text' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'number' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'reference'; readonly role: string; readonly types: readonly string[] }
  | { readonly kind: 'list'; readonly item: Schema }
  | { readonly kind: 'map'; readonly value: Schema }
  | { readonly kind: 'object'; readonly schema: Schema }
  | { readonly kind: 'json' }

/** Definitions that say how a value may be written, not which one it is. */
const SPELLINGS = new Set(['Token', 'Expression'])

/** The shape of a field by its schema; alternatives that are tokens or expressions can be typed as text everywhere. */
export function shapeOf(field: Schema, root: Schema): FieldShape {
  if (field.$ref !== undefined) return referenced(field.$ref, root)
  if (field.enum !== undefined) return { kind: 'choice', values: field.enum.map(String) }
  const options = [...(field.anyOf ?? []), ...(field.oneOf ?? [])].filter(({ $ref }) => !SPELLINGS.has(nameOf($ref)))
  if (options.length > 0) return shapeOf(options[0] as Schema, root)
  const type = Array.isArray(field.type) ? field.type[0] : field.type
  if (type === 'boolean') return { kind: 'boolean' }
  if (type === 'integer' || type === 'number') return { kind: 'number' }
  if (type === 'array') return { kind: 'list', item: field.items ?? {} }
  if (type === 'object' && field.properties !== undefined) return { kind: 'object', schema: field }
  if (type === 'object' && typeof field.additionalProperties === 'object')
    return { kind: 'map', value: field.additionalProperties }
  return type === 'string' ? { kind: 'text' } : { kind: 'json' }
}

function referenced(reference: string, root: Schema): FieldShape {
  const name = nameOf(reference)
  const definition = root.$defs?.[name]
  if (definition === undefined) return { kind: 'json' }
  const types = definition.properties?.['type']?.enum
  if (types !== undefined) return { kind: 'reference', role: name, types: types.map(String) }
  return SPELLINGS.has(name) ? { kind: 'text' } : shapeOf(definition, root)
}

function nameOf(reference: string | undefined): string {
  return reference?.split('/').at(-1) ?? ''
}

/** Whether a value can be a text that is not only an expression in the place of another value. */
export function acceptsText(schema: Schema, root: Schema): boolean {
  return alternativesOf(schema, root).some(
    (one) => [one.type].flat().includes('string') || one.enum?.every((item) => typeof item === 'string') === true,
  )
}

/** Whether a value can be a list of texts. */
export function acceptsTexts(schema: Schema, root: Schema): boolean {
  return alternativesOf(schema, root).some(
    ({ type, items }) => type === 'array' && items !== undefined && acceptsText(items, root),
  )
}

/** The alternatives of a schema, without objects of the heap. An alternative of any value counts as text. */
function alternativesOf(schema: Schema, root: Schema): readonly Schema[] {
  if (schema.$ref !== undefined) {
    const definition = root.$defs?.[nameOf(schema.$ref)] ?? {}
    if (SPELLINGS.has(nameOf(schema.$ref))) return [{ type: 'string' }]
    return definition.properties?.['type']?.enum === undefined ? alternativesOf(definition, root) : []
  }
  const options = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  if (options.length === 0) return [schema]
  return options
    .filter(({ $ref }) => !SPELLINGS.has(nameOf($ref)))
    .flatMap((option) => (Object.keys(option).length === 0 ? [{ type: 'string' }] : alternativesOf(option, root)))
}
