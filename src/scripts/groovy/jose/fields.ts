// The members of a header or of claims.
import {
  type ClassInfo,
  classes,
  classOf,
  DateValue,
  GroovyObject,
  HashMapValue,
  HashSetValue,
  type MapValue,
  settled,
  textOf,
  type Value,
} from '@identity-gateway/groovy'
import { type JsonObject, setOwn } from '#json'
import { extendWithHost, gatewayClass } from '../host-class.ts'
import { convertValue, toHost } from '../host-values.ts'
import { JsonValueValue } from '../json-data.ts'

export const FieldsClass = gatewayClass('json.jose.jwt.JWObject')

/** Claims, or the header of a token. */
export class FieldsValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly fields: MapValue

  constructor(klass: ClassInfo, fields: MapValue = new HashMapValue()) {
    super()
    this.klass = klass
    this.fields = fields
  }

  read(name: string): Value {
    return this.fields.get(name) ?? null
  }
}

convertValue(FieldsValue, ({ fields }) => jsonFields(fields))

/** As data of the gateway; dates are milliseconds since the epoch. */
export function jsonFields(fields: MapValue): JsonObject {
  const made: JsonObject = Object.create(null)
  for (const { key, value } of fields.entries()) {
    setOwn(made, textOf(key), (value instanceof DateValue ? value.millis : toHost(value)) as never)
  }
  return made
}

/** A Date or an Instant as seconds since the epoch; other values as they are. */
export function secondsOf(time: Value): Value {
  if (time instanceof DateValue) return BigInt(Math.floor(time.millis / 1_000))
  const klass = time === null ? null : classOf(time)
  return klass?.name === 'java.time.Instant'
    ? settled(klass.method('getEpochSecond')?.invoke(time, []) ?? null, 'a time')
    : time
}

const text = ({ fields }: FieldsValue): string => JSON.stringify(jsonFields(fields))

extendWithHost(FieldsClass, {
  'get(String name): JsonValue': (self: FieldsValue, name: string) => new JsonValueValue(self.read(name)),
  'put(String name, Object? value): void': ({ fields }: FieldsValue, name: string, value: Value) =>
    fields.put(name, value),
  'isDefined(String name): boolean': ({ fields }: FieldsValue, name: string) => fields.has(name),
  'keys(): Set': ({ fields }: FieldsValue) => {
    const names = new HashSetValue(classes.LinkedHashSetClass)
    for (const { key } of fields.entries()) names.add(key)
    return names
  },
  'toJsonValue(): JsonValue': ({ fields }: FieldsValue) => new JsonValueValue(fields),
  'build(): String': text,
  'toString(): String': text,
})
