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
  Token: {
    description: 'A token such as &{name|default}, replaced when the document is read, or a transformation of one.',
    type: ['string', 'object'],
    pattern: '&\\{',
    minProperties: 1,
    maxProperties: 1,
    propertyNames: { pattern: TRANSFORMATIONS },
  },
}

/** The JSON Schema of a field, with its description. */
export function renderField(field: Field): JsonSchema {
  const { shape, notes, defaultValue } = field.info
  const { description, replacement, unsupported, secret } = notes
  const remarks = [
    description,
    replacement !== undefined && `Deprecated: ${replacement}.`,
    unsupported !== undefined && `No effect: ${unsupported}.`,
  ].filter((remark) => remark !== undefined && remark !== false)
  return {
    ...(remarks.length > 0 && { description: remarks.join(' ') }),
    ...withTokens(shape.schema(renderField)),
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
