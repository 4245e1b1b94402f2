import type { JsonShape } from '#contracts'
import type { TextTarget } from '#durable-queue'
import { type AuditDecision, traceIdOf } from '#http'
import { isoTime, jsonContent, jsonString, jsonText } from '#logging'
import type { AccessEventData, AccessNames, AccessRequest } from './access-event.ts'
import type { AccessFields } from './access-fields.ts'
import { HeaderMembers } from './header-members.ts'
import { LastPiece } from './last-piece.ts'
import { NumberedPiece } from './numbered-piece.ts'
import { MAX_TEXT, NOT_WRITTEN, writeAscii, writeBytes, writeDecimal, writeDigits, writePlain } from './text-bytes.ts'

const TRACE = Buffer.from('","traceId":"')
const USER = Buffer.from('","userId":"')
const SECOND = 1_000
/** Bytes between the id and the end of the milliseconds. */
const TIME_LENGTH = '","timestamp":"2026-01-01T00:00:00.000'.length

/** Where the JSON of an event has its id. */
export function idPosition({ idName }: JsonShape): number {
  return `{"${idName}":"`.length
}

/** Bytes of a line without its headers, at most: each of its pieces and values is bounded. */
const MAX_LINE = 14 * MAX_TEXT

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
  /** Bytes of the first piece after its milliseconds. */
  readonly #afterTime: number
  readonly #decisionOf = lastDecision()
  /** The pieces of a line, in their order; between them are the values of the request. */
  readonly #start: NumberedPiece<string, number>
  readonly #server: LastPiece<string, number>
  readonly #client: NumberedPiece<boolean, string, string>
  readonly #headers: HeaderMembers
  readonly #status: LastPiece<boolean, number | null>
  readonly #exchange: NumberedPiece<string | null, string>
  readonly #end: LastPiece<string | null, string | null, string>

  constructor({ eventName, group }: AccessNames, fields: AccessFields, shape: JsonShape) {
    const names = `Z","eventName":${jsonString(eventName)},"transactionId":"`
    const members = Object.entries(shape.members).map(([name, value]) => `,${jsonString(name)}:${jsonText(value)}`)
    const end = `}${members.join('')}}`
    this.#idAt = idPosition(shape)
    this.#afterTime = names.length
    this.#start = new NumberedPiece(
      (series, second) => [
        `{"${shape.idName}":"${series}-`,
        `","timestamp":"${isoTime(second * SECOND).slice(0, -1)}${names}`,
      ],
      '',
      0,
      null,
    )
    this.#server = new LastPiece(serverText, '', 0, null)
    this.#client = new NumberedPiece((...values) => ['","port":', requestText(...values)], false, '', '')
    this.#headers = new HeaderMembers(fields, '","headers":{')
    this.#status = new LastPiece(statusText, true, null, null)
    this.#exchange = new NumberedPiece((reason, series) => [exchangeText(group, reason, series), '"'], null, '', null)
    // Apart from the exchange: requests of several routes come in turns.
    this.#end = new LastPiece((id, name, decision) => `${routeText(id, name)}${decision}${end}`, null, null, '')
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
    const decided = decision === null ? '' : this.#decisionOf(decision)
    at = this.#exchange.write(memory, at, exchangeId.number, response.reason, exchangeId.series, null)
    at = this.#end.write(memory, at, data.routeId, data.routeName, decided)
    if (at < 0) return false
    target.size = at
    return true
  }

  /** Up to the headers. */
  #writeRequest(data: AccessEventData, request: AccessRequest, memory: Buffer, target: TextTarget): number {
    const { client, userId } = data
    let at = this.#writeStart(data, memory, target)
    at = writePlain(memory, at, data.transactionId)
    if (this.#headers.hasTrace) at = writeTrace(memory, at, request.headers)
    if (userId !== null) at = writePlain(memory, writeBytes(memory, at, USER), userId)
    at = this.#server.write(memory, at, client.localAddress, client.localPort, null)
    at = writePlain(memory, at, client.remoteAddress)
    at = this.#client.write(memory, at, client.remotePort, client.secure, request.method, request.origin)
    return writePlain(memory, at, request.rawPath)
  }

  /** Up to the id of the transaction. */
  #writeStart({ id, startedAt }: AccessEventData, memory: Buffer, target: TextTarget): number {
    if (!(startedAt >= 0)) return NOT_WRITTEN
    const second = Math.floor(startedAt / SECOND)
    const at = this.#start.write(memory, target.size, id.number, id.series, second, null)
    if (at < 0) return NOT_WRITTEN
    writeDigits(memory, at - this.#afterTime - 1, 3, startedAt - second * SECOND)
    target.idStart = target.size + this.#idAt
    target.idEnd = at - this.#afterTime - TIME_LENGTH
    return at
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
