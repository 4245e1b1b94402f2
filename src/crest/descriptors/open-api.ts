import type { JsonObject } from '#json'
import type { Action, Collection, Endpoint } from '../protocol/endpoint.ts'
import { OPEN_API_PARAMETERS, OPEN_API_RESPONSES, OPEN_API_SCHEMAS } from './open-api-components.ts'
import { type Supported, supportedBy } from './supported.ts'

/** The OpenAPI 3.1 document of an endpoint (`_api`), as it is served at a path. */
export function openApi(endpoint: Endpoint, base: string): JsonObject {
  const { title, description, version, schema } = endpoint.description
  return {
    openapi: '3.1.0',
    info: { title, description, version },
    paths: endpoint.kind === 'singleton' ? { [base]: item(endpoint) } : collectionPaths(endpoint, base),
    components: {
      schemas: { Resource: withIdentity(schema), ...OPEN_API_SCHEMAS },
      parameters: OPEN_API_PARAMETERS,
      responses: OPEN_API_RESPONSES,
    },
  }
}

function withIdentity(schema: JsonObject): JsonObject {
  const identity = { type: 'object', properties: { _id: { type: 'string' }, _rev: { type: 'string' } } }
  return { allOf: [identity, schema] }
}

function collectionPaths(collection: Collection, base: string): JsonObject {
  const can = supportedBy(collection)
  const itself: JsonObject = {
    ...(can.query && { get: queryOperation(collection) }),
    ...(can.create !== null || can.actions.length > 0
      ? { post: post('collection', can.actions, can.create !== null) }
      : {}),
  }
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
  return { [base]: itself, [`${base}/{id}`]: { parameters, ...item(collection) } }
}

/** The operations on one resource. */
function item(endpoint: Endpoint): JsonObject {
  const can: Supported = supportedBy(endpoint)
  const actions = endpoint.kind === 'collection' ? can.resourceActions : can.actions
  const puts = can.update || (can.create !== null && can.create !== 'server')
  const { media = {}, revisions = true } = endpoint.description
  const ifMatch = revisions ? ['ifMatch'] : []
  const ifNoneMatch = revisions ? ['ifNoneMatch'] : []
  const mimeType = Object.keys(media).length > 0 ? ['mimeType'] : []
  const common = ['fields', 'prettyPrint']
  return {
    ...(can.read && { get: operation('read', [...common, ...mimeType, ...ifNoneMatch], '200', null) }),
    ...(puts && { put: operation('put', [...common, ...ifMatch, 'ifNoneMatch'], '200', 'Resource') }),
    ...(can.patch && { patch: operation('patch', [...common, ...ifMatch], '200', 'Patch') }),
    ...(can.delete && { delete: operation('delete', [...common, ...ifMatch], '200', null) }),
    ...(actions.length > 0 && { post: post('resource', actions, false) }),
  }
}

const SUMMARIES: Readonly<Record<string, string>> = {
  read: 'Reads the resource.',
  put: 'Creates the resource or replaces it, by the version headers.',
  patch: 'Applies patch operations in order, all or none.',
  delete: 'Deletes the resource and returns it.',
}

function operation(name: string, parameters: readonly string[], success: string, body: string | null): JsonObject {
  return {
    operationId: name,
    summary: SUMMARIES[name] as string,
    parameters: [...parameters, 'acceptApiVersion'].map(parameterReference),
    ...(body !== null && { requestBody: jsonBody({ $ref: `#/components/schemas/${body}` }, true) }),
    responses: {
      [success]: { description: 'The resource.', ...jsonContent({ $ref: '#/components/schemas/Resource' }) },
      ...(name === 'put' && {
        '201': { description: 'The resource was created.', ...jsonContent({ $ref: '#/components/schemas/Resource' }) },
      }),
      ...(name === 'read' && { '304': { description: 'The client has the current revision.' } }),
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

/** Common REST tells the actions of one path apart by a parameter, OpenAPI by path and method: they are one operation. */
function post(of: string, actions: readonly (readonly [string, Action])[], create: boolean): JsonObject {
  const names = [...(create ? ['create'] : []), ...actions.map(([name]) => name)]
  const own = new Map(
    actions.flatMap(([, { parameters = [] }]) => parameters.map((one) => [one.name, one.description])),
  )
  const bodies = [
    ...(create ? [{ $ref: '#/components/schemas/Resource' }] : []),
    ...actions.map(([, { request }]) => request ?? {}),
  ]
  const description = actions.map(([name, action]) => `${name}: ${action.description}`).join('\n')
  return {
    operationId: `${of}Actions`,
    summary: create ? 'Creates a resource, or runs an action.' : 'Runs an action.',
    ...(description !== '' && { description }),
    parameters: [
      { name: '_action', in: 'query', required: !create, schema: { type: 'string', enum: names } },
      ...[...own].map(([name, text]) => ({ name, in: 'query', description: text, schema: { type: 'string' } })),
      ...['fields', 'prettyPrint', 'acceptApiVersion'].map(parameterReference),
    ],
    requestBody: jsonBody({ anyOf: bodies }, false),
    responses: {
      ...(create && {
        '201': { description: 'The resource was created.', ...jsonContent({ $ref: '#/components/schemas/Resource' }) },
      }),
      ...(actions.length > 0 && {
        '200': {
          description: 'What the action returns.',
          ...jsonContent({ anyOf: actions.map(([, { response }]) => response ?? {}) }),
        },
        '204': { description: 'The action returns nothing.' },
      }),
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

const QUERY_PARAMETERS = [
  'pageSize',
  'pagedResultsCookie',
  'pagedResultsOffset',
  'totalPagedResultsPolicy',
  'sortKeys',
  'countOnly',
  'fields',
  'prettyPrint',
  'acceptApiVersion',
]

function queryOperation({ queries = {}, queryExpressions = false }: Collection): JsonObject {
  const ids = Object.keys(queries)
  // One of the three ways to say which resources has to be taken.
  const isChoice = ids.length > 0 || queryExpressions
  const stored = {
    name: '_queryId',
    in: 'query',
    description: 'A stored query.',
    schema: { type: 'string', enum: ids },
  }
  const own = new Map(
    Object.values(queries).flatMap(({ parameters = [] }) => parameters.map((one) => [one.name, one.description])),
  )
  return {
    operationId: 'query',
    summary: 'Finds resources, page by page.',
    parameters: [
      ...(ids.length > 0 ? [stored] : []),
      ...[...own].map(([name, text]) => ({ name, in: 'query', description: text, schema: { type: 'string' } })),
      ...(queryExpressions ? [{ name: '_queryExpression', in: 'query', schema: { type: 'string' } }] : []),
      isChoice
        ? parameterReference('queryFilter')
        : { ...(OPEN_API_PARAMETERS['queryFilter'] as JsonObject), required: true },
      ...QUERY_PARAMETERS.map(parameterReference),
    ],
    responses: {
      '200': { description: 'A page of resources.', ...jsonContent({ $ref: '#/components/schemas/QueryResult' }) },
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

function parameterReference(name: string): JsonObject {
  return { $ref: `#/components/parameters/${name}` }
}

function jsonContent(schema: JsonObject): JsonObject {
  return { content: { 'application/json': { schema } } }
}

function jsonBody(schema: JsonObject, required: boolean): JsonObject {
  return { required, ...jsonContent(schema) }
}
