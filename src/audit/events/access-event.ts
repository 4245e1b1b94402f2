import type { AuditDecision } from '#http'
import type { JsonObject } from '#json'
import { isoTime } from './iso-time.ts'

/** Data of an access event. */
export interface AccessEventData {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly transactionId: string
  readonly traceId: string | null
  readonly userId: string | null
  readonly server: { readonly ip: string; readonly port: number }
  readonly client: { readonly ip: string; readonly port: number }
  /** Members of `http.request`. */
  readonly request: JsonObject
  /** Members of `http.response`. */
  readonly responseHeaders: Readonly<Record<string, string[]>> | null
  /** Null while the request is in flight. */
  readonly response: AccessResponse | null
  readonly exchangeId: string | null
  readonly routeId: string | null
  readonly routeName: string | null
  readonly decision: AuditDecision | null
  readonly extension: Readonly<Record<string, unknown>> | null
}

/** The end of a request. */
interface AccessResponse {
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
export function accessEvent(data: AccessEventData, { eventName, group }: AccessNames): JsonObject {
  const { response, responseHeaders } = data
  const event: JsonObject = {
    _id: data.id,
    timestamp: isoTime(data.startedAt),
    eventName,
    transactionId: data.transactionId,
  }
  if (data.traceId !== null) event['traceId'] = data.traceId
  if (data.userId !== null) event['userId'] = data.userId
  event['server'] = data.server
  event['client'] = data.client
  event['http'] =
    responseHeaders === null
      ? { request: data.request }
      : { request: data.request, response: { headers: responseHeaders } }
  if (response !== null) event['response'] = responseMembers(response)
  event[group] = gatewayMembers(data)
  return event
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
  if (data.exchangeId !== null) members['exchangeId'] = data.exchangeId
  if (data.routeId !== null) members['routeId'] = data.routeId
  if (data.routeName !== null) members['routeName'] = data.routeName
  if (data.response === null) members['longRunning'] = true
  if (data.decision !== null) members['decision'] = { ...data.decision }
  if (data.extension !== null) members['ext'] = data.extension as JsonObject
  return members
}
