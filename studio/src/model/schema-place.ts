import { getLocation, type JSONPath } from 'jsonc-parser'
import type { Schema } from '../api/types.ts'
import { valueAt } from './canvas-edits.ts'
import { isObject } from './canvas-model.ts'

/** A key or value of a text, with the object of a type that it belongs to. */
export interface Place {
  readonly kind: 'key' | 'value'
  /** Type of the innermost object around that has one; null where there is none. */
  readonly type: string | null
  /** Path of the key or value in that object. */
  readonly path: JSONPath
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
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset)
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

/** What fits in a place, by the schema of the type around it and the names of all types. */
export function proposalsFor(place: Place, root: Schema | null, types: readonly string[]): readonly Proposal[] {
  if (place.kind === 'value' && place.path.at(-1) === 'type') return types.map((type) => proposal(type, null))
  if (root === null) return []
  if (place.kind === 'value') {
    const values = schemasAt(root, place.path).flatMap((schema) => valuesOf(schema))
    return [...new Set(values)].map((value) => proposal(value, null))
  }
  return schemasAt(root, place.path.slice(0, -1)).flatMap((schema) =>
    Object.entries(schema.properties ?? {})
      .filter(([name, field]) => field.deprecated !== true && !place.present.includes(name))
      .map(([name, field]) => proposal(name, field.description ?? null)),
  )
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
