import type { Exchange, Handler, Response } from '#http'
import { crestDescriptor } from '../descriptors/crest-descriptor.ts'
import { type ApiSecurity, openApi } from '../descriptors/open-api.ts'
import { supportedBy } from '../descriptors/supported.ts'
import { checkAccept } from './accept.ts'
import { isAtLeast, requestedVersions } from './api-version.ts'
import type { Endpoint } from './endpoint.ts'
import { parseFields, withFieldRevisions } from './fields.ts'
import { operationOf } from './operation.ts'
import { Parameters } from './parameters.ts'
import { SELECTORS } from './query-request.ts'
import { Refusal, RequestError } from './refusal.ts'
import { errorResponse, jsonResponse } from './responses.ts'
import { targetId } from './target.ts'
import { type CrestRequest, create, patch, put, query, read, remove, runAction } from './verbs.ts'

/** Path and authentication of an endpoint. */
interface Serving {
  /** The path of the endpoint without trailing slash. Requests must be at or below it. */
  readonly base: string
  /** Authentication of callers, for the descriptor; null where the endpoint does not define it. */
  readonly security?: ApiSecurity | null
}

/**
 * Serves an endpoint over Common REST: validates requests, calls the provider, writes the response. A fault of the provider is
 * 500, with the error as `cause` of the response and not in its body.
 */
export function commonRest(endpoint: Endpoint, serving: Serving): Handler {
  return async (exchange) => {
    const pretty = isPretty(exchange)
    try {
      const answer = await answerTo(exchange, endpoint, serving)
      return answer instanceof Refusal ? errorResponse(answer, pretty) : answer
    } catch (error) {
      if (error instanceof RequestError) return errorResponse(error.refusal, pretty)
      return errorResponse(new Refusal(500, 'an unexpected error; the log says more'), pretty, error as Error)
    }
  }
}

async function answerTo(exchange: Exchange, endpoint: Endpoint, serving: Serving): Promise<Response | Refusal> {
  const { request } = exchange
  const { base } = serving
  const id = targetId(exchange, base)
  if (endpoint.kind === 'singleton' && id !== null) return new Refusal(404, 'there is nothing at this path')
  if (request.headers.has('x-http-method-override')) {
    return new Refusal(400, 'X-HTTP-Method-Override is not supported; send the method itself')
  }
  const parameters = new Parameters(request)
  const versions = requestedVersions(request.headers, endpoint.description.version)
  if (!parameters.has('_mimeType')) checkAccept(request.headers)
  const pretty = parameters.flag('_prettyPrint')
  const fields = withFieldRevisions(parseFields(parameters.get('_fields')), endpoint.description)
  const form = { pretty, fields, versions }
  const work: CrestRequest = { endpoint, id, call: { exchange, versions }, parameters, form }
  const { audit } = exchange
  if (audit !== null) audit.operation = operationOf(request, parameters, isCollectionItself(work))
  const answer = await responseOf(work, serving)
  // PUT creates a resource that does not exist.
  if (audit !== null && request.method === 'PUT' && answer.status === 201) audit.operation = { operation: 'CREATE' }
  return answer
}

async function responseOf(work: CrestRequest, serving: Serving): Promise<Response | Refusal> {
  const { endpoint, call } = work
  switch (call.exchange.request.method) {
    case 'GET':
    case 'HEAD':
      return get(work, serving)
    case 'POST':
      return post(work)
    case 'PUT':
      return isCollectionItself(work) ? notAllowed(work) : put(work)
    case 'PATCH':
      return isCollectionItself(work) ? notAllowed(work) : patch(work)
    case 'DELETE':
      return isCollectionItself(work) || endpoint.kind === 'singleton' ? notAllowed(work) : remove(work)
    default:
      return new Refusal(501, 'this method is not supported')
  }
}

async function get(work: CrestRequest, { base, security = null }: Serving): Promise<Response | Refusal> {
  const { parameters, endpoint, form } = work
  if (parameters.has('_api') || parameters.has('_crestapi')) {
    parameters.only('descriptor')
    if (parameters.has('_api') && parameters.has('_crestapi')) {
      return new Refusal(400, '_api and _crestapi can not be used together')
    }
    const isOpenApi = parameters.has('_api')
    return jsonResponse(200, isOpenApi ? openApi(endpoint, base, security) : crestDescriptor(endpoint), form)
  }
  const isQuery = SELECTORS.some((name) => parameters.has(name))
  if (!isCollectionItself(work)) {
    return isQuery ? new Refusal(400, 'a query is sent to a collection, not to a resource') : read(work)
  }
  if (isQuery) return query(work)
  return new Refusal(400, 'expected a query: _queryFilter=true gives everything')
}

async function post(work: CrestRequest): Promise<Response | Refusal> {
  const { parameters, call } = work
  const action = parameters.get('_action')
  if (action === null && (!isCollectionItself(work) || !isAtLeast(call.versions, '2.1'))) {
    return new Refusal(400, 'expected the parameter _action')
  }
  if (action === '') return new Refusal(400, '_action: expected the name of an action, got nothing')
  if (action !== null && action.toLowerCase() !== 'create') return runAction(work, action)
  return isCollectionItself(work) ? create(work) : new Refusal(400, 'create is an action of collections')
}

function isCollectionItself({ endpoint, id }: CrestRequest): boolean {
  return endpoint.kind === 'collection' && id === null
}

/** The method is not defined for the path, with any provider; `Allow` lists the supported ones. */
function notAllowed({ endpoint }: CrestRequest): Refusal {
  const can = supportedBy(endpoint)
  const isCollection = endpoint.kind === 'collection'
  const allowed = [
    ...(can.read || isCollection ? ['GET', 'HEAD'] : []),
    ...(can.actions.length > 0 || can.create !== null ? ['POST'] : []),
    ...(can.update && !isCollection ? ['PUT'] : []),
    ...(can.patch && !isCollection ? ['PATCH'] : []),
  ].join(', ')
  return new Refusal(405, `this method is not allowed here; there are ${allowed}`, { headers: { Allow: allowed } })
}

/** Read without parsing the query, so that errors of an invalid query are formatted too. */
function isPretty({ request }: Exchange): boolean {
  return /[?&]_prettyprint(?:=true)?(?:&|$)/i.test(`?${request.uri.rawQuery ?? ''}`)
}
