import { type AuditDecision, type ClientInfo, type CrestOperation, type SerialId, traceIdOf } from '#http'
import type { JsonObject } from '#json'
import { isoTime } from '#logging'
import type { AccessFields } from './access-fields.ts'
import { boundedExtension } from './bounded-extension.ts'

/** Data of an access event. Lists of headers are flat: name, value, name, value. */
export interface AccessEventData {
  readonly id: SerialId
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly transactionId: string
  readonly userId: string | null
  readonly trackingIds: readonly string[] | null
  readonly client: Pick<ClientInfo, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort' | 'secure'>
  /** As it arrived: filters change the request. Null for one that was refused before it was parsed. */
  readonly request: AccessRequest | null
  readonly responseHeaders: readonly string[] | null
  /** Null while the request is in flight. */
  readonly response: AccessResponse | null
  readonly exchangeId: SerialId | null
  readonly routeId: string | null
  readonly routeName: string | null
  readonly decision: AuditDecision | null
  /** Of a Common REST request to the admin connector. */
  readonly operation: CrestOperation | null
  readonly extension: Readonly<Record<string, unknown>> | null
}

/** A request as it arrived. */
export interface AccessRequest {
  readonly method: string
  /** Scheme and authority; empty where they were not checked. */
  readonly origin: string
  readonly rawPath: string
  readonly rawQuery: string | null
  readonly headers: readonly string[]
}

/** The end of a request. */
export interface AccessResponse {
  readonly isSuccessful: boolean
  readonly statusCode: number | null
  /** Milliseconds. */
  readonly elapsedTime: number
  /** Reason of a failure that the status does not show. */
  readonly reason: string | null
}

/** Names that differ for consumers of another gateway's events (`compatibility`). */
export interface AccessNames {
  readonly eventName: string
  readonly group: 'gateway' | 'ig'
}

export const ACCESS_NAMES: AccessNames = { eventName: 'GATEWAY-HTTP-ACCESS', group: 'gateway' }
export const COMPATIBLE_NAMES: AccessNames = { eventName: 'OPENIG-HTTP-ACCESS', group: 'ig' }

/** The event of a request (field-notes 7.2). */
export function accessEvent(
  data: AccessEventData,
  { eventName, group }: AccessNames,
  fields: AccessFields,
): JsonObject {
  const { client, request, response } = data
  const event: JsonObject = {
    _id: data.id.text,
    timestamp: isoTime(data.startedAt),
    eventName,
    transactionId: data.transactionId,
  }
  const traceId = request === null ? null : traceIdOf(request.headers)
  if (traceId !== null) event['traceId'] = traceId
  if (data.userId !== null) event['userId'] = data.userId
  if (data.trackingIds !== null) event['trackingIds'] = [...data.trackingIds]
  event['server'] = { ip: client.localAddress, port: client.localPort }
  event['client'] = { ip: client.remoteAddress, port: client.remotePort }
  if (data.operation !== null) event['request'] = operationMembers(data.operation)
  event['http'] = httpMembers(data, fields)
  if (response !== null) event['response'] = responseMembers(response)
  event[group] = gatewayMembers(data)
  return event
}

function operationMembers({ operation, action }: CrestOperation): JsonObject {
  return { protocol: 'CREST', operation, ...(action !== undefined && { detail: { action } }) }
}

function httpMembers({ client, request, responseHeaders }: AccessEventData, fields: AccessFields): JsonObject {
  const members: JsonObject = { request: { secure: client.secure, ...(request && requestMembers(request, fields)) } }
  const headers = responseHeaders === null ? null : fields.responseHeaders(responseHeaders)
  if (headers !== null) members['response'] = { headers }
  return members
}

function requestMembers(request: AccessRequest, fields: AccessFields): JsonObject {
  const { method, origin, rawPath, rawQuery, headers } = request
  const members: JsonObject = { method, path: `${origin}${rawPath}` }
  if (fields.hasQuery) members['queryParameters'] = fields.query(rawQuery)
  members['headers'] = fields.requestHeaders(headers)
  if (fields.hasCookies) members['cookies'] = fields.cookies(headers)
  return members
}

function responseMembers({ isSuccessful, statusCode, elapsedTime, reason }: AccessResponse): JsonObject {
  const members: JsonObject = { status: isSuccessful ? 'SUCCESSFUL' : 'FAILED' }
  if (statusCode !== null) members['statusCode'] = String(statusCode)
  members['elapsedTime'] = elapsedTime
  members['elapsedTimeUnits'] = 'MILLISECONDS'
  if (reason !== null) members['detail'] = { reason }
  return members
}

function gatewayMembers(data: AccessEventData): JsonObject {
  const members: JsonObject = {}
  if (data.exchangeId !== null) members['exchangeId'] = data.exchangeId.text
  if (data.routeId !== null) members['routeId'] = data.routeId
  if (data.routeName !== null) members['routeName'] = data.routeName
  if (data.response === null) members['longRunning'] = true
  if (data.decision !== null) members['decision'] = { ...data.decision }
  if (data.extension !== null) {
    const { entries, isTruncated } = boundedExtension(data.extension as JsonObject)
    members['ext'] = entries
    if (isTruncated) members['extTruncated'] = true
  }
  return members
}
