import { formatPointer, isPlainObject, type JsonObject } from '#json'
import { isIgnoredKey } from './composites.ts'
import { Deferred, type SettleContext } from './deferred.ts'
import { documentPointer } from './document-places.ts'
import { expected, type Field, field, type RenderSchema } from './field.ts'
import type { Kind } from './kind.ts'

/** A reference to an object of one of several kinds: by name, or declared in place. */
export class Reference<T = unknown> extends Deferred<T> {
  readonly kinds: readonly Kind[]
  readonly target: string | JsonObject
  /** Set where the declaration in place is already decoded. */
  declared: unknown = null
  /** Key that the user wrote for the type of a declaration in place. */
  readonly typeKey: string
  /** Values other than names that its field accepts, for suggestions. */
  words: readonly string[] = []
  /** Messages for objects of kinds that are not accepted but expected from other gateways. */
  readonly advice: ReadonlyMap<Kind, string> | null = null
  /** Whether it is null where no heap has the name. */
  readonly isOptional: boolean = false
  /** Messages for names that heaps of other gateways have. */
  readonly missing: ReadonlyMap<string, string> | null = null

  constructor(kinds: readonly Kind[], target: string | JsonObject, typeKey = 'type') {
    super()
    this.kinds = kinds
    this.target = target
    this.typeKey = typeKey
  }

  /** The declaration in place, which pointers of the object around it may name a part of. */
  override get content(): unknown {
    return this.declared
  }

  settle(context: SettleContext, pointer: string): Promise<unknown> {
    return context.resolve(this, pointer)
  }
}

/** An object with its kind, where several kinds are accepted. */
export interface Typed<T = unknown> {
  readonly kind: Kind<T>
  readonly value: T
}

/** A reference to an object of a kind, by name or in place. */
export function ref<T>(kind: Kind<T>): Field<Deferred<T>> {
  return referenceField([kind], () => ({ $ref: `#/$defs/${kind.name}` })) as Field<Deferred<T>>
}

/** A reference to an object of any of several kinds; settles to the object and its kind. */
export function refToAny(...kinds: readonly Kind[]): Field<Deferred<Typed>> {
  const schema = () => ({ anyOf: kinds.map((kind) => ({ $ref: `#/$defs/${kind.name}` })) })
  return referenceField(kinds, schema) as Field<Deferred<Typed>>
}

function referenceField(kinds: readonly Kind[], schema: (render: RenderSchema) => Record<string, unknown>): Field {
  const names = kinds.map((kind) => kind.name).join(' or ')
  const label = `a ${names} reference`
  return field({ label, schema, kinds }, (value, report) => {
    if (typeof value === 'string' && value !== '') return new Reference(kinds, value)
    if (isPlainObject(value) && typeof value['type'] === 'string') return new Reference(kinds, value as JsonObject)
    const name = nameOnly(value)
    if (name !== null) return new Reference(kinds, name)
    const stores = severalStores(kinds, value)
    if (stores !== null) return new Reference(kinds, stores)
    if (isPlainObject(value)) report(`expected a "type" in the ${names} declared here${nameAdvice(value)}`)
    else report(expected(`the name of a ${names} or an object { "type": ... }`, value))
    return undefined
  })
}

/** The name in `{ "name": ... }` without anything else, which OpenIG takes for a reference to the object of that name. */
export function nameOnly(value: unknown): string | null {
  if (!isPlainObject(value) || typeof value['name'] !== 'string' || value['name'] === '') return null
  return Object.keys(value).every((key) => key === 'name' || isIgnoredKey(key)) ? value['name'] : null
}

/** For an object that names another one and has more than the name, such as a decorator, which OpenIG ignores. */
function nameAdvice(declaration: Readonly<Record<string, unknown>>): string {
  const { name } = declaration
  return typeof name === 'string' && !('config' in declaration)
    ? `; to use the object of that name in the heap, write ${JSON.stringify(name)} instead of { "name": ... }`
    : ''
}

/** A list of stores where one SecretsProvider is expected, as files of other dialects have it. */
function severalStores(kinds: readonly Kind[], value: unknown): JsonObject | null {
  if (!Array.isArray(value) || value.length < 2 || kinds.every(({ name }) => name !== 'SecretsProvider')) return null
  return { type: 'SecretsProvider', config: { stores: value } }
}

type Found = readonly [reference: Reference, pointer: string]

/** Every reference in a decoded configuration, with its pointer in the document. */
export function writtenReferencesIn(decoded: unknown, pointer: string): Found[] {
  return referencesIn(decoded, '').map(([reference, at]) => [reference, pointer + documentPointer(decoded, at)])
}

/** Every reference in a decoded configuration, with its pointer there, which has the current names of fields. */
export function referencesIn(decoded: unknown, pointer: string): Found[] {
  const found: Found[] = []
  collectReferences(decoded, [], (reference, path) => found.push([reference, pointer + formatPointer(path)]))
  return found
}

function collectReferences(
  decoded: unknown,
  path: (string | number)[],
  found: (reference: Reference, path: readonly (string | number)[]) => void,
): void {
  if (typeof decoded !== 'object' || decoded === null) return
  if (decoded instanceof Reference) {
    found(decoded, path)
    return
  }
  if (decoded instanceof Deferred) {
    collectReferences(decoded.content, path, found)
    return
  }
  if (!Array.isArray(decoded) && !isPlainObject(decoded)) return
  const keys = Array.isArray(decoded) ? decoded.keys() : Object.keys(decoded)
  for (const key of keys) {
    path.push(key)
    collectReferences((decoded as Readonly<Record<string | number, unknown>>)[key], path, found)
    path.pop()
  }
}
