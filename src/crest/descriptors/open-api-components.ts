import type { JsonObject } from '#json'

function inQuery(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: 'query', description, schema }
}

function inHeader(name: string, description: string, pattern: string): JsonObject {
  return { name, in: 'header', description, schema: { type: 'string', pattern } }
}

const REVISION = '(W/)?("[^",*]{1,256}"|[^\\s",*]{1,256})'
const PROTOCOL = 'protocol=(1(\\.0)?|2(\\.[012])?)'
const VERSION = 'resource=\\d{1,9}(\\.\\d{1,9})?'

const TEXT = { type: 'string' }
const FLAG = { type: 'boolean' }

/** The parameters and headers of Common REST, in every OpenAPI document. */
export const OPEN_API_PARAMETERS: JsonObject = {
  fields: inQuery('_fields', 'Fields to return, as JSON pointers with commas between them.', TEXT),
  prettyPrint: inQuery('_prettyPrint', 'Formats the answer.', FLAG),
  mimeType: inQuery('_mimeType', 'Reads one field as this media type, where that is enabled.', TEXT),
  queryFilter: inQuery('_queryFilter', 'Which resources to return; true for all.', TEXT),
  pageSize: inQuery('_pageSize', 'Entries on a page; 0 for everything at once.', {
    type: 'integer',
    minimum: 0,
    maximum: 1000,
  }),
  pagedResultsCookie: inQuery('_pagedResultsCookie', 'The cookie of the page before.', TEXT),
  pagedResultsOffset: inQuery('_pagedResultsOffset', 'Index of the first entry.', { type: 'integer', minimum: 0 }),
  totalPagedResultsPolicy: inQuery('_totalPagedResultsPolicy', 'Whether all results are counted.', {
    type: 'string',
    enum: ['NONE', 'ESTIMATE', 'EXACT'],
  }),
  sortKeys: inQuery('_sortKeys', 'Fields to sort by, each with + or - before it.', TEXT),
  countOnly: inQuery('_countOnly', 'Only the number of results (protocol 2.2).', FLAG),
  ifMatch: inHeader('If-Match', 'The revision that is meant, or *.', `^(\\*|${REVISION})$`),
  ifNoneMatch: inHeader(
    'If-None-Match',
    'Revisions at hand; one that is current gives 304.',
    `^${REVISION}(, ?${REVISION})*$`,
  ),
  ifNoneMatchAny: inHeader('If-None-Match', 'Creates only: what is there already is not replaced.', '^\\*$'),
  acceptApiVersion: inHeader(
    'Accept-API-Version',
    'protocol=<version>,resource=<version>',
    `^(${PROTOCOL}(, ?${VERSION})?|${VERSION}(, ?${PROTOCOL})?)$`,
  ),
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

/** The schemas of Common REST that are the same for all resources. */
export const OPEN_API_SCHEMAS: JsonObject = {
  Patch: {
    type: 'array',
    items: {
      type: 'object',
      required: ['operation', 'field'],
      properties: {
        operation: { type: 'string', enum: ['add', 'copy', 'increment', 'move', 'remove', 'replace', 'transform'] },
        field: { type: 'string' },
        value: {},
        from: { type: 'string' },
      },
      additionalProperties: false,
    },
  },
  Error: {
    type: 'object',
    required: ['code', 'reason', 'message'],
    properties: {
      code: { type: 'integer' },
      reason: { type: 'string' },
      message: { type: 'string' },
      detail: {},
    },
  },
}

/** The error response. */
export const OPEN_API_RESPONSES: JsonObject = {
  Error: {
    description: 'The request was rejected, or failed.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  },
}
