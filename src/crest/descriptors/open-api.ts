import type { JsonObject } from '#json'
import type { Action, Collection, Endpoint, ParameterDescription } from '../protocol/endpoint.ts'
import components from './open-api-components.json' with { type: 'json' }
import { idSchema, queryResultSchema, resourceSchema, responseSchema } from './resource-schema.ts'
import { type Supported, supportedBy } from './supported.ts'

/** An endpoint and the path at which it is served. */
export interface ServedEndpoint {
  readonly endpoint: Endpoint
  readonly base: string
}

/** Authentication of callers: security schemes by name, and the names of the alternatives. */
export interface ApiSecurity {
  readonly schemes: JsonObject
  readonly oneOf: readonly string[]
}

/** The OpenAPI 3.1 document of an endpoint (`_api`) at a path. */
export function openApi(endpoint: Endpoint, base: string, security: ApiSecurity | null = null): JsonObject {
  const { title, description, version } = endpoint.description
  return document({ title, description, version }, [{ names: new Names(''), endpoint, base }], security)
}

/** One OpenAPI document for several endpoints. */
export function openApiOf(
  info: { readonly title: string; readonly description: string; readonly version: string },
  endpoints: readonly ServedEndpoint[],
  security: ApiSecurity | null = null,
): JsonObject {
  const named = endpoints.map(({ endpoint, base }) => ({ names: new Names(nameOf(base)), endpoint, base }))
  return document({ ...info }, named, security)
}

/** `/api/system/types` is `apiSystemTypes`. */
function nameOf(base: string): string {
  return base
    .split(/[^A-Za-z0-9_]+/)
    .filter((word) => word !== '')
    .map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
}

/** Names of the schemas and operations of one endpoint, unique in the document. */
class Names {
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  operation(name: string): string {
    return this.#prefix === '' ? name : `${this.#prefix}_${name}`
  }

  /** `Resource`, `Answer` or `QueryResult`. */
  schema(name: string): string {
    return this.operation(name)
  }

  reference(name: string): JsonObject {
    return { $ref: `#/components/schemas/${this.schema(name)}` }
  }
}

interface NamedEndpoint extends ServedEndpoint {
  readonly names: Names
}

function document(info: JsonObject, endpoints: readonly NamedEndpoint[], security: ApiSecurity | null): JsonObject {
  return {
    openapi: '3.1.0',
    info,
    paths: Object.assign({}, ...endpoints.map(pathsOf)) as JsonObject,
    components: {
      schemas: Object.assign({}, ...endpoints.map(schemasOf), components.schemas) as JsonObject,
      parameters: components.parameters,
      responses: components.responses,
      ...(security !== null && { securitySchemes: security.schemes }),
    },
    ...(security !== null && { security: security.oneOf.map((name) => ({ [name]: [] })) }),
  }
}

function schemasOf({ endpoint: { description }, names }: NamedEndpoint): JsonObject {
  return {
    [names.schema('Resource')]: resourceSchema(description),
    [names.schema('Answer')]: responseSchema(description),
    [names.schema('QueryResult')]: queryResultSchema(names.reference('Answer')),
  }
}

function pathsOf({ endpoint, base, names }: NamedEndpoint): JsonObject {
  return endpoint.kind === 'singleton' ? { [base]: item(endpoint, names) } : collectionPaths(endpoint, base, names)
}

function collectionPaths(collection: Collection, base: string, names: Names): JsonObject {
  const can = supportedBy(collection)
  const itself: JsonObject = {
    ...(can.query && { get: queryOperation(collection, names) }),
    ...(can.create !== null || can.actions.length > 0
      ? { post: post('collection', can.actions, can.create !== null, names) }
      : {}),
  }
  const parameters = [{ name: 'id', in: 'path', required: true, schema: idSchema(collection.description) }]
  return { [base]: itself, [`${base}/{id}`]: { parameters, ...item(collection, names) } }
}

/** The operations on one resource. */
function item(endpoint: Endpoint, names: Names): JsonObject {
  const can: Supported = supportedBy(endpoint)
  const actions = endpoint.kind === 'collection' ? can.resourceActions : can.actions
  const puts = can.update || (can.create !== null && can.create !== 'server')
  const { media = {}, revisions = true } = endpoint.description
  const ifMatch = revisions ? ['ifMatch'] : []
  const ifNoneMatch = revisions ? ['ifNoneMatch'] : []
  const mimeType = Object.keys(media).length > 0 ? ['mimeType'] : []
  const common = ['fields', 'prettyPrint']
  const events = endpoint.kind === 'singleton' ? endpoint.events : undefined
  return {
    ...(events !== undefined && { get: eventsOperation(events.parameters, names) }),
    ...(can.read && { get: operation('read', [...common, ...mimeType, ...ifNoneMatch], null, names) }),
    ...(puts && {
      put: operation('put', [...common, ...ifMatch, 'ifNoneMatchAny'], names.reference('Resource'), names),
    }),
    ...(can.patch && {
      patch: operation('patch', [...common, ...ifMatch], { $ref: '#/components/schemas/Patch' }, names),
    }),
    ...(can.delete && { delete: operation('delete', [...common, ...ifMatch], null, names) }),
    ...(actions.length > 0 && { post: post('resource', actions, false, names) }),
  }
}

const SUMMARIES: Readonly<Record<string, string>> = {
  read: 'Reads the resource.',
  put: 'Creates the resource or replaces it, by the version headers.',
  patch: 'Applies patch operations in order, all or none.',
  delete: 'Deletes the resource and returns it.',
}

function operation(name: string, parameters: readonly string[], body: JsonObject | null, names: Names): JsonObject {
  const answer = jsonContent(names.reference('Answer'))
  return {
    operationId: names.operation(name),
    summary: SUMMARIES[name] as string,
    parameters: [...parameters, 'acceptApiVersion'].map(parameterReference),
    ...(body !== null && { requestBody: jsonBody(body, true) }),
    responses: {
      '200': { description: 'The resource, or the fields of it that were asked for.', ...answer },
      ...(name === 'put' && { '201': { description: 'The resource was created.', ...answer } }),
      ...(name === 'read' && { '304': { description: 'The client has the current revision.' } }),
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

function eventsOperation(parameters: readonly ParameterDescription[], names: Names): JsonObject {
  return {
    operationId: names.operation('events'),
    summary: 'Opens a stream of Server-Sent Events; the data of each is JSON.',
    parameters: parameters.map(({ name, description, required = false }) => {
      return { name, in: 'query', description, required, schema: { type: 'string' } }
    }),
    responses: {
      '200': {
        description: 'Events until the client or the gateway ends the stream.',
        content: { 'text/event-stream': { schema: names.reference('Answer') } },
      },
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

/** Common REST distinguishes actions of one path by a parameter, OpenAPI by path and method: they are one operation. */
function post(of: string, actions: readonly (readonly [string, Action])[], create: boolean, names: Names): JsonObject {
  const offered = [...(create ? ['create'] : []), ...actions.map(([name]) => name)]
  const own = new Map(
    actions.flatMap(([, { parameters = [] }]) => parameters.map((one) => [one.name, one.description])),
  )
  const bodies = [...(create ? [names.reference('Resource')] : []), ...actions.map(([, { request }]) => request ?? {})]
  const description = actions.map(([name, action]) => `${name}: ${action.description}`).join('\n')
  return {
    operationId: names.operation(`${of}Actions`),
    summary: create ? 'Creates a resource, or runs an action.' : 'Runs an action.',
    ...(description !== '' && { description }),
    parameters: [
      { name: '_action', in: 'query', required: !create, schema: { type: 'string', enum: offered } },
      ...[...own].map(([name, text]) => ({ name, in: 'query', description: text, schema: { type: 'string' } })),
      ...['fields', 'prettyPrint', 'acceptApiVersion'].map(parameterReference),
    ],
    requestBody: jsonBody({ anyOf: bodies }, false),
    responses: {
      ...(create && {
        '201': { description: 'The resource was created.', ...jsonContent(names.reference('Answer')) },
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

function queryOperation({ queries = {}, queryExpressions = false }: Collection, names: Names): JsonObject {
  const ids = Object.keys(queries)
  // One of the three selectors is required.
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
    operationId: names.operation('query'),
    summary: 'Finds resources, page by page.',
    parameters: [
      ...(ids.length > 0 ? [stored] : []),
      ...[...own].map(([name, text]) => ({ name, in: 'query', description: text, schema: { type: 'string' } })),
      ...(queryExpressions ? [{ name: '_queryExpression', in: 'query', schema: { type: 'string' } }] : []),
      isChoice ? parameterReference('queryFilter') : { ...components.parameters.queryFilter, required: true },
      ...QUERY_PARAMETERS.map(parameterReference),
    ],
    responses: {
      '200': { description: 'A page of resources.', ...jsonContent(names.reference('QueryResult')) },
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
