import type { JsonShape } from '#contracts'
import { traceIdOf } from '#http'
import { jsonContent, jsonString, jsonText } from '../event.ts'
import type { AccessEventData, AccessNames, AccessRequest, AccessResponse } from './access-event.ts'
import type { AccessFields } from './access-fields.ts'
import { headerText } from './header-text.ts'
import { isoTime } from './iso-time.ts'
import { lastText } from './last-text.ts'

/** Where the text of an event has its id. */
export function idPosition({ idName }: JsonShape): number {
  return idStart(idName).length
}

function idStart(idName: JsonShape['idName']): string {
  return `{"${idName}":"`
}

/**
 * Serializes access events that have the fields of the safelist and no others: the text of `accessEvent` as JSON, without building
 * the object. Names are constants of the text, and only values that clients and configurations choose are escaped; ids of
 * transactions (TransactionId) have no character that JSON escapes.
 */
export function accessText(
  { eventName, group }: AccessNames,
  fields: AccessFields,
  { idName, members }: JsonShape,
): (data: AccessEventData) => string {
  const start = idStart(idName)
  const names = `","eventName":${jsonString(eventName)},"transactionId":"`
  const groupStart = `,"${group}":{`
  const units = `,"elapsedTimeUnits":"MILLISECONDS"`
  const exchangeStart = `${groupStart}"exchangeId":"`
  const plainEnd = `${units}}${exchangeStart}`
  const end = `}${Object.entries(members)
    .map(([name, value]) => `,${jsonString(name)}:${jsonText(value)}`)
    .join('')}}`
  const serverOf = lastText(serverText, '', 0)
  const clientOf = lastText(clientText, '', '')
  const httpOf = lastText(httpText, false, null)
  const headersOf = headerText(fields)
  const statusOf = lastText(statusText, true, null)
  const routeOf = lastText(routeText, null, null)
  const plainRouteOf = lastText((id: string | null, name: string | null) => `"${routeText(id, name)}${end}`, null, null)
  const headText = (data: AccessEventData): string => {
    const { client, request } = data
    return `${start}${data.id}","timestamp":"${isoTime(data.startedAt)}${names}${data.transactionId}${userText(data)}${clientOf(serverOf(client.localAddress, client.localPort), client.remoteAddress)}${client.remotePort}${httpOf(
      client.secure,
      request === null ? null : request.method,
    )}${request === null ? '' : requestText(request)}`
  }
  const requestText = ({ path, headers }: AccessRequest): string =>
    `${jsonContent(path)}","headers":{${headersOf(headers)}}}}`
  const responseText = ({ isSuccessful, statusCode, elapsedTime, reason }: AccessResponse): string => {
    const detail = reason === null ? '' : `,"detail":{"reason":${jsonString(reason)}}`
    return `${statusOf(isSuccessful, statusCode)}${elapsedTime}${units}${detail}}`
  }
  const otherText = (data: AccessEventData): string => {
    const { exchangeId, response } = data
    const route = `${routeOf(data.routeId, data.routeName)}${decisionText(data)}`
    const members = exchangeId === null ? `${groupStart}${route.slice(1)}` : `${exchangeStart}${exchangeId}"${route}`
    return `${headText(data)}${response === null ? '' : responseText(response)}${members}${end}`
  }
  return (data) => {
    const { exchangeId, response } = data
    if (!isPlain(data) || response === null) return otherText(data)
    // Most events: few intermediate texts, each of which is an object of its own.
    const { isSuccessful, statusCode, elapsedTime } = response
    return `${headText(data)}${statusOf(isSuccessful, statusCode)}${elapsedTime}${plainEnd}${exchangeId}${plainRouteOf(
      data.routeId,
      data.routeName,
    )}`
  }
}

/** Whether an event has no members beyond those of a request that was proxied without a decision. */
function isPlain({ exchangeId, response, decision, extension }: AccessEventData): boolean {
  return exchangeId !== null && response?.reason === null && decision === null && extension === null
}

/** From the end of the transaction id. */
function userText({ request, userId }: AccessEventData): string {
  const traceId = request === null ? null : traceIdOf(request.headers)
  const trace = traceId === null ? '"' : `","traceId":"${traceId}"`
  return userId === null ? trace : `${trace},"userId":${jsonString(userId)}`
}

function serverText(address: string, port: number): string {
  return `,"server":{"ip":${jsonString(address)},"port":${port}}`
}

/** Up to the port. */
function clientText(server: string, address: string): string {
  return `${server},"client":{"ip":${jsonString(address)},"port":`
}

/** Up to the path, after the port of the client; up to the end of the request without a method. */
function httpText(secure: boolean, method: string | null): string {
  return `},"http":{"request":{"secure":${secure}${method === null ? '}}' : `,"method":${jsonString(method)},"path":"`}`
}

/** Up to the elapsed time. */
function statusText(isSuccessful: boolean, code: number | null): string {
  const status = isSuccessful ? 'SUCCESSFUL' : 'FAILED'
  return `,"response":{"status":"${status}"${code === null ? '' : `,"statusCode":"${code}"`},"elapsedTime":`
}

function routeText(id: string | null, name: string | null): string {
  return `${id === null ? '' : `,"routeId":${jsonString(id)}`}${name === null ? '' : `,"routeName":${jsonString(name)}`}`
}

function decisionText({ response, decision, extension }: AccessEventData): string {
  const running = response === null ? ',"longRunning":true' : ''
  const decided = decision === null ? '' : `,"decision":${jsonText({ ...decision })}`
  return extension === null ? `${running}${decided}` : `${running}${decided},"ext":${jsonText(extension as never)}`
}
