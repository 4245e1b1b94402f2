// `JsonPointer`: a path into JSON data.
import {
  type ClassInfo,
  type CollectionValue,
  classes,
  exceptions,
  GroovyObject,
  IteratorValue,
  ObjectArray,
  textOf,
  type Value,
} from '@identity-gateway/groovy'
import { extendWithHost, gatewayClass, gatewayException } from './host-class.ts'

const PointerClass = gatewayClass('json.JsonPointer', { interfaces: [classes.IterableInterface] })
export const JsonException = gatewayException('json.JsonException', exceptions.RuntimeException)

/** The names and indexes of a path, decoded. */
export class JsonPointerValue extends GroovyObject {
  readonly tokens: readonly string[]

  constructor(tokens: readonly string[]) {
    super()
    this.tokens = tokens
  }

  get klass(): ClassInfo {
    return PointerClass
  }

  override equalityKey(): string {
    return this.toString()
  }

  /** `/` for the root. */
  override toString(): string {
    return `/${this.tokens.map(encoded).join('/')}`
  }
}

/** Slashes and percent signs inside a name are percent-encoded, as OpenIG writes them. */
const encoded = (token: string): string => token.replaceAll('%', '%25').replaceAll('/', '%2F')

/** Percent-encoding of OpenIG, and the escapes of RFC 6901. */
function decoded(token: string): string {
  const text = token.replaceAll('~1', '/').replaceAll('~0', '~')
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Parses `/a/b`; the first slash may be omitted. */
export function parsePointer(text: string): JsonPointerValue {
  const path = text.startsWith('/') ? text.slice(1) : text
  return new JsonPointerValue(path === '' ? [] : path.split('/').map(decoded))
}

const tail = ({ tokens }: JsonPointerValue, from: number): Value => new JsonPointerValue(tokens.slice(from))

extendWithHost(PointerClass, {
  'new()': () => new JsonPointerValue([]),
  'new(String path)': parsePointer,
  'new(String... tokens)': (tokens: string[]) => new JsonPointerValue(tokens),
  'new(Collection tokens)': (tokens: CollectionValue) => new JsonPointerValue(tokens.items.map(textOf)),
  'static ptr(String path): JsonPointer': parsePointer,
  'static ptr(String... tokens): JsonPointer': (tokens: string[]) => new JsonPointerValue(tokens),
  'size(): int': ({ tokens }: JsonPointerValue) => tokens.length,
  'isEmpty(): boolean': ({ tokens }: JsonPointerValue) => tokens.length === 0,
  'get(int index): String': ({ tokens }: JsonPointerValue, index: number) => {
    if (index < 0 || index >= tokens.length) {
      throw exceptions.indexOutOfBounds(`Index ${index} out of bounds for length ${tokens.length}`)
    }
    return tokens[index] as string
  },
  'toArray(): String[]': ({ tokens }: JsonPointerValue) => new ObjectArray(classes.StringClass, [...tokens]),
  'parent(): JsonPointer': ({ tokens }: JsonPointerValue) =>
    tokens.length === 0 ? null : new JsonPointerValue(tokens.slice(0, -1)),
  'leaf(): String': ({ tokens }: JsonPointerValue) => tokens.at(-1) ?? null,
  'child(Object token): JsonPointer': ({ tokens }: JsonPointerValue, token: Value) =>
    new JsonPointerValue([...tokens, textOf(token)]),
  'relativePointer(): JsonPointer': (self: JsonPointerValue) => tail(self, 1),
  'relativePointer(int size): JsonPointer': (self: JsonPointerValue, size: number) =>
    tail(self, Math.max(0, self.tokens.length - size)),
  'iterator(): Iterator': ({ tokens }: JsonPointerValue) => new IteratorValue([...tokens]),
  'toString(): String': (self: JsonPointerValue) => self.toString(),
})
