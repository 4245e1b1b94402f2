import { isPlainObject, type JsonValue } from '#json'
import { IGNORED_KEYS, isIgnoredKey, type Members } from './composites.ts'
import type { TypeDefinition } from './define-type.ts'
import { DOCUMENT_STRUCTURE } from './document-structure.ts'
import type { Field, JsonSchema, RenderSchema } from './field.ts'
import type { Kind } from './kind.ts'
import { renderAccepted, renderField, SHARED_DEFINITIONS } from './render-field.ts'

/*
 * JSON Schemas (draft 2020-12) for editors, forms and pipelines. Those of types, for forms, have only the current spelling. Those of
 * whole files also accept one value for a list, enumerated values in any case, and class names with their package. Both are
 * stricter than decoding, which accepts null for a missing field, numbers as text, and keys with blanks at their ends.
 */

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

/** Definition of a kind of configuration file: source of its JSON Schema and reference page. */
export interface DocumentSource {
  /** Name of its schema and of its page, without ending. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly document: { readonly members: Members; readonly fields: Field; readonly legacy: readonly string[] }
  /** Predefined objects; decorators among them define keys. */
  readonly defaults: readonly JsonValue[]
  /** Whether it inherits objects of another document. */
  readonly inherits: boolean
}

/** The schema of objects of one type. For nested objects only the type name is checked. */
export function typeSchema(definition: TypeDefinition, all: readonly TypeDefinition[]): JsonSchema {
  const { name, aliases, summary, replacement, settings } = definition
  const root = {
    ...(replacement === null ? {} : { deprecated: true }),
    type: 'object',
    properties: {
      name: NAME,
      type: { enum: [name, ...aliases] },
      config: renderField(definition.config),
    },
    required: [...(needsConfig(definition) ? ['type', 'config'] : ['type'])],
  }
  const kinds = kindsOf([definition, ...all], []).map((kind) => [kind.name, shallowKind(kind, all)] as const)
  const description = replacement === null ? summary : `${summary} Deprecated: ${replacement}.`
  const own = settings === null ? {} : { Settings: renderField(settings) }
  return {
    $schema: DRAFT,
    title: name,
    description,
    ...root,
    ...reachable({ root, own }, { ...SHARED_DEFINITIONS, ...Object.fromEntries(kinds), ...own }, Object.keys(own)),
  }
}

/** The schema of a whole document: every type, to any depth. */
export function documentSchema(source: DocumentSource, definitions: readonly TypeDefinition[]): JsonSchema {
  const kinds = kindsOf(definitions, [source.document.fields])
  const decorators = decoratorProperties(source.defaults, definitions, renderAccepted)
  const objects = (types: readonly TypeDefinition[]) => declaration(types, decorators)
  return {
    ...rootSchema(source, definitions, renderAccepted),
    $defs: {
      ...SHARED_DEFINITIONS,
      DecoratorSettings: decoratorSettings(definitions, renderAccepted),
      HeapObject: { type: 'object', ...objects(definitions), required: ['name', 'type'] },
      ...Object.fromEntries(
        kinds.map((kind) => [kind.name, withLists(kind, wholeKind(kind, objects(typesOf(kind, definitions))))]),
      ),
      ...Object.fromEntries(definitions.map((each) => [`${each.name}.object`, typeCondition(each)])),
      ...Object.fromEntries(definitions.map((each) => [`${each.name}.config`, renderAccepted(each.config)])),
    },
  }
}

function rootSchema(
  { title, description, document, defaults, inherits }: DocumentSource,
  definitions: readonly TypeDefinition[],
  render: RenderSchema,
): JsonSchema {
  const decorators = decoratorProperties(defaults, definitions, render)
  const fields = render(document.fields) as { properties: JsonSchema; required?: string[]; allOf?: JsonSchema[] }
  const legacy = document.legacy.map((key) => [key, { deprecated: true, description: 'No longer used, no effect.' }])
  const properties = {
    ...fields.properties,
    heap: { description: DOCUMENT_STRUCTURE.heap, type: 'array', items: { $ref: '#/$defs/HeapObject' } },
    properties: { description: DOCUMENT_STRUCTURE.properties, type: 'object' },
    globalDecorators: {
      description: DOCUMENT_STRUCTURE.globalDecorators,
      type: 'object',
      properties: decorators,
      ...IGNORED_KEYS,
      additionalProperties: { $ref: '#/$defs/DecoratorSettings' },
    },
    ...decorators,
    ...Object.fromEntries(legacy),
  }
  return {
    $schema: DRAFT,
    title,
    description,
    ...fields,
    properties,
    ...IGNORED_KEYS,
    additionalProperties: { $ref: '#/$defs/DecoratorSettings' },
    ...(!inherits && onlyKnownKeys(Object.keys(properties), definitions)),
  }
}

/** Other keys than the known ones name decorators, which the heap of the document must declare. */
function onlyKnownKeys(known: readonly string[], definitions: readonly TypeDefinition[]): JsonSchema {
  const decorators = definitions.filter(({ settings }) => settings !== null).flatMap(namesOf)
  const decorator = { type: 'object', properties: { type: { enum: decorators } }, required: ['type'] }
  const ignored = Object.keys(IGNORED_KEYS.patternProperties).map((pattern) => ({ pattern }))
  return {
    if: { properties: { heap: { contains: decorator } }, required: ['heap'] },
    else: { propertyNames: { anyOf: [{ enum: known }, ...ignored] } },
  }
}

/** The schema of a document in which only the type of nested objects is checked: a small one, for editors. */
export function shallowDocumentSchema(source: DocumentSource, definitions: readonly TypeDefinition[]): JsonSchema {
  const root = rootSchema(source, definitions, renderField)
  const properties = { name: NAME, type: { enum: definitions.flatMap(namesOf) }, config: { type: 'object' } }
  const decorators = decoratorProperties(source.defaults, definitions, renderField)
  const kinds = kindsOf(definitions, [source.document.fields])
  const shallow = {
    ...SHARED_DEFINITIONS,
    DecoratorSettings: decoratorSettings(definitions, renderField),
    HeapObject: { type: 'object', properties: { ...properties, ...decorators }, required: ['name', 'type'] },
    ...Object.fromEntries(kinds.map((kind) => [kind.name, shallowKind(kind, definitions)])),
  }
  return { ...root, ...reachable(root, shallow, []) }
}

const NAME = { description: 'The name by which others refer to it.', type: 'string', minLength: 1 }

/** By name, or declared in place. No `anyOf` is needed, since keywords of objects ignore strings. */
function wholeKind(kind: Kind, object: JsonSchema): JsonSchema {
  const description = `A ${kind.name}: the name of one, or one declared in place.`
  return { description, type: ['string', 'object'], minLength: 1, ...object }
}

/** Several stores are accepted for one SecretsProvider. */
function withLists({ name }: Kind, schema: JsonSchema): JsonSchema {
  if (name !== 'SecretsProvider') return schema
  return { ...schema, type: ['string', 'object', 'array'], minItems: 1, items: { $ref: `#/$defs/${name}` } }
}

function shallowKind(kind: Kind, all: readonly TypeDefinition[]): JsonSchema {
  const types = typesOf(kind, all).flatMap(namesOf)
  return wholeKind(kind, { properties: { type: { enum: types } }, required: ['type'] })
}

/** One condition per type, so that editors report problems of the selected type only. */
function declaration(types: readonly TypeDefinition[], decorators: JsonSchema): JsonSchema {
  return {
    properties: {
      name: NAME,
      type: { description: 'The type of the object.', ...typeNames(types.flatMap(namesOf)) },
      config: { type: 'object' },
      ...decorators,
    },
    required: ['type'],
    ...IGNORED_KEYS,
    additionalProperties: { $ref: '#/$defs/DecoratorSettings' },
    ...(types.length > 0 && { allOf: types.map(({ name }) => ({ $ref: `#/$defs/${name}.object` })) }),
  }
}

/** The name of a type, or the class of an older gateway: of that only the last part decides. */
function typeNames(names: readonly string[]): JsonSchema {
  return { anyOf: [{ enum: names }, { type: 'string', pattern: `\\.(${names.join('|')})$` }] }
}

function typeCondition(definition: TypeDefinition): JsonSchema {
  const { name, summary, replacement } = definition
  const type = { description: replacement === null ? summary : `${summary} Deprecated: ${replacement}.` }
  return {
    if: { properties: { type: { enum: namesOf(definition) } }, required: ['type'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      properties: {
        type: replacement === null ? type : { ...type, deprecated: true },
        config: { $ref: `#/$defs/${name}.config` },
      },
      ...(needsConfig(definition) && { required: ['config'] }),
    },
  }
}

function namesOf({ name, aliases }: TypeDefinition): string[] {
  return [name, ...aliases]
}

/** Whether the config of this type is optional. */
function needsConfig({ config }: TypeDefinition): boolean {
  return !config.accepts({})
}

/** The types whose objects are accepted for a kind: of the kind, of adapted kinds, and of any kind. */
function typesOf(kind: Kind, definitions: readonly TypeDefinition[]): TypeDefinition[] {
  const kinds = new Set<Kind | null>([kind, null, ...kind.adapters.map(({ from }) => from)])
  return definitions.filter((definition) => kinds.has(definition.kind))
}

/** Every kind that types are of or that fields refer to. */
function kindsOf(definitions: readonly TypeDefinition[], fields: readonly Field[]): Kind[] {
  const kinds = new Map<string, Kind>()
  for (const { kind } of definitions) if (kind !== null) kinds.set(kind.name, kind)
  const seen = new Set<Field>()
  const visit = (field: Field): void => {
    if (seen.has(field)) return
    seen.add(field)
    const { shape } = field.info
    for (const kind of shape.kinds ?? []) kinds.set(kind.name, kind)
    const { inner, item, entries, members = {}, branches } = shape
    for (const below of [inner, item, entries, ...Object.values(members), ...(branches?.values() ?? [])]) {
      if (below !== undefined) visit(below)
    }
  }
  for (const field of fields) visit(field)
  for (const { config, settings } of definitions) {
    visit(config)
    if (settings !== null) visit(settings)
  }
  return [...kinds.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The keys of predefined decorators. */
function decoratorProperties(
  defaults: readonly JsonValue[],
  definitions: readonly TypeDefinition[],
  render: RenderSchema,
): JsonSchema {
  const properties: JsonSchema = {}
  for (const json of defaults) {
    if (!isPlainObject(json) || typeof json['name'] !== 'string' || isIgnoredKey(json['name'])) continue
    const definition = definitions.find(({ name }) => name === json['type'])
    if (!definition?.settings) continue
    properties[json['name']] = { description: definition.summary, ...render(definition.settings) }
  }
  return properties
}

/** Other keys may belong to a decorator of the heap, whose type is unknown to the schema. */
function decoratorSettings(definitions: readonly TypeDefinition[], render: RenderSchema): JsonSchema {
  const settings = definitions.flatMap((definition) =>
    definition.settings === null ? [] : [render(definition.settings)],
  )
  if (settings.length === 0) return { not: {} }
  return { description: 'Settings of a decorator that the heap declares under this name.', anyOf: settings }
}

/** The definitions that are referred to from a schema, directly or through others. */
function reachable(from: unknown, definitions: JsonSchema, always: readonly string[]): JsonSchema {
  const used = new Set<string>(always)
  const visit = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (used.has(name as string)) continue
      used.add(name as string)
      visit(definitions[name as string] ?? {})
    }
  }
  visit(from)
  if (used.size === 0) return {}
  return { $defs: Object.fromEntries(Object.entries(definitions).filter(([name]) => used.has(name))) }
}
