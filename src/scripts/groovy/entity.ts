import { ByteArray, InputStreamValue, type MapValue, type Maybe, type Value } from '@identity-gateway/groovy'
import { type Entity, type Message, setEntity } from '#http'
import { isPlainObject } from '#json'
import { bufferMessage } from './evaluation-host.ts'
import { formValue, hostForm, isForm } from './form.ts'
import { extendWithHost, thrownFor } from './host-class.ts'
import { toGroovy, toHost } from './host-values.ts'
import { EntityClass, EntityValue, readBuffered, readLater } from './message-values.ts'
import { PromiseValue } from './promise.ts'

/** Replaces the content: text and numbers as text, bytes, the content of another message, a form, anything else as JSON. */
export function assignEntity(message: Message, value: Value): void {
  if (value instanceof EntityValue) {
    copyEntity(message, value)
    return
  }
  if (isForm(value)) {
    assignForm(message, value)
    return
  }
  const data = toHost(value)
  if (Array.isArray(data) || isPlainObject(data)) assignJson(message, data)
  else if (data === null || data instanceof Uint8Array) setEntity(message, data)
  else setEntity(message, String(data))
}

function copyEntity(message: Message, { message: other }: EntityValue): void {
  if (message === other) return
  for (const name of ['Content-Length', 'Content-Encoding', 'Transfer-Encoding']) message.headers.delete(name)
  message.body.cancel()
  message.body = other.body
  message.entityLimits = other.entityLimits
}

function assignJson(message: Message, data: unknown): void {
  // `setEntity` writes a string unquoted; as JSON it is quoted.
  setEntity(message, typeof data === 'string' ? JSON.stringify(data) : data)
  message.headers.set('Content-Type', 'application/json; charset=UTF-8')
}

function assignForm(message: Message, form: MapValue): void {
  message.headers.set('Content-Type', 'application/x-www-form-urlencoded')
  setEntity(message, new URLSearchParams(formPairs(form)).toString())
}

type Read = (entity: Entity) => Value

const readText: Read = (entity) => entity.string
const readJson: Read = (entity) => toGroovy(entity.json)
const readBytes: Read = (entity) => new ByteArray(Uint8Array.from(entity.bytes))
const readForm: Read = (entity) => formValue(entity.form)

const now =
  (read: Read) =>
  (self: EntityValue): Maybe =>
    readBuffered(self.message, self.subject, read)

const later =
  (read: Read) =>
  ({ message, subject }: EntityValue): Value => {
    const guarded: Read = (entity) => {
      try {
        return read(entity)
      } catch (error) {
        throw thrownFor(error)
      }
    }
    return new PromiseValue(
      readLater(message, subject, guarded, message.body.isBuffered ? null : bufferMessage(message)),
    )
  }

extendWithHost(EntityClass, {
  'getString(): String': now(readText),
  'getStringAsync(): Promise': later(readText),
  'getJson(): Object': now(readJson),
  'getJsonAsync(): Promise': later(readJson),
  'getBytes(): byte[]': now(readBytes),
  'getBytesAsync(): Promise': later(readBytes),
  'newDecodedContentInputStream(): InputStream': (self: EntityValue) =>
    new InputStreamValue(() => now(readBytes)(self)),
  'getForm(): Form': now(readForm),
  'getFormAsync(): Promise': later(readForm),
  'setString(Object? text): void': ({ message }: EntityValue, value: Value) =>
    setEntity(message, value === null ? null : String(toHost(value))),
  'setJson(Object? json): void': ({ message }: EntityValue, value: Value) => assignJson(message, toHost(value)),
  'setBytes(byte[]? bytes): void': ({ message }: EntityValue, value: ByteArray | null) =>
    setEntity(message, value === null ? null : Uint8Array.from(value.bytes)),
  'setForm(Map form): void': ({ message }: EntityValue, form: MapValue) => assignForm(message, form),
  'setEmpty(): void': ({ message }: EntityValue) => setEntity(message, null),
  'isEmpty(): boolean': ({ message }: EntityValue) => message.body.isEmpty,
  'isRawContentEmpty(): boolean': ({ message }: EntityValue) => message.body.isEmpty,
  'isDecodedContentEmpty(): boolean': ({ message }: EntityValue) => message.body.isEmpty,
  'close(): void': () => null,
  'toString(): String': now(readText),
})

function formPairs(form: MapValue): [string, string][] {
  return Object.entries(hostForm(form)).flatMap(([name, values]) =>
    values.map((each): [string, string] => [name, each ?? '']),
  )
}
