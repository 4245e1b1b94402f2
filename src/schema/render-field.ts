import { DURATION_PATTERN } from '#expression'
import { EXPRESSION_SCHEMA } from './compiled.ts'
import type { Field, JsonSchema } from './field.ts'

const TRANSFORMATIONS = '^\\$(array|bool|decodeBase64|encodeBase64|int|list|number|object|string)$'

const TOKEN_SCHEMA = { $ref: '#/$defs/Token' }

/** Definitions that fields of all types refer to. */
export const SHARED_DEFINITIONS: JsonSchema = {
  Expression: {
    description: 'An expression such as ${request.method}, or a token such as &{name}.',
    type: 'string',
    pattern: '[$#&]\\{',
  },
  Duration: {
    description: 'A duration such as 10 seconds, an expression or a token.',
    type: 'string',
    pattern: `${DURATION_PATTERN}|[$#&]\\{`,
    examples: ['10 seconds', '1 minute', '2 hours and 30 minutes'],
  },
  Token: {
    description: 'A token such as &{name|default}, replaced when the document is read, or a transformation of one.',
    type: ['string', 'object'],
    pattern: '&\\{',
    minProperties: 1,
    maxProperties: 1,
    propertyNames: { pattern: TRANSFORMATIONS },
  },
}

/** The JSON Schema of a field as it should be written, with its description. */
export function renderField(field: Field): JsonSchema {
  return describe(field, field.info.shape.schema(renderField))
}

/** The same, for files that exist already: also one value for a list, and enumerated values in any case. */
export function renderAccepted(field: Field): JsonSchema {
  const { shape } = field.info
  const schema = shape.fileSchema ?? shape.schema(renderAccepted)
  if (shape.isAnyCase) return describe(field, { anyOf: [schema, anyCase(schema['enum'] as readonly string[])] })
  if (shape.item === undefined || schema['type'] !== 'array') return describe(field, schema)
  const items = withoutNotes(renderAccepted(shape.item))
  const many = shape.skipsNull ? { ...schema, items: { anyOf: [items, { type: 'null' }] } } : schema
  return describe(field, { anyOf: [many, items] })
}

/** A pattern of words in any case: JSON Schema has no flags. */
function anyCase(words: readonly string[]): JsonSchema {
  const letters = (word: string): string =>
    word.replaceAll(/[A-Za-z]/g, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)
  return { type: 'string', pattern: `^(${words.map((word) => letters(escaped(word))).join('|')})$` }
}

function escaped(word: string): string {
  return word.replaceAll(/[^\w-]/g, '\\$&')
}

function withoutNotes({ description: _, default: __, ...schema }: JsonSchema): JsonSchema {
  return schema
}

function describe({ info: { notes, defaultValue } }: Field, schema: JsonSchema): JsonSchema {
  const { description, replacement, unsupported, secret } = notes
  const remarks = [
    description,
    replacement !== undefined && `Deprecated: ${replacement}.`,
    unsupported !== undefined && `No effect: ${unsupported}.`,
  ].filter((remark) => remark !== undefined && remark !== false)
  return {
    ...(remarks.length > 0 && { description: remarks.join(' ') }),
    ...withTokens(schema),
    ...(defaultValue !== undefined && { default: defaultValue }),
    ...(replacement !== undefined && { deprecated: true }),
    ...(unsupported !== undefined && { 'x-unsupported': unsupported }),
    ...(secret && { 'x-secret': true }),
  }
}

/**
 * Tokens are replaced before a field is decoded, so a document may have one in place of a number, an enumerated value or a list.
 * Not for objects: an `anyOf` there would make the messages of editors vague.
 */
function withTokens(schema: JsonSchema): JsonSchema {
  const choices = alternatives(schema)
  if (choices.length === 1 && (takesAnyText(choices[0] as JsonSchema) || choices[0]?.['type'] === 'object')) {
    return choices[0] as JsonSchema
  }
  if (choices.some(takesAnyText)) {
    const rest = choices.filter((choice) => !isSame(choice, EXPRESSION_SCHEMA) && !isSame(choice, TOKEN_SCHEMA))
    return rest.length === 1 ? (rest[0] as JsonSchema) : { anyOf: rest }
  }
  const hasExpression = choices.some((choice) => isSame(choice, EXPRESSION_SCHEMA))
  const rest = choices.filter((choice) => !isSame(choice, TOKEN_SCHEMA))
  return { anyOf: hasExpression ? withoutRepeats(rest) : [...withoutRepeats(rest), TOKEN_SCHEMA] }
}

/** Flattens nested `anyOf`. */
function alternatives(schema: JsonSchema): JsonSchema[] {
  const { anyOf, ...rest } = schema
  return Array.isArray(anyOf) && Object.keys(rest).length === 0 ? anyOf.flatMap(alternatives) : [schema]
}

/** Whether a token is already valid: free text, any JSON, or the name of an object. */
function takesAnyText(schema: JsonSchema): boolean {
  const { type, $ref, enum: words, pattern, format } = schema
  if (typeof $ref === 'string') return !isSame(schema, EXPRESSION_SCHEMA) && !isSame(schema, TOKEN_SCHEMA)
  if (words !== undefined || pattern !== undefined || format !== undefined) return false
  return type === 'string' || (type === undefined && schema['anyOf'] === undefined)
}

function isSame(a: JsonSchema, b: JsonSchema): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function withoutRepeats(schemas: readonly JsonSchema[]): JsonSchema[] {
  return schemas.filter((schema, at) => schemas.findIndex((other) => isSame(other, schema)) === at)
}
