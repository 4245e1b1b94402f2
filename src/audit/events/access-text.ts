import type { JsonShape } from '#contracts'
import { jsonContent, jsonString, jsonText } from '../event.ts'
import type { AccessEventData, AccessNames, AccessRequest, AccessResponse } from './access-event.ts'
import type { AccessFields } from './access-fields.ts'
import { headerText } from './header-text.ts'
import { isoTime } from './iso-time.ts'
import { lastText } from './last-text.ts'
import { traceIdOf } from './trace-id.ts'

/** Where the text of an event has its id. */
export function idPosition({ idName }: JsonShape): number {
  return idStart(idName).length
}

function idStart(idName: JsonShape['idName']): string {
  return `{"${idName}":"`
}

/**
 * Serializes access events that have the fields of the safelist and no others: the text of `accessEvent` as JSON, without building
 * the object. Names are constants of the text, and only values that clients and configurations choose are escaped.
 */
export function accessText(
  { eventName, group }: AccessNames,
  fields: AccessFields,
  { idName, members }: JsonShape,
): (data: AccessEventData) => string {
  const start = idStart(idName)
  const names = `","eventName":${jsonString(eventName)},"transactionId":"`
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
    `,"path":"${jsonContent(path)}","headers":{${headersOf(headers)}}`
  const responseText = ({ isSuccessful, statusCode, elapsedTime, reason }: AccessResponse): string => {
    const detail = reason === null ? '' : `,"detail":{"reason":${jsonString(reason)}}`
    return `${statusOf(isSuccessful, statusCode)}${elapsedTime},"elapsedTimeUnits":"MILLISECONDS"${detail}}`
  }
  // One template: each intermediate text is an object of its own.
  return (data) => {
    const { client, request, response } = data
    return `${start}${data.id}","timestamp":"${isoTime(data.startedAt)}${names}${jsonContent(data.transactionId)}"${userText(
      data,
    )}${serverOf(client.localAddress, client.localPort)}${clientOf(client.remoteAddress, null)}${client.remotePort}${httpOf(
      client.secure,
      request === null ? null : request.method,
    )}${request === null ? '' : requestText(request)}}}${response === null ? '' : responseText(response)}${groupStart}${gatewayText(
      data,
      routeOf(data.routeId, data.routeName),
    )}${end}`
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

/** `route` begins with a comma, where it is not empty. */
function gatewayText({ exchangeId, response, decision, extension }: AccessEventData, route: string): string {
  const isPlain = response !== null && decision === null && extension === null
  const members = isPlain ? route : `${route}${decisionText(response, decision, extension)}`
  return exchangeId === null ? members.slice(1) : `"exchangeId":"${exchangeId}"${members}`
}

function routeText(id: string | null, name: string | null): string {
  return `${id === null ? '' : `,"routeId":${jsonString(id)}`}${name === null ? '' : `,"routeName":${jsonString(name)}`}`
}

function decisionText(
  response: AccessEventData['response'],
  decision: AccessEventData['decision'],
  extension: AccessEventData['extension'],
): string {
  const running = response === null ? ',"longRunning":true' : ''
  const decided = decision === null ? '' : `,"decision":${jsonText({ ...decision })}`
  return extension === null ? `${running}${decided}` : `${running}${decided},"ext":${jsonText(extension as never)}`
}
