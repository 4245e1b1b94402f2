import { isExpression } from '#expression'
import { isPlainObject, setOwn } from '#json'
import { currentMembers } from './current-members.ts'
import { Deferred } from './deferred.ts'
import { type DocumentPlaces, documentPath, keepPlaces } from './document-places.ts'
import { type Decoded, decodeInto, expected, type Field, field, type JsonSchema, type RenderSchema } from './field.ts'
import type { FieldMigration } from './field-migration.ts'
import type { OlderSpelling } from './older-spelling.ts'
import { checkRules } from './open-rules.ts'
import { didYouMean } from './problem.ts'
import type { PresenceRule } from './rules.ts'

/** The fields of an object, by name. */
export type Members = Readonly<Record<string, Field>>

export type DecodedMembers<M extends Members> = { readonly [K in keyof M]: Decoded<M[K]> }

interface ObjectOptions {
  readonly rules?: readonly PresenceRule[]
  /** Fields of other dialects: accepted, with a warning that names the current spelling. */
  readonly older?: readonly OlderSpelling[]
  /** Conversions of deprecated fields in files. */
  readonly migrations?: readonly FieldMigration[]
}

/** Keys that are comments or disabled fields (field-notes 1.1), or name the JSON Schema for an editor. */
const IGNORED_KEY = '^(_|//|comments?$|\\$schema$)'

/** The same as a keyword of JSON Schema. */
export const IGNORED_KEYS = { patternProperties: { [IGNORED_KEY]: {} } }

const ignoredKey = new RegExp(IGNORED_KEY)

export function isIgnoredKey(key: string): boolean {
  return ignoredKey.test(key)
}

const SUGGESTIONS = 20

/** Start of the message for an unknown key. */
export const UNKNOWN_MEMBER = 'unknown field'

/** An object with known fields; an unknown one is an error with a suggestion. */
export function object<M extends Members>(members: M, options: ObjectOptions = {}): Field<DecodedMembers<M>> {
  const { rules = [], older = [], migrations = [] } = options
  const known = Object.keys(members)
  const schema = (render: RenderSchema) => objectSchema(members, rules, older, render)
  return field({ label: 'an object', schema, members, older, migrations, rules }, (value, report) => {
    if (!isPlainObject(value)) {
      report(expected('an object', value))
      return undefined
    }
    const { members: given, places } = currentMembers(value, (key) => Object.hasOwn(members, key), older)
    let unknown = 0
    for (const [name, { key }] of given) {
      if (Object.hasOwn(members, name) || isIgnoredKey(name)) continue
      // Searching similar names takes time, and so many unknown names are no misspellings.
      report(`${UNKNOWN_MEMBER}${++unknown > SUGGESTIONS ? '' : didYouMean(name, known)}`, [key])
    }
    const decoded: Record<string, unknown> = {}
    keepPlaces(decoded, places)
    for (const name of known) {
      const member = members[name] as Field
      const result = member.decode(given.get(name)?.value, (message, below = []) =>
        report(message, documentPath(places, [name, ...below])),
      )
      if (result instanceof Deferred) result.owner = member
      decoded[name] = result
    }
    checkRules(decoded, rules, given, ({ at }, message) =>
      report(message, at === undefined ? [] : documentPath(places, [at])),
    )
    return decoded as DecodedMembers<M>
  })
}

function objectSchema(
  members: Members,
  rules: readonly PresenceRule[],
  older: readonly OlderSpelling[],
  render: RenderSchema,
): JsonSchema {
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  const described = older.filter(({ warnsOnce }) => !warnsOnce)
  const given = (name: string): JsonSchema => {
    const names = [name, ...described.filter(({ sets }) => sets.includes(name)).flatMap(({ old }) => topLevel(old))]
    return names.length === 1 ? { required: names } : { anyOf: names.map((each) => ({ required: [each] })) }
  }
  const conditions = rules.map((rule) => rule.schema(given))
  for (const [name, member] of Object.entries(members)) {
    properties[name] = render(member)
    if (!member.info.required) continue
    if (described.some(({ sets }) => sets.includes(name))) conditions.push(given(name))
    else required.push(name)
  }
  for (const { old, current, hasEffect, advice, isRename, secret } of described) {
    for (const name of topLevel(old)) {
      const same = isRename ? properties[current as string] : {}
      const description = isRename ? `Old name of ${current}.` : `${hasEffect ? 'Deprecated' : 'No effect'}: ${advice}.`
      properties[name] ??= { ...same, deprecated: true, description, ...(secret && { 'x-secret': true }) }
    }
  }
  return {
    type: 'object',
    properties,
    ...IGNORED_KEYS,
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    ...(conditions.length > 0 && { allOf: conditions }),
  }
}

/** Old names that are keys of the object itself. */
function topLevel(old: readonly string[]): string[] {
  return old.filter((path) => !path.includes('.'))
}

interface ListOptions {
  readonly nonEmpty?: boolean
  /** Whether null elements are left out. */
  readonly skipsNull?: boolean
}

/** A list of values of one kind. */
export function list<T>(item: Field<T>, options: ListOptions = {}): Field<T[]> {
  const itemLabel = item.info.shape.label.replace(/^an? /, '')
  const schema = (render: RenderSchema): JsonSchema => ({
    type: 'array',
    items: render(item),
    ...(options.nonEmpty && { minItems: 1 }),
  })
  const { skipsNull = false } = options
  return field({ label: `an array of ${itemLabel}`, schema, item, skipsNull }, (value, report) => {
    if (!Array.isArray(value)) {
      report(expected('an array', value))
      return undefined
    }
    if (options.nonEmpty && value.length === 0) report('expected at least one element')
    return value.flatMap((element, index) =>
      skipsNull && element === null ? [] : [decodeInto(item, element, report, [index])],
    )
  })
}

/** The only element of the decoded list is the value itself in the document. */
const SINGLE: DocumentPlaces = new Map([['/0', []]])

/** A list, or a single value. Decodes to a list. */
export function listOrOne<T>(item: Field<T>, options: ListOptions = {}): Field<T[]> {
  const many = list(item, options)
  const schema = (render: RenderSchema): JsonSchema => ({ anyOf: [render(item), render(many)] })
  return field({ label: `${item.info.shape.label} or an array of them`, schema, item }, (value, report) => {
    if (Array.isArray(value)) return decodeInto(many, value, report, [])
    const one = [decodeInto(item, value, report, [])]
    keepPlaces(one, SINGLE)
    return one
  })
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
    const branch = branchFor(value, branches)
    if (branch === undefined) {
      report(expected(label, value))
      return undefined
    }
    return decodeInto(branch, value, report, []) as ShapeValue<S>
  })
}

/**
 * The branch that decodes a value. Names of objects are not evaluated, so that an expression is not meant as one where a list
 * is accepted as well.
 */
export function branchFor(value: unknown, branches: ReadonlyMap<string, Field>): Field | undefined {
  const branch = branches.get(shapeOf(value))
  if (typeof value !== 'string' || branch?.info.shape.kinds === undefined || !isExpression(value)) return branch
  return branches.get('array') ?? branch
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}
