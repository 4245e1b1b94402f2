// The data of a JsonValue, and access to its members.
import {
  type ClassInfo,
  classes,
  classOf,
  GroovyObject,
  HashMapValue,
  isNumber,
  ListValue,
  MapValue,
  textOf,
  throwable,
  toInt,
  type Value,
} from '@identity-gateway/groovy'
import { gatewayClass, gatewayException } from './host-class.ts'
import { convertValue, toHost } from './host-values.ts'
import { JsonException, JsonPointerValue, parsePointer } from './json-pointer.ts'

export const JsonValueClass = gatewayClass('json.JsonValue', { interfaces: [classes.IterableInterface] })
const JsonValueException = gatewayException('json.JsonValueException', JsonException)

const ROOT = new JsonPointerValue([])

/** Data, or a missing member with its pointer. */
export class JsonValueValue extends GroovyObject {
  readonly object: Value
  readonly pointer: JsonPointerValue

  constructor(object: Value, pointer = ROOT) {
    super()
    this.object = object instanceof JsonValueValue ? object.object : object
    this.pointer = pointer
  }

  get klass(): ClassInfo {
    return JsonValueClass
  }
}

convertValue(JsonValueValue, ({ object }) => toHost(object))

function child({ object, pointer }: JsonValueValue, key: Value): JsonValueValue {
  const at = new JsonPointerValue([...pointer.tokens, textOf(key)])
  if (object instanceof MapValue) return new JsonValueValue(object.get(textOf(key)) ?? null, at)
  if (object instanceof ListValue) return new JsonValueValue(object.items[Number(textOf(key))] ?? null, at)
  return new JsonValueValue(null, at)
}

/** A pointer, or the text of one, `/a/0/b`; null for a name. */
function pointerOf(path: Value): JsonPointerValue | null {
  if (path instanceof JsonPointerValue) return path
  const text = textOf(path)
  return text.startsWith('/') ? parsePointer(text) : null
}

/** A member by a pointer or by a name. */
export function get(self: JsonValueValue, path: Value): JsonValueValue {
  const pointer = pointerOf(path)
  return pointer === null ? child(self, path) : pointer.tokens.reduce<JsonValueValue>(child, self)
}

/** The container of the last token of a pointer, and that token; `permissive` creates missing maps. */
function containerOf(
  self: JsonValueValue,
  { tokens }: JsonPointerValue,
  permissive: boolean,
): [JsonValueValue, string] {
  const last = tokens.at(-1)
  if (last === undefined) throw unexpected(self, 'a pointer to a member')
  let at = self
  for (const each of tokens.slice(0, -1)) {
    if (permissive && child(at, each).object === null) put(at, each, new HashMapValue())
    at = child(at, each)
    if (at.object === null) throw unexpected(at, 'a value')
  }
  return [at, last]
}

export function putAt(permissive: boolean) {
  return (self: JsonValueValue, pointer: JsonPointerValue, value: Value): JsonValueValue => {
    const [container, last] = containerOf(self, pointer, permissive)
    put(container, keyOf(container, last), value)
    return self
  }
}

/** Inserts into a list; `-` is its end. */
export function addAt(self: JsonValueValue, pointer: JsonPointerValue, value: Value): JsonValueValue {
  const [container, last] = containerOf(self, pointer, false)
  const { object } = container
  if (object instanceof ListValue) object.writable(1).splice(toInt(keyOf(container, last)), 0, unwrapped(value))
  else if (object instanceof MapValue && object.get(last) !== undefined)
    throw unexpected(child(container, last), 'no value')
  else put(container, last, value)
  return self
}

export function remove(self: JsonValueValue, key: Value): void {
  const [container, last] = key instanceof JsonPointerValue ? containerOf(self, key, false) : [self, textOf(key)]
  if (container.object instanceof MapValue) container.object.delete(last)
  else if (container.object instanceof ListValue) container.object.writable().splice(toInt(keyOf(container, last)), 1)
}

/** A token as a key of a container: an index of a list, where `-` is its end. */
function keyOf(container: JsonValueValue, token: string): Value {
  if (!(container.object instanceof ListValue)) return token
  const index = token === '-' ? container.object.size : Number(token)
  if (Number.isInteger(index) && index >= 0 && index <= container.object.size) return index
  throw unexpected(child(container, token), 'an index')
}

export const unwrapped = (value: Value): Value => (value instanceof JsonValueValue ? value.object : value)

export function put(self: JsonValueValue, key: Value, value: Value): JsonValueValue {
  const plain = unwrapped(value)
  if (self.object instanceof MapValue) self.object.put(textOf(key), plain)
  else if (self.object instanceof ListValue && isNumber(key)) {
    if (toInt(key) === self.object.size) self.object.add(plain)
    else self.object.set(toInt(key), plain)
  } else throw unexpected(self, 'a Map')
  return self
}

export function unexpected({ object, pointer }: JsonValueValue, what: string): unknown {
  const found = object === null ? 'null' : `a ${classOf(object).simpleName}`
  return throwable(JsonValueException, `${pointer}: Expecting ${what}, found ${found}`)
}
