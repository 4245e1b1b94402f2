// Classes of single headers, with getters for the parts of their values.
import {
  type ClassInfo,
  classes,
  HashMapValue,
  ListValue,
  type MapValue,
  textOf,
  type Value,
} from '@identity-gateway/groovy'
import { HeaderValue, headerClass } from './headers.ts'
import { extendWithHost } from './host-class.ts'
import type { RequestValue, ResponseValue } from './message-values.ts'

type Members = Parameters<typeof extendWithHost>[1]

/** Declares a class of headers; `split` returns the values in the text of the header. */
function declareHeader(
  simpleName: string,
  name: string,
  members: (made: (values: readonly string[]) => HeaderValue) => Members,
  split: (text: string) => string[] = (text) => (text === '' ? [] : [text]),
): ClassInfo {
  const klass = headerClass(simpleName, name)
  const made = (values: readonly string[]): HeaderValue => new HeaderValue(name, values, klass)
  return extendWithHost(klass, {
    'new()': () => made([]),
    [`static valueOf(String? text): ${simpleName}`]: (text: string | null) => made(split(text ?? '')),
    [`static valueOf(Message message): ${simpleName}`]: ({ host }: RequestValue | ResponseValue) =>
      made(host.headers.all(name).flatMap(split)),
    ...members(made),
  })
}

const first = (self: HeaderValue): string => textOf(self.items[0] ?? '')
const listed = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

/** The parameters of a media type; names in lower case, values without quotes. */
function parametersOf(self: HeaderValue): Map<string, string> {
  const pairs = first(self).matchAll(/;\s*([^=;\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g)
  return new Map(
    [...pairs].map(([, name = '', quoted, plain]) => [
      name.toLowerCase(),
      quoted === undefined ? (plain ?? '') : quoted.replaceAll(/\\(.)/g, '$1'),
    ]),
  )
}

const charsetOf = (name: string): Value =>
  (classes.libraryClass('Charset')?.staticMethod('forName')?.invoke(null, [name]) as Value | undefined) ?? null

/** The text of a media type; a parameter without a value is omitted. */
function contentType(type: string | null, parameters: readonly (readonly [string, string | null])[]): string[] {
  if (type === null || type === '') return []
  const present = parameters.filter((pair): pair is [string, string] => pair[1] !== null && pair[1] !== '')
  return [[type, ...present.map(([name, value]) => `${name}=${value}`)].join('; ')]
}

const parametersIn = (map: MapValue) => map.entries().map(({ key, value }) => [textOf(key), textOf(value)] as const)

declareHeader('ContentTypeHeader', 'Content-Type', (made) => ({
  'new(String? type, String? charset, String? boundary)': (
    type: string | null,
    charset: string | null,
    boundary: string | null,
  ) =>
    made(
      contentType(type, [
        ['charset', charset],
        ['boundary', boundary],
      ]),
    ),
  'new(String? type, String? charset, String? boundary, Map parameters)': (
    type: string | null,
    charset: string | null,
    boundary: string | null,
    more: MapValue,
  ) => made(contentType(type, [['charset', charset], ['boundary', boundary], ...parametersIn(more)])),
  'new(String? type, Map parameters)': (type: string | null, parameters: MapValue) =>
    made(contentType(type, parametersIn(parameters))),
  'getType(): String': (self: HeaderValue) => first(self).split(';')[0]?.trim() || null,
  'getCharset(): Charset': (self: HeaderValue) => {
    const name = parametersOf(self).get('charset')
    return name === undefined ? null : charsetOf(name)
  },
  'getBoundary(): String': (self: HeaderValue) => parametersOf(self).get('boundary') ?? null,
  'getAdditionalParameters(): Map': (self: HeaderValue) =>
    HashMapValue.of([...parametersOf(self)].filter(([name]) => name !== 'charset' && name !== 'boundary')),
}))

declareHeader(
  'ContentLengthHeader',
  'Content-Length',
  (made) => ({
    'new(long length)': (length: bigint) => made(length < 0n ? [] : [String(length)]),
    'getLength(): long': (self: HeaderValue) => (self.size === 0 ? -1n : BigInt(first(self))),
  }),
  (text) => (/^\d{1,18}$/.test(text.trim()) ? [text.trim()] : []),
)

declareHeader('LocationHeader', 'Location', (made) => ({
  'new(Object uri)': (uri: Value) => made([textOf(uri)]),
  'getLocationUri(): String': (self: HeaderValue) => first(self) || null,
}))

/** A header whose value is a list of tokens. */
function tokenHeader(simpleName: string, name: string, getter: string): void {
  declareHeader(
    simpleName,
    name,
    (made) => ({
      'new(List tokens)': (tokens: ListValue) => made(tokens.items.map(textOf)),
      [`${getter}(): List`]: (self: HeaderValue) => new ListValue(self.items.flatMap((each) => listed(textOf(each)))),
    }),
    listed,
  )
}

tokenHeader('ConnectionHeader', 'Connection', 'getTokens')
tokenHeader('ContentEncodingHeader', 'Content-Encoding', 'getCodings')
