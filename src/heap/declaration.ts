import { appendPointer, isPlainObject, type JsonValue, parsePointer } from '#json'
import {
  decode,
  didYouMean,
  type Field,
  isIgnoredKey,
  type Kind,
  type Problem,
  type Reference,
  referencesIn,
  type TypeDefinition,
  writtenReferencesIn,
} from '#schema'
import type { Catalogue } from './catalogue.ts'
import { addWarnings, currentKeys } from './current-keys.ts'
import { decodeLeniently, IGNORED_BY_SETTING } from './lenient-decoding.ts'
import { readReferences } from './read-references.ts'

/** A declared object: decoded, not yet built. */
export interface Declaration {
  readonly name: string
  readonly definition: TypeDefinition
  /** The configuration as written. */
  readonly json: unknown
  /** The decoded configuration; null where it can not be decoded. */
  readonly config: unknown
  readonly decorations: readonly Decoration[]
  /** Pointer of the object in its document. */
  readonly pointer: string
}

/** A decorator of an object, with its decoded settings. */
export interface Decoration {
  readonly decorator: string
  readonly settings: unknown
  readonly pointer: string
}

/** Input of decoding a document, and its findings. */
export interface DecodeContext {
  readonly catalogue: Catalogue
  /** The type of the decorator with this name in the current scope. */
  decoratorType(name: string): TypeDefinition | null
  decoratorNames(): Iterable<string>
  readonly problems: Problem[]
  readonly warnings: Problem[]
  /** Whether unknown fields are warnings (`unknownFields` of admin.json). */
  readonly isLenient: boolean
  /** Whether an object of the document may set the target server of requests. */
  maySetTarget: boolean
  /** Types of the objects of the document. */
  readonly types: Set<TypeDefinition>
}

/** Keys of a declared object that are no decorations. */
export const OWN_KEYS: ReadonlySet<string> = new Set(['name', 'type', 'config'])

/** Decodes one object and its inline objects. Null if it is unusable. */
export function decodeDeclaration(
  json: JsonValue,
  pointer: string,
  context: DecodeContext,
  typeKey = 'type',
): Declaration | null {
  const { problems } = context
  const fail = (path: string, message: string): null => {
    problems.push({ pointer: path, message })
    return null
  }
  if (!isPlainObject(json)) return fail(pointer, 'expected an object { "name", "type", "config" }')
  const keys = currentKeys(json, pointer, OWN_KEYS, context)
  const { name, type } = keys
  if (name !== undefined && (typeof name !== 'string' || name === '')) {
    return fail(appendPointer(pointer, 'name'), 'expected a string that is not empty')
  }
  if (typeof type !== 'string') return fail(pointer, 'expected a "type", the name of an object type')
  const definition = context.catalogue.find(type)
  if (definition === null) return fail(appendPointer(pointer, typeKey), context.catalogue.unknown(type))
  if (definition.replacement !== null) {
    const message = `${definition.name} is deprecated; ${definition.replacement}`
    context.warnings.push({ pointer: appendPointer(pointer, typeKey), message })
  }
  context.types.add(definition)
  if (definition.target === 'sets' && definition.settings === null) context.maySetTarget = true
  const config = withoutDecorations(keys, definition, pointer, context)
  const decoded = decodeField(definition.config, config, appendPointer(pointer, 'config'), context)
  if (hasBaseUriBeside(decoded)) context.maySetTarget = true
  const decorations = decodeDecorations(keys, pointer, OWN_KEYS, context)
  if (definition.settings !== null) {
    for (const { decorator, pointer: at } of decorations) {
      const message = `decorators are never decorated; ${decorator} has no effect here`
      context.warnings.push({ pointer: at, message })
    }
  }
  return {
    name: name ?? `{${definition.name}}${pointer}`,
    definition,
    json: config,
    config: decoded,
    decorations,
    pointer,
  }
}

/** The configuration without decorations, which OpenIG 2 has there: they are moved to the keys beside `config`. */
function withoutDecorations(
  keys: Record<string, unknown>,
  { config: { info }, settings }: TypeDefinition,
  pointer: string,
  context: DecodeContext,
): unknown {
  const { config } = keys
  if (!isPlainObject(config) || settings !== null) return config ?? {}
  const rest = { ...config }
  for (const key of Object.keys(config)) {
    const isDecoration = context.decoratorType(key) !== null && !Object.hasOwn(info.shape.members ?? {}, key)
    if (!isDecoration) continue
    delete rest[key]
    const isTwice = Object.hasOwn(keys, key)
    const message = isTwice
      ? `${key} is also given beside config; that one is used`
      : `${key} is a decorator; write it beside type and config`
    if (!isTwice) keys[key] = config[key]
    context.warnings.push({ pointer: `${pointer}/config/${key}`, message })
  }
  return rest
}

/** Whether a reference in a decoded configuration has a `baseURI` next to it, as in the bindings of a DispatchHandler. */
function hasBaseUriBeside(decoded: unknown): boolean {
  for (const [, at] of referencesIn(decoded, '')) if (baseUriBeside(decoded, at) !== undefined) return true
  return false
}

/** The `baseURI` next to a position in a decoded configuration. */
export function baseUriBeside(decoded: unknown, pointer: string): unknown {
  let member = decoded
  for (const key of (parsePointer(pointer) ?? []).slice(0, -1)) {
    member = (member as Record<string, unknown> | undefined)?.[key]
  }
  return (member as Record<string, unknown> | undefined)?.['baseURI']
}

/** Decodes JSON by a field, then its inline objects. */
export function decodeField(field: Field, json: unknown, pointer: string, context: DecodeContext): unknown {
  const { value, problems, warnings } = (context.isLenient ? decodeLeniently : decode)(field, json, pointer)
  context.problems.push(...problems)
  addWarnings(context, warnings)
  if (value === null) decodeRemains(field, json, pointer, context)
  else
    for (const [reference, at] of writtenReferencesIn(value, pointer)) {
      if (typeof reference.target !== 'string') decodeInPlace(reference, at, context)
    }
  return value
}

/** Decodes the inline objects of a value that can not be decoded, so that their problems are reported too. */
function decodeRemains(field: Field, json: unknown, pointer: string, context: DecodeContext): void {
  for (const [reference, at] of readReferences(field, json, pointer)) {
    if (typeof reference.target !== 'string') decodeInPlace(reference, at, context)
  }
}

/** Decodes the inline object of a reference, and checks its kind. */
export function decodeInPlace(reference: Reference, pointer: string, context: DecodeContext): Declaration | null {
  const declaration = decodeDeclaration(reference.target as JsonValue, pointer, context, reference.typeKey)
  reference.declared = declaration
  const kind = declaration?.definition.kind ?? null
  if (declaration !== null && kind !== null && !isOfKind(kind, reference.kinds)) {
    const wanted = reference.kinds.map(({ name }) => name).join(' or ')
    const message = `expected a ${wanted}, got a ${kind.name} (type ${declaration.definition.name})`
    context.problems.push({ pointer, message })
  }
  return declaration
}

/** Whether an object of a kind can be used as one of the wanted kinds. */
export function isOfKind(kind: Kind, wanted: readonly Kind[]): boolean {
  return wanted.some((want) => want === kind || want.adapters.some(({ from }) => from === kind))
}

const SUGGESTIONS = 100

/** Start of the message for a key that is neither a field nor a decorator. */
export const UNKNOWN_FIELD = 'unknown field, and no decorator of that name'

/** Decodes the keys of an object that name decorators; any other unknown key is an error. */
export function decodeDecorations(
  json: Record<string, unknown>,
  pointer: string,
  known: ReadonlySet<string>,
  context: DecodeContext,
): Decoration[] {
  const decorations: Decoration[] = []
  for (const key of Object.keys(json)) {
    if (known.has(key)) continue
    const type = context.decoratorType(key)
    const at = appendPointer(pointer, key)
    if (type?.settings) {
      if (json[key] === null) continue
      if (type.target === 'sets') context.maySetTarget = true
      decorations.push({ decorator: key, settings: decodeField(type.settings, json[key], at, context), pointer: at })
    } else if (!isIgnoredKey(key)) {
      // Searching for similar names is expensive, and this many unknown names are not misspellings.
      if (context.isLenient) {
        context.warnings.push({ pointer: at, message: UNKNOWN_FIELD + IGNORED_BY_SETTING })
        continue
      }
      const isFew = context.problems.length < SUGGESTIONS
      const suggestion = isFew ? didYouMean(key, [...context.decoratorNames(), ...known]) : ''
      context.problems.push({ pointer: at, message: `${UNKNOWN_FIELD}${suggestion}` })
    }
  }
  return decorations
}
