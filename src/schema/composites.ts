import { isPlainObject, setOwn } from '#json'
import { Deferred } from './deferred.ts'
import { type Decoded, decodeInto, expected, type Field, field, type JsonSchema, type RenderSchema } from './field.ts'
import { didYouMean } from './problem.ts'
import type { PresenceRule } from './rules.ts'

/** The fields of an object, by name. */
export type Members = Readonly<Record<string, Field>>

export type DecodedMembers<M extends Members> = { readonly [K in keyof M]: Decoded<M[K]> }

interface ObjectOptions {
  readonly rules?: readonly PresenceRule[]
  /** Old names of fields: accepted, with a warning that names the new one. */
  readonly renamed?: Readonly<Record<string, string>>
}

/** Keys that are comments or disabled fields (field-notes 1.1). */
export function isIgnoredKey(key: string): boolean {
  return key === 'comment' || key.startsWith('_') || key.startsWith('//')
}

const SUGGESTIONS = 20

/** An object with known fields; an unknown one is an error with a suggestion. */
export function object<M extends Members>(members: M, options: ObjectOptions = {}): Field<DecodedMembers<M>> {
  const { rules = [], renamed = {} } = options
  const known = Object.keys(members)
  const schema = (render: RenderSchema) => objectSchema(members, rules, renamed, render)
  return field({ label: 'an object', schema, members, renamed, rules }, (value, report) => {
    if (!isPlainObject(value)) {
      report(expected('an object', value))
      return undefined
    }
    const given = new Map<string, { key: string; value: unknown }>()
    let unknown = 0
    for (const key of Object.keys(value)) {
      if (value[key] === null) continue
      const name = Object.hasOwn(renamed, key) ? (renamed[key] as string) : key
      if (Object.hasOwn(members, name)) {
        if (given.has(name)) report(`give ${name} only, not also its old name ${key}`, [key])
        given.set(name, { key, value: value[key] })
      } else if (!isIgnoredKey(key)) {
        // Searching similar names takes time, and so many unknown names are no misspellings.
        report(`unknown field${++unknown > SUGGESTIONS ? '' : didYouMean(key, known)}`, [key])
      }
    }
    const decoded: Record<string, unknown> = {}
    for (const name of known) {
      const { key, value: raw } = given.get(name) ?? { key: name, value: undefined }
      const member = members[name] as Field
      const result = decodeInto(member, raw, report, [key])
      if (result instanceof Deferred) result.owner = { field: member, key }
      decoded[name] = result
    }
    for (const rule of rules) {
      const complaint = rule.check((name) => given.has(name))
      if (complaint !== null) report(complaint)
    }
    return decoded as DecodedMembers<M>
  })
}

function objectSchema(
  members: Members,
  rules: readonly PresenceRule[],
  renamed: Readonly<Record<string, string>>,
  render: RenderSchema,
): JsonSchema {
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  const given = (name: string): JsonSchema => {
    const names = [name, ...Object.keys(renamed).filter((old) => renamed[old] === name)]
    return names.length === 1 ? { required: names } : { anyOf: names.map((each) => ({ required: [each] })) }
  }
  const conditions = rules.map((rule) => rule.schema(given))
  for (const [name, member] of Object.entries(members)) {
    properties[name] = render(member)
    if (!member.info.required) continue
    if (Object.values(renamed).includes(name)) conditions.push(given(name))
    else required.push(name)
  }
  for (const [old, name] of Object.entries(renamed)) {
    properties[old] = { ...properties[name], deprecated: true, description: `Old name of ${name}.` }
  }
  return {
    type: 'object',
    properties,
    patternProperties: { '^(_|//|comment$)': {} },
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    ...(conditions.length > 0 && { allOf: conditions }),
  }
}

/** A list of values of one kind. */
export function list<T>(item: Field<T>, options: { nonEmpty?: boolean } = {}): Field<T[]> {
  const itemLabel = item.info.shape.label.replace(/^an? /, '')
  const schema = (render: RenderSchema): JsonSchema => ({
    type: 'array',
    items: render(item),
    ...(options.nonEmpty && { minItems: 1 }),
  })
  return field({ label: `an array of ${itemLabel}`, schema, item }, (value, report) => {
    if (!Array.isArray(value)) {
      report(expected('an array', value))
      return undefined
    }
    if (options.nonEmpty && value.length === 0) report('expected at least one element')
    return value.map((element, index) => decodeInto(item, element, report, [index]))
  })
}

/** A list, or a single value. Decodes to a list. */
export function listOrOne<T>(item: Field<T>): Field<T[]> {
  const many = list(item)
  const schema = (render: RenderSchema): JsonSchema => ({ anyOf: [render(item), render(many)] })
  return field({ label: `${item.info.shape.label} or an array of them`, schema, item }, (value, report) =>
    Array.isArray(value) ? decodeInto(many, value, report, []) : [decodeInto(item, value, report, [])],
  )
}

/** A map from any names to values of one kind. Every key is data, including `__proto__` and `comment`. */
export function map<T>(
  value: Field<T>,
  options: { except?: readonly string[]; reason?: string } = {},
): Field<Record<string, T>> {
  const { except = [], reason = 'is not allowed here' } = options
  const valueLabel = value.info.shape.label.replace(/^an? /, '')
  const schema = (render: RenderSchema): JsonSchema => ({
    type: 'object',
    additionalProperties: render(value),
    ...(except.length > 0 && { propertyNames: { not: { enum: [...except] } } }),
  })
  return field({ label: `a map of ${valueLabel}`, schema, entries: value }, (input, report) => {
    if (!isPlainObject(input)) {
      report(expected('an object', input))
      return undefined
    }
    const decoded: Record<string, T> = Object.create(null)
    for (const key of Object.keys(input)) {
      if (except.includes(key)) report(`${JSON.stringify(key)} ${reason}`, [key])
      else setOwn(decoded, key, decodeInto(value, input[key], report, [key]))
    }
    return decoded
  })
}

/** The branches of a field that accepts several JSON shapes. */
interface Shapes {
  readonly array?: Field
  readonly object?: Field
  readonly string?: Field
  readonly boolean?: Field
  readonly number?: Field
}

type ShapeValue<S extends Shapes> = { [K in keyof S]: Decoded<S[K]> }[keyof S]

/** A field that accepts several shapes. The JSON shape selects the branch, so that there is one message. */
export function byShape<S extends Shapes>(shapes: S): Field<ShapeValue<S>> {
  const branches = new Map(Object.entries(shapes) as [string, Field][])
  const label = [...new Set([...branches.values()].map((branch) => branch.info.shape.label))].join(', or ')
  const schema = (render: RenderSchema): JsonSchema => ({ anyOf: [...branches.values()].map(render) })
  return field({ label, schema, branches }, (value, report) => {
    const branch = branches.get(shapeOf(value))
    if (branch === undefined) {
      report(expected(label, value))
      return undefined
    }
    return decodeInto(branch, value, report, []) as ShapeValue<S>
  })
}

/** The key by which `byShape` selects. */
export function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}
