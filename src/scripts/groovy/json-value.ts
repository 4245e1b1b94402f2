// `JsonValue`: navigation of data that does not fail for missing members.
import {
  type ClassInfo,
  CollectionValue,
  callFunctional,
  classes,
  classOf,
  DoubleValue,
  HashMapValue,
  HashSetValue,
  IteratorValue,
  isNumber,
  javaUri,
  ListValue,
  MapEntry,
  MapValue,
  textOf,
  toDouble,
  toInt,
  toLong,
  type Value,
} from '@identity-gateway/groovy'
import { isPlainObject } from '#json'
import { extendWithHost, thrownFor } from './host-class.ts'
import { toHost } from './host-values.ts'
import { addAt, get, JsonValueClass, JsonValueValue, put, putAt, remove, unexpected, unwrapped } from './json-data.ts'

const wrap = (object: Value): JsonValueValue => new JsonValueValue(object)

/** A conversion that returns null for null. */
function as(what: string, convert: (value: Value) => Value | undefined): (self: JsonValueValue) => Value {
  return (self) => {
    if (self.object === null) return null
    const value = convert(self.object)
    if (value === undefined) throw unexpected(self, what)
    return value
  }
}

const number = (make: (value: Value) => Value) => (value: Value) => (isNumber(value) ? make(value) : undefined)
const isText = (value: Value): boolean => classOf(value).isSubclassOf(classes.CharSequenceInterface)

function setOf(value: Value): Value | undefined {
  if (!(value instanceof CollectionValue)) return undefined
  const made = new HashSetValue(classes.LinkedHashSetClass)
  for (const each of value.items) made.add(each)
  return made
}

function textJson(value: Value): string {
  try {
    return spaced(toHost(value))
  } catch (error) {
    throw thrownFor(error)
  }
}

/** JSON with the spaces of OpenIG. */
function spaced(data: unknown): string {
  if (Array.isArray(data)) return `[ ${data.map(spaced).join(', ')} ]`
  if (!isPlainObject(data)) return JSON.stringify(data)
  const members = Object.entries(data).map(([name, value]) => `${JSON.stringify(name)}: ${spaced(value)}`)
  return `{ ${members.join(', ')} }`
}

const is = (test: (value: Value) => boolean) => (self: JsonValueValue) => self.object !== null && test(self.object)

/** A conversion of a container whose elements have to be null or of a class. */
function ofType(what: string, parts: (value: Value) => readonly Value[] | undefined) {
  return (self: JsonValueValue, type: ClassInfo): Value =>
    as(what, (value) => {
      const found = parts(value)
      if (found?.some((each) => each !== null && !classOf(each).isSubclassOf(type))) {
        throw unexpected(self, `${what} of ${type.simpleName} elements`)
      }
      return found === undefined ? undefined : value
    })(self)
}

const elements = ofType('a Collection', (value) => (value instanceof CollectionValue ? value.items : undefined))

extendWithHost(JsonValueClass, {
  'new(Object? value)': wrap,
  'static json(Object? value): JsonValue': wrap,
  'static object(Object... fields): Map': (fields: Value[]) =>
    HashMapValue.of(fields.filter((each) => each instanceof MapEntry).map(({ key, value }) => [key, value] as const)),
  'static array(Object... items): List': (items: Value[]) => new ListValue([...items]),
  'static set(Object... items): Set': (items: Value[]) => setOf(new ListValue(items)),
  'static field(String name, Object? value): Object': (name: string, value: Value) =>
    new MapEntry(name, unwrapped(value)),
  'static fieldIfNotNull(String name, Object? value): Object': (name: string, value: Value) =>
    value === null ? null : new MapEntry(name, value),
  'get(String name): JsonValue': get,
  'get(Object path): JsonValue': get,
  'getAt(Object key): JsonValue': get,
  'put(Object key, Object? value): JsonValue': put,
  'putAt(Object key, Object? value): void': put,
  'put(JsonPointer pointer, Object? value): JsonValue': putAt(false),
  'putPermissive(JsonPointer pointer, Object? value): JsonValue': putAt(true),
  'add(JsonPointer pointer, Object? value): JsonValue': addAt,
  'addPermissive(JsonPointer pointer, Object? value): JsonValue': putAt(true),
  'add(Object? value): JsonValue': (self: JsonValueValue, value: Value) => {
    if (!(self.object instanceof ListValue)) throw unexpected(self, 'a List')
    self.object.add(unwrapped(value))
    return self
  },
  'add(String name, Object? value): JsonValue': put,
  'remove(Object key): void': remove,
  'getObject(): Object': (self: JsonValueValue) => self.object,
  'getPointer(): JsonPointer': (self: JsonValueValue) => self.pointer,
  'isDefined(Object key): boolean': (self: JsonValueValue, key: Value) => get(self, key).object !== null,
  'isNull(): boolean': (self: JsonValueValue) => self.object === null,
  'isNotNull(): boolean': (self: JsonValueValue) => self.object !== null,
  'isMap(): boolean': is((value) => value instanceof MapValue),
  'isList(): boolean': is((value) => value instanceof ListValue),
  'isSet(): boolean': is((value) => value instanceof HashSetValue),
  'isCollection(): boolean': is((value) => value instanceof CollectionValue),
  'isString(): boolean': is(isText),
  'isNumber(): boolean': is(isNumber),
  'isBoolean(): boolean': is((value) => typeof value === 'boolean'),
  'asString(): String': as('a String', (value) => (isText(value) ? textOf(value) : undefined)),
  'asBoolean(): boolean': as('a Boolean', (value) => (typeof value === 'boolean' ? value : undefined)),
  'asInteger(): Integer': as('a Number', number(toInt)),
  'asLong(): Long': as('a Number', number(toLong)),
  'asDouble(): Double': as(
    'a Number',
    number((value) => new DoubleValue(toDouble(value))),
  ),
  'asNumber(): Number': as(
    'a Number',
    number((value) => value),
  ),
  'asMap(): Map': as('a Map', (value) => (value instanceof MapValue ? value : undefined)),
  'asList(): List': as('a List', (value) => (value instanceof ListValue ? value : undefined)),
  'asMap(Class type): Map': ofType('a Map', (value) =>
    value instanceof MapValue ? value.entries().map((each) => each.value) : undefined,
  ),
  'asList(Class type): List': ofType('a List', (value) => (value instanceof ListValue ? value.items : undefined)),
  'asSet(Class type): Set': (self: JsonValueValue, type: ClassInfo) =>
    as('a Collection', setOf)(new JsonValueValue(elements(self, type), self.pointer)),
  'asCollection(Class type): Collection': elements,
  'as(Object function): Object': (self: JsonValueValue, convert: Value) => callFunctional(convert, [self]),
  'asURI(): URI': as('a String', (value) => (isText(value) ? javaUri(textOf(value)) : undefined)),
  'asSet(): Set': as('a Collection', setOf),
  'asCollection(): Collection': as('a Collection', (value) => (value instanceof CollectionValue ? value : undefined)),
  'required(): JsonValue': (self: JsonValueValue) => {
    if (self.object === null) throw unexpected(self, 'a value')
    return self
  },
  'defaultTo(Object? value): JsonValue': (self: JsonValueValue, value: Value) =>
    self.object === null ? new JsonValueValue(value, self.pointer) : self,
  'expect(Class type): JsonValue': (self: JsonValueValue, type: ClassInfo) => {
    if (self.object !== null && !classOf(self.object).isSubclassOf(type)) throw unexpected(self, `a ${type.simpleName}`)
    return self
  },
  'size(): int': ({ object }: JsonValueValue) =>
    object instanceof MapValue || object instanceof CollectionValue ? object.size : 0,
  'keys(): Set': ({ object }: JsonValueValue) =>
    setOf(new ListValue(object instanceof MapValue ? object.entries().map(({ key }) => key) : [])),
  'copy(): JsonValue': ({ object }: JsonValueValue) => wrap(object),
  'iterator(): Iterator': ({ object }: JsonValueValue) => new IteratorValue(itemsIn(object)),
  'toString(): String': ({ object }: JsonValueValue) => textJson(object),
})

function itemsIn(object: Value): Value[] {
  if (object instanceof CollectionValue) return object.items.map(wrap)
  return object instanceof MapValue ? object.entries().map(({ value }) => wrap(value)) : []
}
