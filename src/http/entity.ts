import { type Exposure, exposed } from '#expression'
import { parseJson } from '#json'
import { Body } from './body.ts'
import { decodeContent } from './content-coding.ts'
import { type Form, parseForm } from './form.ts'
import type { Headers } from './headers.ts'
import { jsonCopy } from './json-copy.ts'

/** A request or response, as far as its content goes. */
export interface Message {
  headers: Headers
  body: Body
}

const URLENCODED = 'application/x-www-form-urlencoded'

/** The content of a message as expressions see it; the body must be buffered before it is looked into. Bytes are as sent. */
export class Entity {
  readonly message: Message

  constructor(message: Message) {
    this.message = message
  }

  get string(): string {
    return textOf(this.message)
  }

  get json(): unknown {
    const text = this.string
    return text.trim() === '' ? null : parseJson(text)
  }

  get form(): Form {
    return bodyForm(this.message)
  }

  get [exposed](): Exposure<Entity> {
    return EXPOSURE
  }
}

/** The fields of a urlencoded body; none where the content is of another type. */
export function bodyForm(message: Message): Form {
  if (mediaType(message.headers) !== URLENCODED || message.body.isEmpty) return Object.create(null)
  return parseForm(textOf(message), { keepNamesWithoutValue: false })
}

/** Replaces the content by text, bytes or a JSON value; headers that described the old content go. */
export function setEntity(message: Message, value: unknown): void {
  const { headers } = message
  const body = entityBody(value)
  for (const name of ['Content-Length', 'Content-Encoding', 'Transfer-Encoding']) headers.delete(name)
  if (isJson(value) && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json')
  if (body !== message.body) message.body.cancel()
  message.body = body
}

/** The content as text, its coding undone, in the charset its type names. */
function textOf({ headers, body }: Message): string {
  return new TextDecoder(charsetOf(headers)).decode(decodeContent(headers, body.bytes()))
}

/** The media type of a message, in lower case and without parameters. */
export function mediaType(headers: Headers): string {
  const value = headers.get('content-type') ?? ''
  const end = value.indexOf(';')
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase()
}

function charsetOf(headers: Headers): string {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(headers.get('content-type') ?? '') ?? []
  return quoted || plain || 'utf-8'
}

function isJson(value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'string') return false
  return !(value instanceof Uint8Array || value instanceof Entity)
}

function entityBody(value: unknown): Body {
  if (value === null || value === undefined) return Body.empty
  if (typeof value === 'string' || value instanceof Uint8Array) return Body.of(value)
  if (value instanceof Entity) return value.message.body
  return Body.of(JSON.stringify(jsonCopy(value)))
}

const EXPOSURE: Exposure<Entity> = {
  kind: 'entity',
  get: {
    string: (self) => self.string,
    json: (self) => self.json,
    bytes: (self) => self.message.body.bytes(),
    form: (self) => self.form,
    length: (self) => self.message.body.length,
    isEmpty: (self) => self.message.body.isEmpty,
  },
  set: {
    string: (self, value) => setEntity(self.message, value === null ? null : String(value)),
    json: (self, value) => setEntity(self.message, value),
    bytes: (self, value) => setEntity(self.message, value),
  },
  call: { toString: (self: Entity) => self.string },
}
