import type { JsonShape } from '#contracts'
import { jsonString, jsonText } from '../event.ts'
import type { AccessEventData, AccessNames, AccessRequest, AccessResponse } from './access-event.ts'
import type { AccessFields } from './access-fields.ts'
import { headerText } from './header-text.ts'
import { isoTime } from './iso-time.ts'
import { lastText } from './last-text.ts'
import { traceIdOf } from './trace-id.ts'

/**
 * Serializes access events that have the fields of the safelist and no others: the text of `accessEvent` as JSON, without building
 * the object. Names are constants of the text, and only values that clients and configurations choose are escaped.
 */
export function accessText(
  { eventName, group }: AccessNames,
  fields: AccessFields,
  { idName, members }: JsonShape,
): (data: AccessEventData) => string {
  const start = `{"${idName}":"`
  const names = `","eventName":${jsonString(eventName)},"transactionId":`
  const groupStart = `,"${group}":{`
  const end = `}${Object.entries(members)
    .map(([name, value]) => `,${jsonString(name)}:${jsonText(value)}`)
    .join('')}}`
  const serverOf = lastText(serverText, '', 0)
  const clientOf = lastText(clientText, '', null)
  const httpOf = lastText(httpText, false, null)
  const headersOf = headerText(fields)
  const statusOf = lastText(statusText, true, null)
  const routeOf = lastText(routeText, null, null)
  const requestText = ({ path, headers }: AccessRequest): string =>
    `,"path":${jsonString(path)},"headers":{${headersOf(headers)}}`
  const responseText = ({ isSuccessful, statusCode, elapsedTime, reason }: AccessResponse): string => {
    const detail = reason === null ? '' : `,"detail":{"reason":${jsonString(reason)}}`
    return `${statusOf(isSuccessful, statusCode)}${elapsedTime},"elapsedTimeUnits":"MILLISECONDS"${detail}}`
  }
  return (data) => {
    const { client, request, response } = data
    const ids = `${start}${data.id}","timestamp":"${isoTime(data.startedAt)}${names}${jsonString(data.transactionId)}`
    const peers = `${serverOf(client.localAddress, client.localPort)}${clientOf(client.remoteAddress, null)}${client.remotePort}`
    const http = `${httpOf(client.secure, request === null ? null : request.method)}${request === null ? '' : requestText(request)}`
    const sent = response === null ? '' : responseText(response)
    const gateway = `${routeOf(data.routeId, data.routeName)}${decisionText(data)}`
    return `${ids}${userText(data)}${peers}${http}}}${sent}${groupStart}${exchangeText(data, gateway)}${end}`
  }
}

function userText({ request, userId }: AccessEventData): string {
  const traceId = request === null ? null : traceIdOf(request.headers)
  const trace = traceId === null ? '' : `,"traceId":"${traceId}"`
  return userId === null ? trace : `${trace},"userId":${jsonString(userId)}`
}

function serverText(address: string, port: number): string {
  return `,"server":{"ip":${jsonString(address)},"port":${port}}`
}

/** Up to the port. */
function clientText(address: string): string {
  return `,"client":{"ip":${jsonString(address)},"port":`
}

/** Up to the path, after the port of the client. */
function httpText(secure: boolean, method: string | null): string {
  return `},"http":{"request":{"secure":${secure}${method === null ? '' : `,"method":${jsonString(method)}`}`
}

/** Up to the elapsed time. */
function statusText(isSuccessful: boolean, code: number | null): string {
  const status = isSuccessful ? 'SUCCESSFUL' : 'FAILED'
  return `,"response":{"status":"${status}"${code === null ? '' : `,"statusCode":"${code}"`},"elapsedTime":`
}

/** `members` begin with a comma. */
function exchangeText({ exchangeId }: AccessEventData, members: string): string {
  return exchangeId === null ? members.slice(1) : `"exchangeId":"${exchangeId}"${members}`
}

function routeText(id: string | null, name: string | null): string {
  return `${id === null ? '' : `,"routeId":${jsonString(id)}`}${name === null ? '' : `,"routeName":${jsonString(name)}`}`
}

function decisionText({ response, decision, extension }: AccessEventData): string {
  const running = response === null ? ',"longRunning":true' : ''
  const decided = decision === null ? '' : `,"decision":${jsonText({ ...decision })}`
  return extension === null ? `${running}${decided}` : `${running}${decided},"ext":${jsonText(extension as never)}`
}
