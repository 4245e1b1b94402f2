import type { Exchange, Message, Request, Response } from '#http'
import { type Logger, maskText } from '#logging'
import type { CapturePoint } from './capture-points.ts'
import { capturedEntity } from './captured-entity.ts'
import { type Masks, printedAttributes, printedFields } from './masks.ts'

interface CaptureSettings {
  readonly captureEntity: boolean
  readonly captureContext: boolean
  readonly maxEntityLength: number
  readonly masks: Masks
}

// The logger truncates longer texts and entries: long entities are split over several entries.
const PIECE = 8_000
const PIECES_BESIDE_HEADERS = 4
const PIECES_OF_AN_ENTRY = 7

/** Logs messages: one entry for each point, and further entries for long entities. */
export class Recorder {
  readonly #settings: CaptureSettings
  readonly #logger: Logger

  constructor(settings: CaptureSettings, logger: Logger) {
    this.#settings = settings
    this.#logger = logger
  }

  /** Logs the request of an exchange. */
  async request(point: CapturePoint, exchange: Exchange): Promise<void> {
    const { request } = exchange
    await this.#record(point, exchange, 'request', request, requestLine(request))
  }

  /** Logs a response to an exchange. */
  async response(point: CapturePoint, exchange: Exchange, response: Response): Promise<void> {
    const { trailers, mask } = this.#settings.masks
    const line = { status: response.status, reason: response.reason }
    const last = response.trailers === null ? {} : { trailers: printedFields(response.trailers, trailers, mask) }
    await this.#record(point, exchange, 'response', response, { ...line, ...last })
  }

  async #record(
    point: CapturePoint,
    exchange: Exchange,
    kind: 'request' | 'response',
    message: Message,
    line: Record<string, unknown>,
  ): Promise<void> {
    const { captureContext, masks } = this.#settings
    const about = { point, ...exchange.ids }
    const headers = printedFields(message.headers, masks.headers, masks.mask)
    const [entity, ...more] = entries(await this.#entity(message, exchange))
    const described = { ...line, headers, ...(entity !== undefined && { entity }) }
    const context = captureContext ? { context: contextOf(exchange, masks) } : {}
    this.#logger.info({ ...about, [kind]: described, ...context }, `captured ${point}`)
    for (const [at, part] of more.entries()) {
      this.#logger.info({ ...about, part: at + 2, entity: part }, `captured ${point}, continued`)
    }
  }

  async #entity(message: Message, { storage }: Exchange): Promise<string | null> {
    if (this.#settings.captureEntity) return capturedEntity(message, storage, this.#settings.maxEntityLength)
    return message.body.isEmpty ? null : '[entity]'
  }
}

function requestLine({ method, uri, version }: Request): Record<string, unknown> {
  return { method, uri: maskText(uri.toString()), version }
}

/** An entity as one text, or as lists of parts, one list for each entry. */
function entries(entity: string | null): (string | string[])[] {
  if (entity === null) return []
  if (entity.length <= PIECE) return [entity]
  const pieces: string[] = []
  for (let at = 0; at < entity.length; at += PIECE) pieces.push(entity.slice(at, at + PIECE))
  const result = [pieces.splice(0, PIECES_BESIDE_HEADERS)]
  while (pieces.length > 0) result.push(pieces.splice(0, PIECES_OF_AN_ENTRY))
  return result
}

/** Only the names of contexts and of session entries: their values often are credentials. */
function contextOf(exchange: Exchange, masks: Masks): Record<string, unknown> {
  const { remoteAddress, remotePort, secure } = exchange.client
  const contexts: string[] = []
  for (let link = exchange.contexts; link !== null; link = link.parent) contexts.push(link.name)
  return {
    client: { remoteAddress, remotePort, secure },
    originalUri: maskText(exchange.originalUri.toString()),
    attributes: printedAttributes(exchange.attributes, masks),
    contextNames: contexts.reverse(),
    sessionNames: [...exchange.session.keys()],
  }
}
