import { STATUS_CODES } from 'node:http'
import { type Exposure, exposed, parseDuration } from '#expression'
import {
  type Form,
  formatForm,
  Headers,
  type Message,
  parseForm,
  Request,
  Response,
  reasonPhrase,
  setEntity,
  Uri,
} from '#http'

/** What the classes of messages in a realm ask of the gateway. */
export interface HostMessages {
  readonly uriParts: readonly string[]
  /** Codes with the names that scripts use for them, such as `NOT_FOUND`. */
  readonly statusNames: readonly { readonly code: number; readonly name: string }[]
  reason(code: number): string
  uri(text: string): Uri
  request(): Request
  response(): Response
  headers(): Headers
  /** Reads content that is buffered: `string`, `bytes` or `form`. */
  entity(message: Message, what: string): unknown
  /** Replaces the content by a value, or by that of another message. */
  setEntity(message: Message, content: unknown, other: Message | null): void
  parseForm(text: string): Form
  formatForm(fields: Form): string
  /** Milliseconds; null where the text is no duration. */
  duration(text: string): number | null
}

const uri = Uri.parse('/')

/** The gateway's own messages, for the classes that scripts use. */
export const hostMessages: HostMessages = {
  uriParts: Object.keys(uri[exposed].get ?? {}),
  statusNames: Object.keys(STATUS_CODES).map((code) => ({ code: Number(code), name: statusName(Number(code)) })),
  reason: reasonPhrase,
  uri: (text) => Uri.parse(text),
  request: () => new Request({ method: 'GET', uri: Uri.parse('') }),
  response: () => new Response(200),
  headers: () => new Headers(),
  entity(message, what) {
    const entity = entityOf(message)
    return entity[exposed].get?.[what]?.(entity)
  },
  setEntity(message, content, other) {
    setEntity(message, other === null ? content : entityOf(other))
  },
  parseForm: (text) => parseForm(text, { keepNamesWithoutValue: false }),
  formatForm,
  duration: parseDuration,
}

/** What expressions see as `entity`: codings are undone and the charset is that of the content type. */
function entityOf(message: Message): object & { readonly [exposed]: Exposure<unknown> } {
  const { get } = (message as Request)[exposed] as Exposure<unknown>
  return get?.['entity']?.(message) as ReturnType<typeof entityOf>
}

/** `I'm a Teapot` is IM_A_TEAPOT. */
function statusName(code: number): string {
  return reasonPhrase(code)
    .toUpperCase()
    .replaceAll("'", '')
    .replaceAll(/[^A-Z0-9]+/g, '_')
}
