import {
  dereference,
  type Schema,
  type SchemaDraft,
  schemaArrayKeyword,
  schemaKeyword,
  schemaMapKeyword,
} from '@cfworker/json-schema'
import { appendPointer, isPlainObject, type JsonObject } from '#json'
import { didYouMean, shown } from '#schema'

/** Values that a keyword may have. */
interface Rule {
  readonly expected: string
  allows(value: unknown): boolean
}

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
const isType = (value: unknown) => TYPES.includes(value as string)
const isText = (value: unknown): value is string => typeof value === 'string'

const NUMBER: Rule = { expected: 'a number', allows: (value) => typeof value === 'number' }
const COUNT: Rule = { expected: 'an integer from 0', allows: (value) => Number.isInteger(value) && Number(value) >= 0 }
const TEXT: Rule = { expected: 'a string', allows: isText }
const BOOLEAN: Rule = { expected: 'true or false', allows: (value) => typeof value === 'boolean' }
const TEXTS: Rule = {
  expected: 'an array of field names',
  allows: (value) => Array.isArray(value) && value.every(isText),
}
const MAP: Rule = { expected: 'an object', allows: isPlainObject }

/** Keywords that the validator reads, beside those that hold nothing but schemas. */
const RULES: ReadonlyMap<string, Rule> = new Map(
  Object.entries({
    type: {
      expected: `one of ${TYPES.join(', ')}, or an array of these`,
      allows: (value: unknown) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
    },
    pattern: { expected: 'a regular expression', allows: isText },
    enum: { expected: 'an array of values', allows: Array.isArray },
    multipleOf: { expected: 'a number above 0', allows: (value: unknown) => NUMBER.allows(value) && Number(value) > 0 },
    $ref: TEXT,
    $id: TEXT,
    $anchor: TEXT,
    format: TEXT,
    required: TEXTS,
    uniqueItems: BOOLEAN,
    minimum: NUMBER,
    maximum: NUMBER,
    dependencies: MAP,
    dependentRequired: {
      expected: 'an object with arrays of field names',
      allows: (value: unknown) => isPlainObject(value) && Object.values(value).every(TEXTS.allows),
    },
    ...Object.fromEntries(Object.keys(schemaMapKeyword).map((keyword) => [keyword, MAP])),
    ...Object.fromEntries(
      ['Length', 'Items', 'Properties', 'Contains'].flatMap((name) => [
        [`min${name}`, COUNT],
        [`max${name}`, COUNT],
      ]),
    ),
  }),
)

const EXCLUSIVE: ReadonlySet<string> = new Set(['exclusiveMinimum', 'exclusiveMaximum'])
const DRAFT_4: Rule = { expected: 'true or false, as in draft-04 of "$schema"', allows: BOOLEAN.allows }
const LATER: Rule = { expected: 'a number; true and false need draft-04 in "$schema"', allows: NUMBER.allows }

/** The draft that `$schema` names; the latest without one. */
export function draftOf({ $schema }: JsonObject): SchemaDraft {
  const [, draft] = /draft[-/](0[3467]|2019-09)/.exec(String($schema)) ?? []
  if (draft === '03' || draft === '04') return '4'
  if (draft === '2019-09') return draft
  return draft === undefined ? '2020-12' : '7'
}

interface SchemaReports {
  fail(pointer: string, reason: string): never
  warn(pointer: string, reason: string): void
}

/**
 * A copy of a schema that the validator can use: it finds mistakes below the top only with the first event that has such a field.
 * Calls `fail` with the pointer of the first mistake, and `warn` with those of mistakes that do no harm.
 */
export function usableSchema(json: JsonObject, { fail, warn }: SchemaReports): JsonObject {
  // The validator knows doubles only.
  const root = JSON.parse(JSON.stringify(json)) as JsonObject
  const exclusive = draftOf(root) === '4' ? DRAFT_4 : LATER
  // A Map visits entries that are added meanwhile.
  const schemas = new Map([[root, '']])
  for (const [schema, pointer] of schemas) {
    for (const [keyword, value] of Object.entries(schema)) {
      const at = appendPointer(pointer, keyword)
      const rule = EXCLUSIVE.has(keyword) ? exclusive : RULES.get(keyword)
      if (rule?.allows(value) === false) {
        const similar = keyword === 'type' && isText(value) ? didYouMean(value, TYPES) : ''
        fail(at, `${mismatch(rule.expected, value)}${similar}`)
      }
      checkPatterns(keyword, value, (reason) => fail(at, reason))
      if (keyword === 'properties')
        acceptTypeNames(value as JsonObject, (name, reason) => warn(appendPointer(at, name), reason))
      for (const [below, sub] of subschemas(keyword, value, at)) {
        if (isPlainObject(sub)) schemas.set(sub as JsonObject, below)
        else if (typeof sub !== 'boolean') fail(below, mismatch('a schema: an object, true or false', sub))
      }
    }
  }
  // In draft-04 `id` is a name, which schemas of other gateways repeat at each level; the validator refuses repeated ones.
  for (const [schema, pointer] of schemas) {
    if (pointer !== '' && !String(schema['id']).startsWith('#')) delete schema['id']
  }
  checkReferences(root, schemas, fail)
  // Until draft-07 the members beside `$ref` have no effect: those that the gateway adds must have one.
  const { $ref, ...rest } = root
  return $ref === undefined ? root : { ...rest, allOf: [...((rest['allOf'] ?? []) as JsonObject[]), { $ref }] }
}

function mismatch(expected: string, value: unknown): string {
  return `expected ${expected}, got ${shown(value)}`
}

/** A sample of PingGateway, which checks no events, has names of types in place of schemas. */
function acceptTypeNames(properties: JsonObject, warn: (name: string, reason: string) => void): void {
  for (const [name, value] of Object.entries(properties)) {
    if (!isType(value)) continue
    properties[name] = true
    warn(name, `${mismatch(`a schema such as { "type": "${value}" }`, value)}; any value is accepted`)
  }
}

/** The validator compiles patterns with each event, with the flag `u`. */
function checkPatterns(keyword: string, value: unknown, fail: (reason: string) => never): void {
  const patterns =
    keyword === 'pattern' ? [value] : keyword === 'patternProperties' ? Object.keys(value as JsonObject) : []
  for (const pattern of patterns) {
    try {
      new RegExp(String(pattern), 'u')
    } catch (error) {
      fail(`${mismatch('a regular expression', pattern)}: ${(error as Error).message}`)
    }
  }
}

/** The schemas that a keyword holds, with their pointers. */
function subschemas(keyword: string, value: unknown, at: string): [string, unknown][] {
  const isMap = Object.hasOwn(schemaMapKeyword, keyword)
  if (isMap || keyword === 'dependencies') {
    const members = Object.entries(value as JsonObject).filter(([, each]) => isMap || !TEXTS.allows(each))
    return members.map(([name, each]) => [appendPointer(at, name), each])
  }
  const isList = Object.hasOwn(schemaArrayKeyword, keyword)
  if (isList && Array.isArray(value)) return value.map((each, index) => [appendPointer(at, index), each])
  return isList || Object.hasOwn(schemaKeyword, keyword) ? [[at, value]] : []
}

function checkReferences(
  root: JsonObject,
  schemas: ReadonlyMap<JsonObject, string>,
  fail: (pointer: string, reason: string) => never,
): void {
  const found = schemasByUri(root, fail)
  for (const [schema, pointer] of schemas) {
    const passed = new Set<unknown>()
    for (let at: Schema | boolean = schema; typeof at === 'object' && at.$ref !== undefined; ) {
      const target: Schema | boolean | undefined = found[at.__absolute_ref__ ?? at.$ref]
      const expected = 'a schema of this file, such as "#/definitions/amount"'
      if (target === undefined || (typeof target === 'object' && !schemas.has(target))) {
        fail(`${schemas.get(at)}/$ref`, mismatch(expected, at.$ref))
      }
      if (passed.has(at)) fail(`${pointer}/$ref`, `expected ${expected}, got a reference to itself`)
      passed.add(at)
      at = target
    }
  }
}

function schemasByUri(root: JsonObject, fail: (pointer: string, reason: string) => never) {
  try {
    return dereference(root as Schema)
  } catch (error) {
    return fail('', `expected ids and references that are URIs, each id once: ${(error as Error).message}`)
  }
}
