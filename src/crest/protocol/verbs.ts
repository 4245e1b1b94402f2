import type { Response } from '#http'
import { isPlainObject, type JsonObject } from '#json'
import { PatchError, type PatchOperation, parsePatch } from '../patch/operation.ts'
import type { Action, ActionInput, Call, Collection, Endpoint, Resource } from './endpoint.ts'
import { selectedRevisions, selectFields } from './fields.ts'
import { mediaResponse } from './media-field.ts'
import type { Parameters } from './parameters.ts'
import { readPreconditions } from './preconditions.ts'
import { readQueryRequest } from './query-request.ts'
import { type Outcome, Refusal, RequestError } from './refusal.ts'
import { readJsonBody, readResourceBody } from './request-body.ts'
import {
  jsonResponse,
  noContent,
  notModified,
  queryResponse,
  type ResponseForm,
  resourceResponse,
} from './responses.ts'
import { locationOf } from './target.ts'

/** A validated request for a provider. */
export interface CrestRequest {
  readonly endpoint: Endpoint
  /** Null for the endpoint. */
  readonly id: string | null
  readonly call: Call
  readonly parameters: Parameters
  readonly form: ResponseForm
}

type CrestResult = Promise<Response | Refusal>

const NO_PRECONDITIONS = { ifMatch: false, ifNoneMatch: 'none' } as const
const ONLY_IF_MATCH = { ifMatch: true, ifNoneMatch: 'none' } as const

/** POST to a collection: the server may choose the id. */
export async function create({ endpoint, call, parameters, form }: CrestRequest): CrestResult {
  if (endpoint.kind !== 'collection' || !endpoint.create) return unsupported('create')
  parameters.only('create')
  readPreconditions(call.exchange.request.headers, { ifMatch: false, ifNoneMatch: 'any' })
  const { id, content } = split(await readResourceBody(call.exchange, endpoint.description.bodyLimits))
  const { ids = 'both' } = endpoint.description
  if (id === null && ids === 'client') return new Refusal(400, '_id: expected in the body; this server chooses none')
  const created = await endpoint.create(call, ids === 'server' ? null : id, content)
  if (created instanceof Refusal) {
    const isTaken = created.status === 412 && !call.exchange.request.headers.has('if-none-match')
    return isTaken ? new Refusal(409, created.message) : created
  }
  return resourceResponse(201, created, form, { Location: locationOf(call.exchange, null, created.id) })
}

/** GET of a resource. */
export async function read({ endpoint, id, call, parameters, form }: CrestRequest): CrestResult {
  if (!endpoint.read) return unsupported('read')
  parameters.only('read')
  const { ifNoneMatch } = readPreconditions(call.exchange.request.headers, { ifMatch: false, ifNoneMatch: 'revisions' })
  const resource = await (endpoint.kind === 'collection' ? endpoint.read(call, id as string) : endpoint.read(call))
  if (resource instanceof Refusal) return resource
  const revisions = selectedRevisions(resource, form.fields, endpoint.description)
  if (revisions.every((revision) => revision !== null && ifNoneMatch?.includes(revision)))
    return notModified(resource, form)
  const mimeType = parameters.get('_mimeType')
  if (mimeType !== null) return mediaResponse(resource, mimeType, endpoint.description, form)
  return resourceResponse(200, resource, form)
}

/** PUT: creates, updates, or either of them, by its headers. */
export async function put(work: CrestRequest): CrestResult {
  const { endpoint, id, call, parameters, form } = work
  const isCollection = endpoint.kind === 'collection'
  const canCreate = isCollection && endpoint.create !== undefined && endpoint.description.ids !== 'server'
  if (!canCreate && !endpoint.update) return unsupported('update')
  parameters.only('update')
  const { ifMatch, ifNoneMatch } = readPreconditions(call.exchange.request.headers, {
    ifMatch: true,
    ifNoneMatch: 'any',
  })
  if (ifNoneMatch !== null && !canCreate) return unsupported('creating with an id of the client')
  const body = split(await readResourceBody(call.exchange, endpoint.description.bodyLimits))
  if (id !== null && body.id !== null && body.id !== id) {
    return new Refusal(400, '_id: expected that of the path, or none')
  }
  // The resource may be deleted between lookup and update: then create is tried again.
  for (let tries = 0; ; tries++) {
    const mayCreate = canCreate && ifMatch === null && call.versions.protocol !== '1.0'
    if (mayCreate || ifNoneMatch !== null) {
      const created = await (endpoint as Required<Collection>).create(call, id as string, body.content)
      if (!(created instanceof Refusal)) {
        return resourceResponse(201, created, form, { Location: locationOf(call.exchange, id, created.id) })
      }
      if (created.status !== 412 || ifNoneMatch !== null || !endpoint.update) return created
    }
    const updated = await update(work, body.content, ifMatch)
    if (!(updated instanceof Refusal) || updated.status !== 404 || !mayCreate || tries === 2) return updated
  }
}

async function update(
  { endpoint, id, call, form }: CrestRequest,
  content: JsonObject,
  ifMatch: string | null,
): CrestResult {
  const missing = revisionMissing(endpoint, ifMatch)
  if (missing !== null) return missing
  if (!endpoint.update) return unsupported('update')
  const revision = ifMatch === '*' ? null : ifMatch
  const updated = await (endpoint.kind === 'collection'
    ? endpoint.update(call, id as string, content, revision)
    : endpoint.update(call, content, revision))
  return updated instanceof Refusal ? updated : resourceResponse(200, updated, form)
}

/** DELETE of a resource. */
export async function remove({ endpoint, id, call, parameters, form }: CrestRequest): CrestResult {
  if (endpoint.kind !== 'collection' || !endpoint.delete) return unsupported('delete')
  parameters.only('delete')
  const { ifMatch } = readPreconditions(call.exchange.request.headers, ONLY_IF_MATCH)
  const missing = revisionMissing(endpoint, ifMatch)
  if (missing !== null) return missing
  const removed = await endpoint.delete(call, id as string, ifMatch === '*' ? null : ifMatch)
  return removed instanceof Refusal ? removed : resourceResponse(200, removed, form)
}

/** PATCH of a resource. */
export async function patch({ endpoint, id, call, parameters, form }: CrestRequest): CrestResult {
  if (!endpoint.patch) return unsupported('patch')
  parameters.only('patch')
  const { ifMatch } = readPreconditions(call.exchange.request.headers, ONLY_IF_MATCH)
  const missing = revisionMissing(endpoint, ifMatch)
  if (missing !== null) return missing
  const body = await readJsonBody(call.exchange)
  if (body === undefined) return new Refusal(400, 'expected a body: a JSON array of patch operations')
  const revision = ifMatch === '*' ? null : ifMatch
  try {
    const patched = await runPatch(endpoint, id, call, parsePatch(body), revision)
    return patched instanceof Refusal ? patched : resourceResponse(200, patched, form)
  } catch (error) {
    if (error instanceof PatchError) return new Refusal(error.status, error.message)
    throw error
  }
}

async function runPatch(
  endpoint: Endpoint,
  id: string | null,
  call: Call,
  operations: readonly PatchOperation[],
  revision: string | null,
): Outcome<Resource> {
  if (endpoint.kind === 'singleton') return (await endpoint.patch?.(call, operations, revision)) as Resource | Refusal
  return (await endpoint.patch?.(call, id as string, operations, revision)) as Resource | Refusal
}

/** POST with an action other than create. */
export async function runAction({ endpoint, id, call, parameters, form }: CrestRequest, name: string): CrestResult {
  const actions = (endpoint.kind === 'collection' && id !== null ? endpoint.resourceActions : endpoint.actions) ?? {}
  const action: Action | undefined = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) {
    const known = Object.keys(actions).join(', ') || 'none'
    return new Refusal(501, `this action is not supported here; there are: ${known}`)
  }
  const own = parameters.only(
    'action',
    action.parameters?.map((parameter) => parameter.name),
  )
  for (const parameter of action.parameters ?? []) {
    if (parameter.required && own[parameter.name] === undefined) {
      return new Refusal(400, `the action needs the parameter ${parameter.name}`)
    }
  }
  readPreconditions(call.exchange.request.headers, NO_PRECONDITIONS)
  const input: ActionInput = { id, body: (await readJsonBody(call.exchange)) ?? null, parameters: own }
  const result = await action.run(call, input)
  if (result instanceof Refusal) return result
  if (result === null) return noContent(form)
  if (!isPlainObject(result)) return jsonResponse(200, result, form)
  const content = result as JsonObject
  return jsonResponse(200, { ...identity(content), ...selectFields(content, content, form.fields) }, form)
}

/** GET of a collection with a query. */
export async function query({ endpoint, call, parameters, form }: CrestRequest): CrestResult {
  if (endpoint.kind !== 'collection' || !endpoint.query) return unsupported('query')
  readPreconditions(call.exchange.request.headers, NO_PRECONDITIONS)
  const page = await endpoint.query(call, readQueryRequest(parameters, endpoint, call.versions))
  return page instanceof Refusal ? page : queryResponse(page, form)
}

/** A resource that an action returns has its `_id` and `_rev` with any `_fields`. */
function identity({ _id: id, _rev: revision }: JsonObject): JsonObject {
  return { ...(id !== undefined && { _id: id }), ...(revision !== undefined && { _rev: revision }) }
}

function unsupported(what: string): Refusal {
  return new Refusal(501, `${what} is not supported here`)
}

function revisionMissing({ description }: Endpoint, ifMatch: string | null): Refusal | null {
  if (!description.requiresRevision || ifMatch !== null) return null
  return new Refusal(428, 'If-Match: expected the revision that is meant, or *')
}

/** The `_id` of the client, and the other fields of the resource. */
function split(body: JsonObject): { id: string | null; content: JsonObject } {
  const { _id: id = null, _rev: _, ...content } = body
  if (id !== null && typeof id !== 'string') throw new RequestError(400, '_id: expected a string')
  return { id, content }
}
