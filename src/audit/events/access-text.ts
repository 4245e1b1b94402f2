import type { JsonShape } from '#contracts'
import { jsonString, jsonText } from '../event.ts'
import type { AccessEventData, AccessNames, AccessRequest, AccessResponse } from './access-event.ts'
import type { AccessFields } from './access-fields.ts'
import { headerText } from './header-text.ts'
import { isoTime } from './iso-time.ts'
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
  const headersOf = headerText(fields)
  const names = `","eventName":${jsonString(eventName)},"transactionId":`
  const end = Object.entries(members).map(([name, value]) => `,${jsonString(name)}:${jsonText(value)}`)
  const constants = { start: `{"${idName}":"`, group: `,"${group}":{`, end: `}${end.join('')}}` }
  const routeOf = routeText()
  return (data) => {
    const { client, request, response, userId } = data
    const traceId = request === null ? null : traceIdOf(request.headers)
    const user = userId === null ? '' : `,"userId":${jsonString(userId)}`
    const trace = traceId === null ? '' : `,"traceId":"${traceId}"`
    const ids = `${constants.start}${data.id}","timestamp":"${isoTime(data.startedAt)}${names}${jsonString(data.transactionId)}${trace}${user}`
    const server = `,"server":{"ip":${jsonString(client.localAddress)},"port":${client.localPort}}`
    const peer = `,"client":{"ip":${jsonString(client.remoteAddress)},"port":${client.remotePort}}`
    const http = `,"http":{"request":{"secure":${client.secure}${request === null ? '' : requestText(request, headersOf)}}}`
    const sent = response === null ? '' : responseText(response)
    return `${ids}${server}${peer}${http}${sent}${constants.group}${gatewayText(data, routeOf)}${constants.end}`
  }
}

function requestText({ method, path, headers }: AccessRequest, headersOf: ReturnType<typeof headerText>): string {
  return `,"method":${jsonString(method)},"path":${jsonString(path)},"headers":${headersOf(headers)}`
}

function responseText({ isSuccessful, statusCode, elapsedTime, reason }: AccessResponse): string {
  const status = isSuccessful ? ',"response":{"status":"SUCCESSFUL"' : ',"response":{"status":"FAILED"'
  const code = statusCode === null ? '' : `,"statusCode":"${statusCode}"`
  const detail = reason === null ? '' : `,"detail":{"reason":${jsonString(reason)}}`
  return `${status}${code},"elapsedTime":${elapsedTime},"elapsedTimeUnits":"MILLISECONDS"${detail}}`
}

function gatewayText(data: AccessEventData, routeOf: ReturnType<typeof routeText>): string {
  const id = data.exchangeId === null ? '' : `,"exchangeId":"${data.exchangeId}"`
  const running = data.response === null ? ',"longRunning":true' : ''
  const decision = data.decision === null ? '' : `,"decision":${jsonText({ ...data.decision })}`
  const extension = data.extension === null ? '' : `,"ext":${jsonText(data.extension as never)}`
  return `${id}${routeOf(data.routeId, data.routeName)}${running}${decision}${extension}`.slice(1)
}

/** The text of a route is kept for the next event. */
function routeText(): (id: string | null, name: string | null) => string {
  let lastId: string | null = null
  let lastName: string | null = null
  let text = ''
  return (id, name) => {
    if (id === lastId && name === lastName) return text
    lastId = id
    lastName = name
    text = `${id === null ? '' : `,"routeId":${jsonString(id)}`}${name === null ? '' : `,"routeName":${jsonString(name)}`}`
    return text
  }
}
