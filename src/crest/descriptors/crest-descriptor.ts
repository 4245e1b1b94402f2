import type { JsonObject, JsonValue } from '#json'
import type { Action, Collection, Endpoint, ParameterDescription } from '../protocol/endpoint.ts'
import type { ServedEndpoint } from './open-api.ts'
import { type Supported, supportedBy } from './supported.ts'

/** The compact descriptor (`_crestapi`): the operations of each path. */
export function crestDescriptor(endpoint: Endpoint): JsonObject {
  const { id, title, description, version, schema } = endpoint.description
  return {
    id: `frapi:${id}`,
    version,
    title,
    description,
    paths: { '': { [version]: resource(endpoint) } },
    definitions: { resource: schema },
  }
}

/** The compact descriptor of several endpoints below a path. */
export function crestDescriptorOf(
  info: { readonly id: string; readonly title: string; readonly description: string; readonly version: string },
  endpoints: readonly ServedEndpoint[],
  below: string,
): JsonObject {
  const named = endpoints.map(({ endpoint, base }) => ({ endpoint, path: base.slice(below.length) }))
  return {
    ...info,
    id: `frapi:${info.id}`,
    paths: Object.fromEntries(
      named.map(({ endpoint, path }) => [path, { [endpoint.description.version]: resource(endpoint, path) }]),
    ),
    definitions: Object.fromEntries(named.map(({ endpoint, path }) => [path, endpoint.description.schema])),
  }
}

function resource(endpoint: Endpoint, definition = 'resource'): JsonObject {
  const can = supportedBy(endpoint)
  const own: JsonObject = {
    title: endpoint.description.title,
    description: endpoint.description.description,
    // A name with slashes is escaped as a token of a JSON pointer.
    resourceSchema: { $ref: `#/definitions/${definition.replaceAll('~', '~0').replaceAll('/', '~1')}` },
    mvccSupported: endpoint.description.revisions ?? true,
  }
  if (endpoint.kind === 'singleton') {
    const events = endpoint.events === undefined ? {} : { subscribe: parametersOf(endpoint.events.parameters) }
    return { ...own, ...events, ...verbs(can), ...actions(can.actions) }
  }
  return {
    ...own,
    // A POST to the collection, with an id of the server; below, a PUT with an id of the client.
    ...(can.create !== null && { create: { mode: can.create === 'client' ? 'ID_FROM_CLIENT' : 'ID_FROM_SERVER' } }),
    ...(can.query && { queries: queries(endpoint) }),
    ...actions(can.actions),
    items: {
      pathParameter: { name: 'id', type: 'string' },
      ...(can.create !== null && can.create !== 'server' && { create: { mode: 'ID_FROM_CLIENT' } }),
      ...verbs(can),
      ...actions(can.resourceActions),
    },
  }
}

function verbs(can: Supported): JsonObject {
  return {
    ...(can.read && { read: {} }),
    ...(can.update && { update: {} }),
    ...(can.delete && { delete: {} }),
    ...(can.patch && { patch: { operations: ['ADD', 'COPY', 'INCREMENT', 'MOVE', 'REMOVE', 'REPLACE', 'TRANSFORM'] } }),
  }
}

function actions(list: readonly (readonly [string, Action])[]): JsonObject {
  if (list.length === 0) return {}
  return {
    actions: list.map(([name, { description, parameters, request, response }]) => ({
      name,
      description,
      ...parametersOf(parameters),
      ...(request !== undefined && { request }),
      ...(response !== undefined && { response }),
    })),
  }
}

function queries({ queries: stored = {}, queryExpressions = false }: Collection): JsonValue[] {
  const filter = { type: 'FILTER', pagingModes: ['COOKIE', 'OFFSET'], countPolicies: ['ESTIMATE', 'EXACT', 'NONE'] }
  const named = Object.entries(stored).map(([queryId, { description, parameters }]) => {
    return { type: 'ID', queryId, description, ...parametersOf(parameters) }
  })
  return [filter, ...named, ...(queryExpressions ? [{ type: 'EXPRESSION' }] : [])]
}

function parametersOf(list: readonly ParameterDescription[] = []): JsonObject {
  if (list.length === 0) return {}
  return {
    parameters: list.map(({ name, description, required = false }) => ({
      name,
      description,
      required,
      type: 'string',
    })),
  }
}
