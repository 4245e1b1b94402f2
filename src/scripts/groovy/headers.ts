// Header fields: a map of names to headers, each with its values.

import {
  ArrayValue,
  type ClassInfo,
  CollectionValue,
  classes,
  classOf,
  exceptions,
  HashMapValue,
  invokeMethod,
  ListValue,
  MapEntry,
  MapValue,
  settled,
  textOf,
  type Value,
} from '@identity-gateway/groovy'
import { caseFolded } from '@identity-gateway/regex'
import { Headers } from '#http'
import { extendWithHost, gatewayClass } from './host-class.ts'
import { convertHost } from './host-values.ts'

const HeadersClass = gatewayClass('http.protocol.Headers', { interfaces: [classes.MapInterface] })
/** Superclass of all headers. It is also a list of its values, for scripts of older versions. */
const HeaderClass = gatewayClass('http.protocol.Header', { interfaces: [classes.ListInterface] })

/** One header with its values. */
export class HeaderValue extends ListValue {
  readonly name: string

  constructor(name: string, values: readonly string[], klass: ClassInfo = HeaderClass) {
    super([...values], klass)
    this.name = name
  }
}

/** The values of a header as strings; null for none. */
function headerTexts(value: Value): readonly string[] | null {
  if (value === null) return null
  if (value instanceof HeaderValue || classOf(value).isSubclassOf(HeaderClass)) return headerValues(value)
  if (value instanceof CollectionValue || value instanceof ArrayValue) {
    return value.items.filter((each) => each !== null).map(textOf)
  }
  return [textOf(value)]
}

/** The result of `getValues` of a header, also of a class that a script defines. */
function headerValues(header: Value): readonly string[] {
  const values = settled(invokeMethod(header, 'getValues', []), 'the values of a header')
  return values instanceof CollectionValue ? values.items.map(textOf) : [textOf(values)]
}

function headerName(header: Value): string {
  return textOf(settled(invokeMethod(header, 'getName', []), 'the name of a header'))
}

/** The header fields of a message. */
export class HeadersValue extends MapValue {
  readonly #message: { readonly headers: Headers }

  constructor(message: { readonly headers: Headers }) {
    super()
    this.#message = message
  }

  host(): Headers {
    return this.#message.headers
  }

  get klass(): ClassInfo {
    return HeadersClass
  }

  get size(): number {
    return this.host().names().length
  }

  get(key: Value): Value | undefined {
    const name = textOf(key)
    const values = this.host().all(name)
    return values.length === 0 ? undefined : new HeaderValue(name, values, classesByName.get(name.toLowerCase()))
  }

  has(key: Value): boolean {
    return this.host().has(textOf(key))
  }

  put(key: Value, value: Value): void {
    const texts = headerTexts(value)
    if (texts === null || texts.length === 0) this.delete(key)
    else this.host().set(textOf(key), texts)
    this.modifications += 1
  }

  delete(key: Value): void {
    this.host().delete(textOf(key))
    this.modifications += 1
  }

  clear(): void {
    const headers = this.host()
    for (const name of headers.names()) headers.delete(name)
    this.modifications += 1
  }

  entries(): readonly MapEntry[] {
    return this.host()
      .names()
      .map((name) => new MapEntry(name, this.get(name) ?? null))
  }
}

convertHost(Headers, (headers) => new HeadersValue({ headers }))

function add(self: HeadersValue, name: string, value: Value): void {
  for (const each of headerTexts(value) ?? []) self.host().add(name, each)
  self.modifications += 1
}

/** Adds the values of a header to those of its name. */
export function addHeader(self: HeadersValue, header: Value): void {
  add(self, headerName(header), header)
}

/** Replaces the values of the name of a header. */
export function putHeader(self: HeadersValue, header: Value): void {
  self.put(headerName(header), header)
}

function addAll(self: HeadersValue, other: MapValue): void {
  for (const { key, value } of other.entries()) add(self, textOf(key), value)
}

/** Compares names of headers as Java's CASE_INSENSITIVE_ORDER does. */
function compareNames(left: Value, right: Value): number {
  const [one, other] = [caseFolded(textOf(left)), caseFolded(textOf(right))]
  return one < other ? -1 : Number(one > other)
}

/** A copy that finds names in any spelling, and is sorted by them. */
function copied(pairs: Iterable<readonly [string, Value]>): HashMapValue {
  const copy = new HashMapValue(classes.TreeMapClass, compareNames)
  for (const [name, value] of pairs) copy.put(name, value)
  return copy
}

extendWithHost(HeadersClass, {
  'new()': () => new HeadersValue({ headers: new Headers() }),
  'get(String name): Header': (self: HeadersValue, name: string) => self.get(name) ?? null,
  'get(Class type): Header': (self: HeadersValue, type: ClassInfo) => headerOf(self, type),
  'getFirst(String name): String': (self: HeadersValue, name: string) => self.host().get(name),
  'getFirst(Class type): String': (self: HeadersValue, type: ClassInfo) => {
    const header = headerOf(self, type)
    return header === null ? null : (headerValues(header)[0] ?? null)
  },
  'getAll(String name): List': (self: HeadersValue, name: string) => new ListValue(self.host().all(name)),
  'add(String name, Object value): void': add,
  'add(Header header): void': addHeader,
  'put(Header header): Object': (self: HeadersValue, header: Value) => {
    putHeader(self, header)
    return null
  },
  'put(String name, Object? value): Object': (self: HeadersValue, name: string, value: Value) => {
    const before = self.get(name) ?? null
    self.put(name, value)
    return before
  },
  'addAll(Map headers): void': addAll,
  'remove(String name): Header': (self: HeadersValue, name: string) => {
    const before = self.get(name) ?? null
    self.delete(name)
    return before
  },
  // OpenIG has names in lower case here.
  'asMapOfHeaders(): Map': (self: HeadersValue) =>
    copied(self.entries().map(({ key, value }) => [textOf(key).toLowerCase(), value])),
  'copyAsMultiMapOfStrings(): Map': (self: HeadersValue) => {
    const headers = self.host()
    return copied(headers.names().map((name) => [name, new ListValue(headers.all(name))]))
  },
})

/** Header name by class. */
const namesByClass = new Map<ClassInfo, string>()
/** Classes of single headers by the name in lower case. */
const classesByName = new Map<string, ClassInfo>()

/** Registers a class of headers, with the name of the header. */
export function headerClass(simpleName: string, name: string): ClassInfo {
  const klass = gatewayClass(`http.header.${simpleName}`, { parent: HeaderClass })
  namesByClass.set(klass, name)
  classesByName.set(name.toLowerCase(), klass)
  extendWithHost(klass, { 'static NAME: String': name })
  return klass
}

/** The header of a class in a message; null where missing. */
export function headerOf(self: HeadersValue, type: ClassInfo): Value {
  const name = namesByClass.get(type)
  if (name === undefined) throw exceptions.illegalArgument(`${type.name} is not a header class`)
  const values = self.host().all(name)
  return values.length === 0 ? null : new HeaderValue(name, values, type)
}

extendWithHost(HeaderClass, {
  'getName(): String': (self: HeaderValue) => self.name,
  'getValues(): List': (self: HeaderValue) => new ListValue([...self.items]),
  'getFirstValue(): String': (self: HeaderValue) => self.items[0] ?? null,
})

const GenericHeaderClass = gatewayClass('http.header.GenericHeader', { parent: HeaderClass })
extendWithHost(GenericHeaderClass, {
  'new(String name, Object values)': (name: string, values: Value) =>
    new HeaderValue(name, headerTexts(values) ?? [], GenericHeaderClass),
  'new(String name, String... values)': (name: string, values: string[]) =>
    new HeaderValue(name, values, GenericHeaderClass),
})
