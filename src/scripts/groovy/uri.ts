import {
  type ClassInfo,
  exceptions,
  GroovyObject,
  javaUri,
  ListValue,
  textOf,
  type Value,
} from '@identity-gateway/groovy'
import { Uri } from '#http'
import { extendWithHost, gatewayClass } from './host-class.ts'
import { convertHost, convertValue } from './host-values.ts'

const UriClass = gatewayClass('http.MutableUri')

/** A mutable URI. */
export class UriValue extends GroovyObject {
  readonly host: Uri

  constructor(host: Uri) {
    super()
    this.host = host
  }

  get klass(): ClassInfo {
    return UriClass
  }

  override equalityKey(): string {
    return this.host.toString()
  }
}

convertHost(Uri, (uri) => new UriValue(uri))
convertValue(UriValue, ({ host }) => host.toString())

/** The URI of a string, a URI or a MutableUri. */
function uriOf(value: Value): Uri {
  return value instanceof UriValue ? value.host.clone() : Uri.parse(textOf(value))
}

const nullable = (value: string): string | null => (value === '' ? null : value)

/** Resolves a reference by RFC 3986 section 5.2; dot segments above the root are retained, as in Java. */
function resolved(base: Uri, reference: Uri): Uri {
  if (reference.scheme !== '') return reference.clone()
  const made = reference.clone()
  if (reference.host !== '') {
    made.scheme = base.scheme
    return made
  }
  const path = reference.rawPath
  const whole = path.startsWith('/') ? path : base.rawPath.replace(/[^/]*$/, '') + path
  made.rawPath = ''
  made.rebase(base)
  made.rawPath = path === '' ? base.rawPath : withoutDots(whole)
  if (path === '' && reference.rawQuery === null) made.rawQuery = base.rawQuery
  return made
}

function withoutDots(path: string): string {
  const kept: string[] = []
  const parts = path.split('/')
  parts.forEach((part, at) => {
    const last = kept.at(-1)
    if (part === '.') {
      if (at === parts.length - 1) kept.push('')
    } else if (part === '..' && last !== undefined && last !== '' && last !== '..') {
      kept.pop()
      if (at === parts.length - 1) kept.push('')
    } else kept.push(part)
  })
  return kept.join('/')
}

extendWithHost(UriClass, {
  'new(Object uri)': (uri: Value) => new UriValue(uriOf(uri)),
  'static uri(String text): MutableUri': (text: string) => new UriValue(Uri.parse(text)),
  'getScheme(): String': ({ host }: UriValue) => nullable(host.scheme),
  'setScheme(String scheme): void': ({ host }: UriValue, value: string) => {
    host.scheme = value
  },
  'getHost(): String': ({ host }: UriValue) => nullable(host.host),
  'setHost(String name): void': ({ host }: UriValue, value: string) => {
    host.host = value
  },
  'getPort(): int': ({ host }: UriValue) => host.port,
  'setPort(int port): void': ({ host }: UriValue, value: number) => {
    host.port = value
  },
  'getUserInfo(): String': ({ host }: UriValue) => host.userInfo,
  'getRawUserInfo(): String': ({ host }: UriValue) => host.userInfo,
  'setUserInfo(String? text): void': ({ host }: UriValue, value: string | null) => {
    host.userInfo = value
  },
  'setRawUserInfo(String? text): void': ({ host }: UriValue, value: string | null) => {
    host.userInfo = value
  },
  'getAuthority(): String': ({ host }: UriValue) => nullable(host.authority),
  'getRawAuthority(): String': ({ host }: UriValue) => nullable(host.authority),
  'getPath(): String': ({ host }: UriValue) => host.path,
  'setPath(String path): void': ({ host }: UriValue, value: string) => {
    host.path = value
  },
  'getRawPath(): String': ({ host }: UriValue) => host.rawPath,
  'setRawPath(String path): void': ({ host }: UriValue, value: string) => {
    host.rawPath = value
  },
  'getQuery(): String': ({ host }: UriValue) => host.query,
  'setQuery(String? query): void': ({ host }: UriValue, value: string | null) => {
    host.query = value
  },
  'getRawQuery(): String': ({ host }: UriValue) => host.rawQuery,
  'setRawQuery(String? query): void': ({ host }: UriValue, value: string | null) => {
    host.rawQuery = value
  },
  'getFragment(): String': ({ host }: UriValue) => host.fragment,
  'setFragment(String? fragment): void': ({ host }: UriValue, value: string | null) => {
    host.fragment = value
  },
  'getRawFragment(): String': ({ host }: UriValue) => host.rawFragment,
  'setRawFragment(String? fragment): void': ({ host }: UriValue, value: string | null) => {
    host.rawFragment = value
  },
  'getPathElements(): List': ({ host }: UriValue) => new ListValue([...host.pathElements]),
  'rebase(Object base): MutableUri': (self: UriValue, base: Value) => {
    self.host.rebase(uriOf(base))
    return self
  },
  'resolve(Object reference): MutableUri': (self: UriValue, reference: Value) => {
    const made = resolved(self.host, uriOf(reference))
    self.host.rebase(made)
    self.host.rawPath = made.rawPath
    self.host.rawQuery = made.rawQuery
    self.host.rawFragment = made.rawFragment
    return self
  },
  'asURI(): URI': ({ host }: UriValue) => javaUri(host.toString()),
  'toASCIIString(): String': ({ host }: UriValue) => host.toString(),
  'toString(): String': ({ host }: UriValue) => host.toString(),
  'isAbsolute(): boolean': ({ host }: UriValue) => host.scheme !== '',
  'compareTo(Object other): int': ({ host }: UriValue, other: Value) => {
    if (!(other instanceof UriValue)) throw exceptions.illegalArgument('expected a MutableUri')
    const [a, b] = [host.toString(), other.host.toString()]
    return a < b ? -1 : a > b ? 1 : 0
  },
})
