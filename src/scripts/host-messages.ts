import { STATUS_CODES } from 'node:http'
import { exposed, parseDuration } from '#expression'
import {
  Entity,
  type Form,
  formatForm,
  formatQuery,
  Headers,
  type Message,
  NO_ENTITY_LIMITS,
  parseForm,
  Request,
  Response,
  reasonPhrase,
  setEntity,
  Uri,
} from '#http'
import { checkJson } from '#json'
import type { HostTable } from './host-function.ts'

const URI_PARTS = Object.keys(Uri.parse('/')[exposed].get ?? {})
/** Codes by their names in scripts, such as `NOT_FOUND`. */
const STATUSES = Object.keys(STATUS_CODES).map((code) => ({ code: Number(code), name: statusName(Number(code)) }))

/** Access to messages of the gateway, for the classes of scripts. */
export const hostMessages = {
  uriParts: (): readonly string[] => URI_PARTS,
  /** The code of a status by its index in the list of named ones; 0 after the last. */
  statusCode: (at: number): number => STATUSES[at]?.code ?? 0,
  statusName: (at: number): string => STATUSES[at]?.name ?? '',
  reason: (code: number): string => reasonPhrase(code),
  uri: (text: string): Uri => Uri.parse(text),
  uriText: (uri: Uri): string => uri.toString(),

  request: (): Request => ownContent(new Request({ method: 'GET', uri: Uri.parse('') })),
  response: (): Response => ownContent(new Response(200)),
  method: (request: Request): string => request.method,
  requestUri: (request: Request): Uri => request.uri,
  cookies: (request: Request): object => request.cookies,
  queryParams: (request: Request): object => request.queryParams,
  status: (response: Response): number => response.status,
  reasonOf: (response: Response): string => response.reason,
  version: (message: Request | Response): string => message.version,
  /** The body's length in bytes; null where it is not known. */
  bodyLength: (message: Message): number | null => message.body.length,
  bodyIsEmpty: (message: Message): boolean => message.body.isEmpty,
  bodyIsBuffered: (message: Message): boolean => message.body.isBuffered,
  /** Content that is buffered. */
  entityText: (message: Message): string => entityOf(message).string,
  entityJson: (message: Message): string => entityOf(message).jsonText,
  /** Whether a JSON text may contain numbers that do not fit a double; few do. */
  mayHoldExactNumbers: (text: string): boolean => checkJson(text).mayHoldExactNumbers,
  entityBytes: (message: Message): Uint8Array => entityOf(message).bytes,
  entityForm: (message: Message): Form => entityOf(message).form,
  /** Replaces the content by a value, or by that of another message. */
  setEntity(message: Message, content: unknown, other: Message | null): void {
    setEntity(message, other === null ? content : entityOf(other))
  },

  headers: (message: Message): Headers => message.headers,
  clearHeaders(message: Message): void {
    message.headers = new Headers()
  },
  header: (headers: Headers, name: string): string | null => headers.get(name),
  hasHeader: (headers: Headers, name: string): boolean => headers.has(name),
  headerValues: (headers: Headers, name: string): readonly string[] => headers.all(name),
  setHeader: (headers: Headers, name: string, value: string | readonly string[]): void => headers.set(name, value),
  addHeader: (headers: Headers, name: string, value: string): void => headers.add(name, value),
  deleteHeader: (headers: Headers, name: string): boolean => headers.delete(name),
  headerNames: (headers: Headers): readonly string[] => headers.names(),
  /** Names and values alternate. */
  headerLines: (headers: Headers): readonly string[] => headers.raw(),

  parseForm: (text: string): Form => parseForm(text, { keepNamesWithoutValue: false }),
  formatForm: (fields: Form): string => formatForm(fields),
  formatQuery: (fields: Form): string => formatQuery(fields),
  /** Milliseconds; null if the text is not a duration. */
  duration: (text: string): number | null => parseDuration(text),
}

/** The same, as a realm calls it. */
export type HostMessages = HostTable<typeof hostMessages>

/** The `entity` of expressions: content codings are decoded and the charset is that of the content type. */
function entityOf(message: Message): Entity {
  return new Entity(message, message instanceof Request ? 'request' : 'response')
}

/** Messages created by a script have no entity limits; received ones have those of the exchange. */
function ownContent<T extends Message>(message: T): T {
  message.entityLimits = NO_ENTITY_LIMITS
  return message
}

/** `I'm a Teapot` is IM_A_TEAPOT. */
function statusName(code: number): string {
  return reasonPhrase(code)
    .toUpperCase()
    .replaceAll("'", '')
    .replaceAll(/[^A-Z0-9]+/g, '_')
}
