import { createHash } from 'node:crypto'
import { Headers, isToken, Request, type TraceFields } from '#http'
import type { ResponseHead } from '../http1/response-parser.ts'
import { outboundRequest } from '../outbound-request.ts'

// RFC 6455 section 1.3
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
/** The only version (RFC 6455 section 4.4). */
export const VERSION = '13'
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/
const MAX_PROTOCOL = 256
const MAX_NAMES = 100

/** The client's offer, reduced by the limits. */
export interface Offer {
  readonly key: string
  readonly protocols: readonly string[]
  readonly extensions: readonly string[]
}

/** Allowed subprotocols and extensions. */
export interface OfferLimits {
  /** Null for all. */
  readonly subProtocols: readonly string[] | null
  /** Names of extensions that are removed, in lower case. */
  readonly withheldExtensions: ReadonlySet<string>
}

/** An invalid handshake. */
export class InvalidOffer {
  readonly status: 400 | 426
  readonly problem: string

  constructor(status: 400 | 426, problem: string) {
    this.status = status
    this.problem = problem
  }
}

/** Reads the handshake of a client (RFC 6455 section 4.2.1). */
export function readOffer(headers: Headers, { subProtocols, withheldExtensions }: OfferLimits): Offer | InvalidOffer {
  const keys = headers.all('sec-websocket-key')
  const [key = ''] = keys
  if (keys.length !== 1 || !KEY.test(key)) return invalid('expected one Sec-WebSocket-Key of 16 bytes in base64')
  const versions = headers.all('sec-websocket-version')
  if (versions.length !== 1) return invalid('expected one Sec-WebSocket-Version')
  // Frames of other versions can not be parsed.
  if (versions[0] !== VERSION) return new InvalidOffer(426, `expected Sec-WebSocket-Version ${VERSION}`)
  const wanted = listOf(headers, 'sec-websocket-protocol')
  if (
    wanted.length > MAX_NAMES ||
    !wanted.every((name) => isToken(name, MAX_PROTOCOL)) ||
    new Set(wanted).size < wanted.length
  ) {
    return invalid('expected subprotocols that are different tokens')
  }
  const protocols = subProtocols === null ? wanted : wanted.filter((name) => subProtocols.includes(name))
  if (wanted.length > 0 && protocols.length === 0) return invalid('expected an allowed subprotocol, got none')
  const extensions = listOf(headers, 'sec-websocket-extensions').filter(
    (extension) => !withheldExtensions.has(extensionName(extension)),
  )
  return { key, protocols, extensions }
}

/** The request head for the server; `trace` replaces the trace context. Throws where HTTP can not carry it. */
export function handshakeHead(
  { uri, headers: received }: Request,
  { protocols, extensions }: Offer,
  trace: TraceFields | null,
): string {
  const headers = received.clone()
  replace(headers, 'Sec-WebSocket-Protocol', protocols)
  replace(headers, 'Sec-WebSocket-Extensions', extensions)
  // No trailers follow.
  headers.delete('te')
  const destination = { authority: uri.authority, isUsedOnce: true, proxy: null }
  const { target, host, fields } = outboundRequest(new Request({ method: 'GET', uri, headers }), destination, trace)
  let head = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n`
  for (let i = 0; i < fields.length; i += 2) head += `${fields[i]}: ${fields[i + 1]}\r\n`
  return `${head}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
}

/** Why a 101 does not accept the offer (RFC 6455 section 4.1); null where it does (threats B67). */
export function acceptanceProblem({ minor, fields }: ResponseHead, offer: Offer): string | null {
  if (minor !== 1) return 'expected a 101 of HTTP/1.1'
  const headers = Headers.fromRaw(fields)
  if (headers.all('upgrade').join().toLowerCase() !== 'websocket') return 'expected Upgrade: websocket'
  const accepts = headers.all('sec-websocket-accept')
  const expected = createHash('sha1')
    .update(offer.key + ACCEPT_SUFFIX)
    .digest('base64')
  if (accepts.length !== 1 || accepts[0] !== expected) return 'expected the Sec-WebSocket-Accept that the key asks for'
  const chosen = headers.all('sec-websocket-protocol')
  if (chosen.length > 1 || (chosen.length === 1 && !offer.protocols.includes(chosen[0]!))) {
    return 'expected one of the subprotocols that were offered'
  }
  const offered = new Set(offer.extensions.map(extensionName))
  const added = listOf(headers, 'sec-websocket-extensions').find((extension) => !offered.has(extensionName(extension)))
  return added === undefined ? null : 'expected no extension but those that were offered'
}

function invalid(problem: string): InvalidOffer {
  return new InvalidOffer(400, problem)
}

function listOf(headers: Headers, name: string): string[] {
  return headers
    .all(name)
    .flatMap((value) => value.split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function extensionName(extension: string): string {
  return extension.split(';', 1)[0]!.trim().toLowerCase()
}

function replace(headers: Headers, name: string, values: readonly string[]): void {
  if (values.length === 0) headers.delete(name)
  else headers.set(name, values.join(', '))
}
