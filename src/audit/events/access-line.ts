import type { JsonShape } from '#contracts'
import { type AuditDecision, traceIdOf } from '#http'
import type { TextTarget } from '#schema'
import { jsonContent, jsonString, jsonText } from '../event.ts'
import type { AccessEventData, AccessNames, AccessRequest } from './access-event.ts'
import type { AccessFields } from './access-fields.ts'
import { HeaderMembers } from './header-members.ts'
import { LastPiece } from './last-piece.ts'
import { MAX_TEXT, writeAscii, writeBytes, writeDecimal, writePlain } from './text-bytes.ts'
import { TimePiece } from './time-piece.ts'

const TRACE = Buffer.from('","traceId":"')
const USER = Buffer.from('","userId":"')
const PORT = Buffer.from('","port":')

/** Where the JSON of an event has its id. */
export function idPosition({ idName }: JsonShape): number {
  return `{"${idName}":"`.length
}

/** Bytes of a line without its headers, at most: each of its pieces and values is bounded. */
const MAX_LINE = 12 * MAX_TEXT

/**
 * Writes access events that have the fields of the safelist and no others: the JSON of `accessEvent`, without building the object or
 * a text. What most events share with the one before them is kept as bytes. False for events of other kinds: without request or
 * response, with an operation or entries of their own, or with characters that JSON escapes in the path, the user or a header.
 */
export function accessLine(
  names: AccessNames,
  fields: AccessFields,
  shape: JsonShape,
): (data: AccessEventData, target: TextTarget) => boolean {
  const line = new AccessLine(names, fields, shape)
  return (data, target) => line.write(data, target)
}

class AccessLine {
  readonly #idAt: number
  /** The pieces of a line, in their order; between them are the values of the request. */
  readonly #beginning: LastPiece<string>
  readonly #time: TimePiece
  readonly #server: LastPiece<string, number>
  readonly #request: LastPiece<boolean, string, string>
  readonly #headers: HeaderMembers
  readonly #status: LastPiece<boolean, number | null>
  readonly #exchange: LastPiece<string | null, string>
  readonly #end: LastPiece<string | null, string | null, string>
  readonly #decisionOf = lastDecision()

  constructor({ eventName, group }: AccessNames, fields: AccessFields, shape: JsonShape) {
    const names = `","eventName":${jsonString(eventName)},"transactionId":"`
    const members = Object.entries(shape.members).map(([name, value]) => `,${jsonString(name)}:${jsonText(value)}`)
    const end = `}${members.join('')}}`
    this.#idAt = idPosition(shape)
    this.#beginning = new LastPiece((series) => `{"${shape.idName}":"${series}-`, '', null, null)
    this.#time = new TimePiece('","timestamp":"', names)
    this.#server = new LastPiece(serverText, '', 0, null)
    this.#request = new LastPiece(requestText, false, '', '')
    this.#headers = new HeaderMembers(fields, '","headers":{')
    this.#status = new LastPiece(statusText, true, null, null)
    this.#exchange = new LastPiece((reason, series) => exchangeText(group, reason, series), null, '', null)
    this.#end = new LastPiece((id, name, decision) => `"${routeText(id, name)}${decision}${end}`, null, null, '')
  }

  write(data: AccessEventData, target: TextTarget): boolean {
    const { request, response, exchangeId, decision } = data
    if (request === null || response === null || exchangeId === null) return false
    if (data.extension !== null || data.operation !== null || data.trackingIds !== null) return false
    if (!this.#headers.read(request.headers)) return false
    const memory = target.room(MAX_LINE + this.#headers.maxBytes)
    let at = this.#writeRequest(data, request, memory, target)
    at = this.#headers.write(memory, at)
    at = this.#status.write(memory, at, response.isSuccessful, response.statusCode, null)
    at = writeDecimal(memory, at, response.elapsedTime)
    at = this.#exchange.write(memory, at, response.reason, exchangeId.series, null)
    at = writeDecimal(memory, at, exchangeId.number)
    const decided = decision === null ? '' : this.#decisionOf(decision)
    at = this.#end.write(memory, at, data.routeId, data.routeName, decided)
    if (at < 0) return false
    target.size = at
    return true
  }

  /** Up to the headers. */
  #writeRequest(data: AccessEventData, request: AccessRequest, memory: Buffer, target: TextTarget): number {
    const { id, client, userId } = data
    const start = target.size
    let at = writeDecimal(memory, this.#beginning.write(memory, start, id.series, null, null), id.number)
    target.idStart = start + this.#idAt
    target.idEnd = at
    at = this.#time.write(memory, at, data.startedAt)
    at = writeAscii(memory, at, data.transactionId)
    if (this.#headers.hasTrace) at = writeTrace(memory, at, request.headers)
    if (userId !== null) at = writePlain(memory, writeBytes(memory, at, USER), userId)
    at = this.#server.write(memory, at, client.localAddress, client.localPort, null)
    at = writePlain(memory, at, client.remoteAddress)
    at = writeDecimal(memory, writeBytes(memory, at, PORT), client.remotePort)
    at = this.#request.write(memory, at, client.secure, request.method, request.origin)
    return writePlain(memory, at, request.rawPath)
  }
}

function writeTrace(memory: Buffer, at: number, headers: readonly string[]): number {
  const traceId = traceIdOf(headers)
  return traceId === null ? at : writeAscii(memory, writeBytes(memory, at, TRACE), traceId)
}

/** Up to the address of the client. */
function serverText(address: string, port: number): string {
  return `","server":{"ip":${jsonString(address)},"port":${port}},"client":{"ip":"`
}

/** From the port of the client to the path. */
function requestText(secure: boolean, method: string, origin: string): string {
  return `},"http":{"request":{"secure":${secure},"method":${jsonString(method)},"path":"${jsonContent(origin)}`
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
