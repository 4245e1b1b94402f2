import { type Exposure, exposed } from '#expression'
import type { JsonValue } from '#json'
import { Body } from './body.ts'
import { BodyNotBufferedError, BodyTooLargeError } from './body-errors.ts'
import { assertOneContentType, isForm } from './content-type.ts'
import { DecodedEntity } from './decoded-entity.ts'
import { type EntityLimits, EntityTooLargeError } from './entity-limits.ts'
import type { Form } from './form.ts'
import type { Headers } from './headers.ts'
import { jsonCopy } from './json-copy.ts'

/** A request or response with content. */
export interface Message {
  headers: Headers
  body: Body
  /** Limits for the content in expressions and scripts. */
  entityLimits: EntityLimits
}

/** The content of a message in expressions; the body must be buffered. Bytes are as sent. */
export class Entity {
  readonly message: Message
  readonly #subject: 'request' | 'response'

  constructor(message: Message, subject: 'request' | 'response') {
    this.message = message
    this.#subject = subject
  }

  get bytes(): Uint8Array {
    this.#assertFits()
    const { body, entityLimits } = this.message
    if (body.length !== null && body.length > entityLimits.bytes) {
      throw new EntityTooLargeError(`more than ${entityLimits.bytes} bytes`)
    }
    return body.bytes()
  }

  get length(): number | null {
    const { length } = this.message.body
    if (length === null) this.#assertFits()
    return length
  }

  get string(): string {
    return this.#decoded().text
  }

  get json(): JsonValue {
    return this.#decoded().json
  }

  /** The text of JSON within the limits. */
  get jsonText(): string {
    return this.#decoded().jsonText
  }

  /** The fields of urlencoded content; empty for other types. */
  get form(): Form {
    const { headers, body } = this.message
    if (body.isEmpty) return Object.create(null)
    if (this.#subject === 'request') assertOneContentType(headers)
    if (!isForm(headers)) return Object.create(null)
    return this.#decoded().form
  }

  get [exposed](): Exposure<Entity> {
    return EXPOSURE
  }

  #decoded(): DecodedEntity {
    this.#assertFits()
    const { headers, body, entityLimits } = this.message
    if (!body.isBuffered) throw new BodyNotBufferedError()
    // The client sends what the gateway decides on; content of an application decides nothing.
    if (this.#subject === 'request') assertOneContentType(headers)
    const reading = this.#subject === 'request' ? 'strict' : 'lenient'
    const key = `${reading} ${DecodedEntity.key(headers)}`
    return body.derived(key, () => new DecodedEntity(headers, body, entityLimits, reading))
  }

  #assertFits(): void {
    const { exceededLimit } = this.message.body
    if (exceededLimit !== null) throw new BodyTooLargeError(exceededLimit, this.#subject)
  }
}

/** Replaces the content by text, bytes or a JSON value, and removes headers of the old content. */
export function setEntity(message: Message, value: unknown): void {
  const { headers } = message
  const body = entityBody(value)
  for (const name of ['Content-Length', 'Content-Encoding', 'Transfer-Encoding']) headers.delete(name)
  if (isJson(value) && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json')
  if (body !== message.body) message.body.cancel()
  message.body = body
  if (value instanceof Entity) message.entityLimits = value.message.entityLimits
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
    bytes: (self) => self.bytes,
    form: (self) => self.form,
    length: (self) => self.length,
    isEmpty: (self) => self.message.body.isEmpty,
  },
  set: {
    string: (self, value) => setEntity(self.message, value === null ? null : String(value)),
    json: (self, value) => setEntity(self.message, value),
    bytes: (self, value) => setEntity(self.message, value),
  },
  call: { toString: (self: Entity) => self.string },
}
