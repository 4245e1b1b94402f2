import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import type { Description } from '../protocol/endpoint.ts'

/** No resource has a longer id. */
export const MAX_ID_LENGTH = 1_024

/** The id of a resource as a path segment. */
export function idSchema({ idPattern = '^[^/]+$' }: Description): JsonObject {
  return { type: 'string', minLength: 1, maxLength: MAX_ID_LENGTH, pattern: idPattern }
}

/** A resource in a request. */
export function resourceSchema(description: Description): JsonObject {
  return { allOf: [identity(description, []), description.schema] }
}

/**
 * A resource in a response: `_fields` may leave out everything but `_id` and `_rev`, so that nothing else is required.
 */
export function responseSchema(description: Description): JsonObject {
  const required = description.revisions === false ? ['_id'] : ['_id', '_rev']
  return { allOf: [identity(description, required), description.answer ?? optional(description.schema)] }
}

function identity(description: Description, required: readonly string[]): JsonObject {
  return {
    type: 'object',
    ...(required.length > 0 && { required: [...required] }),
    properties: { _id: idSchema(description), _rev: { type: 'string' } },
  }
}

/** Keywords that require a member. */
const PRESENCE = new Set(['required', 'dependentRequired', 'minProperties', 'minItems', 'contains', 'minContains'])
const SCHEMAS_BY_NAME = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])
const LISTS_OF_SCHEMAS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const SCHEMAS = new Set(['items', 'additionalProperties', 'unevaluatedProperties', 'if', 'then', 'else'])

/** A schema without required members, at any depth. */
function optional(schema: JsonValue): JsonObject {
  if (!isPlainObject(schema)) return schema as unknown as JsonObject
  const result: JsonObject = {}
  for (const [key, value] of Object.entries(schema as JsonObject)) {
    if (PRESENCE.has(key)) continue
    if (SCHEMAS_BY_NAME.has(key) && isPlainObject(value)) {
      const members = Object.entries(value as JsonObject).map(([name, member]) => [name, optional(member)])
      result[key] = Object.fromEntries(members) as JsonObject
    } else if (LISTS_OF_SCHEMAS.has(key) && Array.isArray(value)) result[key] = value.map(optional)
    else result[key] = SCHEMAS.has(key) ? optional(value) : value
  }
  return result
}

/** A page of resources of a schema. */
export function queryResultSchema(answer: JsonObject): JsonObject {
  return {
    type: 'object',
    required: ['results', 'resultCount', 'pagedResultsCookie', 'totalPagedResultsPolicy', 'totalPagedResults'],
    properties: {
      results: { type: 'array', items: answer },
      result: { type: 'array', items: answer, description: 'The same as results, before protocol version 2.2.' },
      resultCount: { type: 'integer' },
      pagedResultsCookie: { type: ['string', 'null'] },
      totalPagedResultsPolicy: { type: 'string', enum: ['NONE', 'ESTIMATE', 'EXACT'] },
      totalPagedResults: { type: 'integer' },
      remainingPagedResults: { type: 'integer' },
    },
  }
}
