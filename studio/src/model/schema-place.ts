import type { JSONPath } from 'jsonc-parser'
import type { Schema } from '../api/types.ts'
import { valueAt } from './canvas-edits.ts'
import { isObject } from './canvas-model.ts'
import { type HeapObject, namesOfTypes } from './heap-objects.ts'
import { locationAt } from './route-document.ts'

/** A key or value of a text, with the object of a type that it belongs to. */
export interface Place {
  readonly kind: 'key' | 'value'
  /** Type of the innermost object around that has one; null where there is none. */
  readonly type: string | null
  /** Path of the key or value in that object. */
  readonly path: JSONPath
  /** The object that the key or value belongs to, as a place of the object around that has a type. */
  readonly object: { readonly type: string | null; readonly path: JSONPath }
  /** Keys beside it in its object. */
  readonly present: readonly string[]
  /** Characters of the token at the offset, quotes included. */
  readonly from: number
  readonly to: number
}

/** Something to insert in a place. */
export interface Proposal {
  readonly label: string
  readonly insert: string
  readonly info: string | null
}

/** The place at a character of a text, which may be incomplete. */
export function placeAt(text: string, offset: number): Place {
  const { path, isAtPropertyKey, previousNode } = locationAt(text, offset)
  const isToken = previousNode !== undefined && previousNode.offset < offset
  const word = /[\w.-]*$/.exec(text.slice(0, offset))?.[0].length ?? 0
  const from = isToken && text[previousNode.offset] === '"' ? previousNode.offset : offset - word
  const length = /^"?[^"\n,:{}[\]]*"?/.exec(text.slice(from))?.[0].trimEnd().length ?? 0
  const around = path.slice(0, -1)
  const siblings = valueAt(text, around)
  const key = path.at(-1)
  return {
    kind: isAtPropertyKey ? 'key' : 'value',
    ...ownerOf(text, path),
    object: ownerOf(text, path.slice(0, -1)),
    present: isObject(siblings) ? Object.keys(siblings).filter((one) => one !== key) : [],
    from,
    to: text[from] === '"' ? Math.max(offset, from + length) : offset,
  }
}

function ownerOf(text: string, path: JSONPath): Pick<Place, 'type' | 'path'> {
  for (let length = path.length - 1; length >= 0; length--) {
    const value = valueAt(text, path.slice(0, length))
    if (isObject(value) && typeof value['type'] === 'string') return { type: value['type'], path: path.slice(length) }
  }
  return { type: null, path }
}

/** What a gateway has that fits in places of a route. */
export interface Fitting {
  /** Schema of the type of the place; of the route where no type is around it. */
  readonly root: Schema | null
  /** Schema of the type around the object of the place, or of the route. */
  readonly outer: Schema | null
  /** Names of all types. */
  readonly types: readonly string[]
  /** Objects that can be referred to. */
  readonly objects: readonly HeapObject[]
  /** Keys of every object with a type. */
  readonly decorators: readonly string[]
}

/** What fits in a place. */
export function proposalsFor(place: Place, fitting: Fitting): readonly Proposal[] {
  const { root, types, objects, decorators } = fitting
  if (place.kind === 'value' && place.path.at(-1) === 'type') {
    const allowed = fittingTypes(fitting.outer, place.object.path)
    return (allowed ?? types).map((type) => proposal(type, null))
  }
  if (root === null) return []
  if (place.kind === 'value') {
    const values = schemasAt(root, place.path).flatMap((schema) => valuesOf(schema))
    const names = namesOfTypes(objects, fittingTypes(root, place.path) ?? [])
    return [...new Set([...values, ...names])].map((value) => proposal(value, null))
  }
  const fields = schemasAt(root, place.path.slice(0, -1)).flatMap(({ properties }) => Object.entries(properties ?? {}))
  const described = new Map(
    fields.filter(([, { deprecated }]) => deprecated !== true).map(([name, { description }]) => [name, description]),
  )
  const isObjectOfType = place.type !== null && place.path.length === 1
  for (const name of isObjectOfType ? decorators : []) if (!described.has(name)) described.set(name, undefined)
  return Array.from(described)
    .filter(([name]) => !place.present.includes(name))
    .map(([name, description]) => proposal(name, description ?? null))
}

/** Types of the objects that fit at a path; null where the schema does not ask for an object. */
function fittingTypes(root: Schema | null, path: JSONPath): readonly string[] | null {
  // Schemas of files have class names with packages as an alternative.
  const types = root === null ? [] : schemasAt(root, [...path, 'type']).flatMap((schema) => schema.enum ?? [])
  return types.length === 0 ? null : [...new Set(types.map(String))]
}

function proposal(value: unknown, info: string | null): Proposal {
  return { label: String(value), insert: JSON.stringify(value), info }
}

function valuesOf({ type, enum: values, const: one }: Schema): readonly unknown[] {
  if (values !== undefined) return values
  if (one !== undefined) return [one]
  return type === 'boolean' ? [true, false] : []
}

/** The description of the field that a place is the key or value of; null where the schema has none. */
export function descriptionOf({ path }: Place, root: Schema): string | null {
  const field = path.findLast((step) => typeof step === 'string')
  const at = path.slice(0, path.lastIndexOf(field as string))
  const found = schemasAt(root, at).map(({ properties }) => properties?.[field as string]?.description)
  return found.find((description) => description !== undefined) ?? null
}

/** The alternatives of a schema at a path, references resolved. */
function schemasAt(root: Schema, path: JSONPath): readonly Schema[] {
  return path.reduce<readonly Schema[]>(
    (schemas, step) =>
      schemas.flatMap(({ properties, additionalProperties, items }) => {
        if (typeof step === 'number') return items === undefined ? [] : alternatives(items, root)
        const known = properties !== undefined && Object.hasOwn(properties, step) ? properties[step] : undefined
        const next = known ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
        return next === undefined ? [] : alternatives(next, root)
      }),
    alternatives(root, root),
  )
}

function alternatives(schema: Schema, root: Schema): readonly Schema[] {
  const definition = schema.$ref === undefined ? undefined : root.$defs?.[schema.$ref.split('/').at(-1) ?? '']
  const options = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(definition === undefined ? [] : [definition])]
  return [schema, ...options.flatMap((option) => alternatives(option, root))]
}
