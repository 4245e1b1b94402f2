// Requests, responses and their entities as values of scripts.
import { andThen, type ClassInfo, GroovyObject, type Maybe, suspend, type Value } from '@identity-gateway/groovy'
import { Entity, type Message, NO_ENTITY_LIMITS, Request, Response } from '#http'
import { bufferMessage } from './evaluation-host.ts'
import { HeadersValue } from './headers.ts'
import { gatewayClass } from './host-class.ts'
import { convertHost } from './host-values.ts'

const MessageClass = gatewayClass('http.protocol.Message')
export const RequestClass = gatewayClass('http.protocol.Request', { parent: MessageClass })
export const ResponseClass = gatewayClass('http.protocol.Response', { parent: MessageClass })
export const EntityClass = gatewayClass('http.protocol.Entity')

type Subject = 'request' | 'response'

abstract class MessageValue<Host extends Message> extends GroovyObject {
  readonly host: Host
  abstract readonly subject: Subject
  #headers: HeadersValue | null = null

  constructor(host: Host) {
    super()
    this.host = host
  }

  get headers(): HeadersValue {
    this.#headers ??= new HeadersValue(this.host)
    return this.#headers
  }

  get entity(): EntityValue {
    return new EntityValue(this.host, this.subject)
  }
}

export class RequestValue extends MessageValue<Request> {
  readonly subject = 'request'

  get klass(): ClassInfo {
    return RequestClass
  }
}

export class ResponseValue extends MessageValue<Response> {
  readonly subject = 'response'

  get klass(): ClassInfo {
    return ResponseClass
  }
}

/** The content of a message. */
export class EntityValue extends GroovyObject {
  readonly message: Message
  readonly subject: Subject

  constructor(message: Message, subject: Subject) {
    super()
    this.message = message
    this.subject = subject
  }

  get klass(): ClassInfo {
    return EntityClass
  }
}

export const requestValue = (host: Request): RequestValue => new RequestValue(host)
export const responseValue = (host: Response): ResponseValue => new ResponseValue(host)

convertHost(Request, requestValue)
convertHost(Response, responseValue)

/** Messages created by a script have no entity limits; received ones have those of the exchange. */
export function withoutLimits<T extends Message>(message: T): T {
  message.entityLimits = NO_ENTITY_LIMITS
  return message
}

/** Reads content; suspends the script until it is buffered. */
export function readBuffered(message: Message, subject: Subject, read: (entity: Entity) => Value): Maybe {
  const entity = new Entity(message, subject)
  if (message.body.isBuffered) return read(entity)
  return andThen(suspend(bufferMessage(message)), () => read(entity))
}

/** As `readBuffered`, as a promise. */
export async function readLater(
  message: Message,
  subject: Subject,
  read: (entity: Entity) => Value,
  buffering: Promise<Value> | null,
): Promise<Value> {
  if (buffering !== null) await buffering
  return read(new Entity(message, subject))
}
