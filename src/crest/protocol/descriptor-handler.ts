import type { Exchange, Response } from '#http'
import { crestDescriptorOf } from '../descriptors/crest-descriptor.ts'
import { type ApiSecurity, openApiOf, type ServedEndpoint } from '../descriptors/open-api.ts'
import { requestedVersions } from './api-version.ts'
import { Parameters } from './parameters.ts'
import { RequestError } from './refusal.ts'
import { errorResponse, jsonResponse } from './responses.ts'

/** Endpoints with a common descriptor. */
export interface EndpointGroup {
  /** See `Description`. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly version: string
  readonly security: ApiSecurity | null
  readonly endpoints: readonly ServedEndpoint[]
}

/** Responds to `_api` and `_crestapi` for all endpoints of a group below a path; null for other requests. */
export function describeBelow(base: string, group: EndpointGroup, { request }: Exchange): Response | null {
  try {
    const parameters = new Parameters(request)
    const [isOpenApi, isCompact] = [parameters.has('_api'), parameters.has('_crestapi')]
    if (!isOpenApi && !isCompact) return null
    parameters.only('descriptor')
    if (isOpenApi && isCompact) throw new RequestError(400, '_api and _crestapi can not be used together')
    const { id, title, description, version, security } = group
    const versions = requestedVersions(request.headers, version)
    const endpoints = group.endpoints.filter((one) => one.base.startsWith(`${base}/`))
    const document = isOpenApi
      ? openApiOf({ title, description, version }, endpoints, security)
      : crestDescriptorOf({ id, title, description, version }, endpoints, base)
    return jsonResponse(200, document, { pretty: parameters.flag('_prettyPrint'), versions })
  } catch (error) {
    if (error instanceof RequestError) return errorResponse(error.refusal, false)
    throw error
  }
}
