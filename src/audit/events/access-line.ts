import type { JsonShape } from '#contracts'
import { type AuditDecision, traceIdOf } from '#http'
import type { TextTarget } from '#schema'
import { jsonContent, jsonString, jsonText } from '../event.ts'
import type { AccessEventData, AccessNames, AccessRequest } from './access-event.ts'
import type { AccessFields } from './access-fields.ts'
import { headerMembers, type MembersEnd } from './header-members.ts'
import { isoTime } from './iso-time.ts'
import { lastPiece, lastText } from './last-text.ts'

const TRACE = Buffer.from('","traceId":"')
const USER = Buffer.from('","userId":"')
const PORT = Buffer.from('","port":')

/** Where the JSON of an event has its id. */
export function idPosition({ idName }: JsonShape): number {
  return `{"${idName}":"`.length
}

/**
 * Writes access events that have the fields of the safelist and no others: the JSON of `accessEvent`, without building the object or
 * a text. What most events share with the one before them is kept as bytes. False for events of other kinds: without request or
 * response, with an operation or entries of their own, or with characters that JSON escapes in the path, the user or a header.
 */
export function accessLine(
  { eventName, group }: AccessNames,
  fields: AccessFields,
  shape: JsonShape,
): (data: AccessEventData, target: TextTarget) => boolean {
  const idAt = idPosition(shape)
  const names = `","eventName":${jsonString(eventName)},"transactionId":"`
  const end = `}${Object.entries(shape.members)
    .map(([name, value]) => `,${jsonString(name)}:${jsonText(value)}`)
    .join('')}}`
  const beginningOf = lastBeginning(shape)
  const writeTime = lastPiece((startedAt: number, _: null) => `","timestamp":"${isoTime(startedAt)}${names}`, 0, null)
  const writeServer = lastPiece(serverText, '', 0)
  const methodOf = lastText(methodText, false, '')
  const writeOrigin = lastPiece((http: string, origin: string) => `${http}${jsonContent(origin)}`, '', '')
  const writeHeaders = headerMembers(fields, '","headers":{')
  const statusOf = lastText(statusText, true, null)
  const writeStatus = lastPiece((headers: MembersEnd, status: string) => `${headers}${status}`, '', '')
  const exchangeOf = (reason: string | null, series: string) => exchangeText(group, reason, series)
  const writeExchange = lastPiece(exchangeOf, null, '')
  const routeOf = lastText(routeText, null, null)
  const decisionOf = lastDecision()
  const writeEnd = lastPiece((route: string, decision: string) => `"${route}${decision}${end}`, '', '')
  /** Up to the headers. */
  const writeRequest = (
    data: AccessEventData,
    { headers, method, origin, rawPath }: AccessRequest,
    target: TextTarget,
  ) => {
    const { id, client, userId } = data
    const traceId = traceIdOf(headers)
    return (
      target.id(beginningOf(id.series), idAt, id.number) &&
      writeTime(target, data.startedAt, null) &&
      target.ascii(data.transactionId) &&
      (traceId === null || (target.bytes(TRACE) && target.ascii(traceId))) &&
      (userId === null || (target.bytes(USER) && target.plain(userId))) &&
      writeServer(target, client.localAddress, client.localPort) &&
      target.plain(client.remoteAddress) &&
      target.bytes(PORT) &&
      target.decimal(client.remotePort) &&
      writeOrigin(target, methodOf(client.secure, method), origin) &&
      target.plain(rawPath)
    )
  }
  return (data, target) => {
    const { request, response, exchangeId, decision } = data
    if (request === null || response === null || exchangeId === null) return false
    if (data.extension !== null || data.operation !== null || data.trackingIds !== null) return false
    if (!writeRequest(data, request, target)) return false
    const headers = writeHeaders(target, request.headers)
    return (
      headers !== null &&
      writeStatus(target, headers, statusOf(response.isSuccessful, response.statusCode)) &&
      target.decimal(response.elapsedTime) &&
      writeExchange(target, response.reason, exchangeId.series) &&
      target.decimal(exchangeId.number) &&
      writeEnd(target, routeOf(data.routeId, data.routeName), decision === null ? '' : decisionOf(decision))
    )
  }
}

/** The beginning of the text, up to the number of the event. */
function lastBeginning({ idName }: JsonShape): (series: string) => Uint8Array {
  let last = ''
  let bytes = Buffer.alloc(0)
  return (series) => {
    if (series !== last) bytes = Buffer.from(`{"${idName}":"${series}-`)
    last = series
    return bytes
  }
}

/** Up to the address of the client. */
function serverText(address: string, port: number): string {
  return `","server":{"ip":${jsonString(address)},"port":${port}},"client":{"ip":"`
}

/** From the port of the client to the path. */
function methodText(secure: boolean, method: string): string {
  return `},"http":{"request":{"secure":${secure},"method":${jsonString(method)},"path":"`
}

/** From the end of the headers to the elapsed time. */
function statusText(isSuccessful: boolean, code: number | null): string {
  const status = isSuccessful ? 'SUCCESSFUL' : 'FAILED'
  return `}}},"response":{"status":"${status}"${code === null ? '' : `,"statusCode":"${code}"`},"elapsedTime":`
}

/** From the elapsed time to the number of the exchange. */
function exchangeText(group: string, reason: string | null, series: string): string {
  const detail = reason === null ? '' : `,"detail":{"reason":${jsonString(reason)}}`
  return `,"elapsedTimeUnits":"MILLISECONDS"${detail}},"${group}":{"exchangeId":"${series}-`
}

function routeText(id: string | null, name: string | null): string {
  return `${id === null ? '' : `,"routeId":${jsonString(id)}`}${name === null ? '' : `,"routeName":${jsonString(name)}`}`
}

/** Each request has a decision of its own; most are like the one before. */
function lastDecision(): (decision: AuditDecision) => string {
  let last: AuditDecision | null = null
  let text = ''
  return (decision) => {
    if (last !== null && isEqual(last, decision)) return text
    last = { ...decision }
    text = `,"decision":${jsonText(last as never)}`
    return text
  }
}

function isEqual(one: AuditDecision, other: AuditDecision): boolean {
  return (
    one.result === other.result &&
    one.by === other.by &&
    one.reason === other.reason &&
    one.policy === other.policy &&
    one.rule === other.rule &&
    one.fromCache === other.fromCache
  )
}
