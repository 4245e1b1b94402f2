// java.net.URI, with the syntax of RFC 2396 as in Java, and the parts of java.net.URL.
import { extend } from '../../registry/extend.ts'
import { castNow } from '../../runtime/cast.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { CharSequenceInterface, ComparableInterface, declareClass, StringClass } from '../../values/classes.ts'
import { ExceptionClass, IllegalArgumentException, IOException } from '../../values/exceptions.ts'
import { textOf } from '../../values/text.ts'
import { declareException, throwable } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { percentDecoded, percentEncoded } from './url-coding.ts'

const UriClass = declareClass('java.net.URI', { interfaces: [ComparableInterface] })
export const UrlClass = declareClass('java.net.URL')
const UriSyntaxException = declareException('java.net.URISyntaxException', ExceptionClass)
const MalformedUrlException = declareException('java.net.MalformedURLException', IOException)

interface UriParts {
  readonly scheme: string | null
  readonly authority: string | null
  readonly path: string
  readonly query: string | null
  readonly fragment: string | null
}

/** An immutable URI. */
class JavaUri extends GroovyObject {
  readonly parts: UriParts

  constructor(parts: UriParts) {
    super()
    this.parts = parts
  }

  get klass(): ClassInfo {
    return UriClass
  }

  override get weight(): number {
    return this.parts.path.length + (this.parts.query?.length ?? 0) + (this.parts.fragment?.length ?? 0)
  }

  override equalityKey(): string {
    return this.toString()
  }

  override toString(): string {
    const { scheme, authority, path, query, fragment } = this.parts
    return [
      scheme === null ? '' : `${scheme}:`,
      authority === null ? '' : `//${authority}`,
      path,
      query === null ? '' : `?${query}`,
      fragment === null ? '' : `#${fragment}`,
    ].join('')
  }
}

/** A URL: a URI with a known scheme and a host. */
export class JavaUrl extends GroovyObject {
  readonly uri: JavaUri

  constructor(uri: JavaUri) {
    super()
    this.uri = uri
  }

  get klass(): ClassInfo {
    return UrlClass
  }

  override get weight(): number {
    return this.uri.weight
  }

  override equalityKey(): string {
    return this.uri.toString()
  }
}

const GENERIC = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s
const ILLEGAL = /[\x00-\x20"<>\\^`{|}\x7f]|%(?![0-9a-fA-F]{2})/

function parse(text: string): JavaUri {
  const illegal = ILLEGAL.exec(text)
  const match = GENERIC.exec(text)
  if (illegal !== null || match === null) {
    const at = illegal?.index ?? 0
    throw throwable(UriSyntaxException, `Illegal character in URI at index ${at}: ${text.slice(0, 200)}`)
  }
  const [, scheme = null, authority = null, path = '', query = null, fragment = null] = match
  return new JavaUri({ scheme, authority: authority === '' ? null : authority, path, query, fragment })
}

/** Percent-encodes characters that are not allowed in a part. */
function quoted(text: string | null, allowed: RegExp): string | null {
  if (text === null) return null
  return text.replace(allowed, (each) => percentEncoded(Buffer.from(each)))
}

const NOT_PATH = /[^A-Za-z0-9\-_.!~*'()/:@&=+$,;]{1,1000}/gu
const NOT_QUERY = /[^A-Za-z0-9\-_.!~*'()/:@&=+$,;?[\]%]{1,1000}/gu

function decoded(text: string | null): string | null {
  if (text === null || !text.includes('%')) return text
  return percentDecoded(text, 'UTF-8')
}

function hostOf({ authority }: UriParts): { user: string | null; host: string | null; port: number } {
  const [, user = null, host, port] = /^(?:([^@]*)@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority ?? '') ?? []
  const number = port === undefined || port === '' ? -1 : Number(port)
  return { user, host: host === undefined || host === '' ? null : host, port: number }
}

function normalised(path: string): string {
  const kept: string[] = []
  const parts = path.split('/')
  parts.forEach((part, at) => {
    const isLast = at === parts.length - 1
    const before = kept.at(-1)
    if (part === '.') {
      if (isLast) kept.push('')
    } else if (part === '..' && before !== undefined && before !== '' && before !== '..') {
      kept.pop()
      if (isLast) kept.push('')
    } else kept.push(part)
  })
  return kept.join('/')
}

function resolve(base: JavaUri, reference: JavaUri): JavaUri {
  const { parts } = reference
  if (parts.scheme !== null) return reference
  if (parts.authority !== null) return new JavaUri({ ...parts, scheme: base.parts.scheme })
  if (parts.path === '' && parts.query === null) return new JavaUri({ ...base.parts, fragment: parts.fragment })
  const { scheme, authority } = base.parts
  const path = parts.path.startsWith('/')
    ? parts.path
    : base.parts.path.slice(0, base.parts.path.lastIndexOf('/') + 1) + parts.path
  return new JavaUri({ ...parts, scheme, authority, path: normalised(path) })
}

const isOpaque = ({ scheme, authority, path }: UriParts): boolean =>
  scheme !== null && authority === null && !path.startsWith('/')

const schemeSpecificPart = (self: JavaUri): string =>
  new JavaUri({ ...self.parts, scheme: null, fragment: null }).toString()

const uriOf = (value: Value): JavaUri => (value instanceof JavaUri ? value : parse(textOf(castNow(value, StringClass))))

extend(UriClass, {
  'new(String text)': parse,
  'new(String? scheme, String? host, String? path, String? fragment)': (
    scheme: string | null,
    host: string | null,
    path: string | null,
    fragment: string | null,
  ) =>
    new JavaUri({
      scheme,
      authority: host,
      path: quoted(path, NOT_PATH) ?? '',
      query: null,
      fragment: quoted(fragment, NOT_QUERY),
    }),
  'new(String? scheme, String? user, String? host, int port, String? path, String? query, String? fragment)': (
    scheme: string | null,
    user: string | null,
    host: string | null,
    port: number,
    path: string | null,
    query: string | null,
    fragment: string | null,
  ) =>
    new JavaUri({
      scheme,
      authority: host === null ? null : `${user === null ? '' : `${user}@`}${host}${port < 0 ? '' : `:${port}`}`,
      path: quoted(path, NOT_PATH) ?? '',
      query: quoted(query, NOT_QUERY),
      fragment: quoted(fragment, NOT_QUERY),
    }),
  'static create(String text): URI': (text: string) => {
    try {
      return parse(text)
    } catch (error) {
      throw throwable(IllegalArgumentException, `Illegal character in URI: ${text.slice(0, 200)}`, error as never)
    }
  },
  'getScheme(): String': ({ parts }: JavaUri) => parts.scheme,
  'getAuthority(): String': ({ parts }: JavaUri) => decoded(parts.authority),
  'getRawAuthority(): String': ({ parts }: JavaUri) => parts.authority,
  'getUserInfo(): String': ({ parts }: JavaUri) => decoded(hostOf(parts).user),
  'getHost(): String': ({ parts }: JavaUri) => hostOf(parts).host,
  'getPort(): int': ({ parts }: JavaUri) => hostOf(parts).port,
  'getPath(): String': ({ parts }: JavaUri) => (isOpaque(parts) ? null : decoded(parts.path)),
  'getRawPath(): String': ({ parts }: JavaUri) => (isOpaque(parts) ? null : parts.path),
  'getQuery(): String': ({ parts }: JavaUri) => decoded(parts.query),
  'getRawQuery(): String': ({ parts }: JavaUri) => parts.query,
  'getFragment(): String': ({ parts }: JavaUri) => decoded(parts.fragment),
  'getRawFragment(): String': ({ parts }: JavaUri) => parts.fragment,
  'getSchemeSpecificPart(): String': (self: JavaUri) => decoded(schemeSpecificPart(self)),
  'getRawSchemeSpecificPart(): String': schemeSpecificPart,
  'isAbsolute(): boolean': ({ parts }: JavaUri) => parts.scheme !== null,
  'isOpaque(): boolean': ({ parts }: JavaUri) => isOpaque(parts),
  'normalize(): URI': (self: JavaUri) => new JavaUri({ ...self.parts, path: normalised(self.parts.path) }),
  'resolve(Object reference): URI': (self: JavaUri, reference: Value) => resolve(self, uriOf(reference)),
  'toURL(): URL': (self: JavaUri) => urlOf(self),
  'toASCIIString(): String': (self: JavaUri) => self.toString(),
  'compareTo(Object other): int': (self: JavaUri, other: Value) => {
    const [a, b] = [self.toString(), textOf(other)]
    return a < b ? -1 : a > b ? 1 : 0
  },
  'toString(): String': (self: JavaUri) => self.toString(),
})

function urlOf(uri: JavaUri): JavaUrl {
  const { scheme } = uri.parts
  if (scheme === null) throw throwable(MalformedUrlException, `no protocol: ${uri.toString().slice(0, 200)}`)
  if (!/^https?$/i.test(scheme)) throw throwable(MalformedUrlException, `unknown protocol: ${scheme}`)
  return new JavaUrl(uri)
}

const parseUrl = (text: string): JavaUrl => urlOf(parse(text.trim().replaceAll(' ', '%20')))

extend(UrlClass, {
  'new(String text)': parseUrl,
  'new(URL base, String text)': (base: JavaUrl, text: string) => urlOf(resolve(base.uri, parse(text))),
  'getProtocol(): String': ({ uri }: JavaUrl) => uri.parts.scheme,
  'getHost(): String': ({ uri }: JavaUrl) => hostOf(uri.parts).host ?? '',
  'getPort(): int': ({ uri }: JavaUrl) => hostOf(uri.parts).port,
  'getDefaultPort(): int': ({ uri }: JavaUrl) => (uri.parts.scheme === 'https' ? 443 : 80),
  'getAuthority(): String': ({ uri }: JavaUrl) => uri.parts.authority,
  'getUserInfo(): String': ({ uri }: JavaUrl) => hostOf(uri.parts).user,
  'getPath(): String': ({ uri }: JavaUrl) => uri.parts.path,
  'getQuery(): String': ({ uri }: JavaUrl) => uri.parts.query,
  'getRef(): String': ({ uri }: JavaUrl) => uri.parts.fragment,
  'getFile(): String': ({ uri }: JavaUrl) =>
    uri.parts.query === null ? uri.parts.path : `${uri.parts.path}?${uri.parts.query}`,
  'toURI(): URI': ({ uri }: JavaUrl) => uri,
  'toExternalForm(): String': ({ uri }: JavaUrl) => uri.toString(),
  'toString(): String': ({ uri }: JavaUrl) => uri.toString(),
})

/** Parses a URI; throws URISyntaxException. */
export const javaUri = parse

extend(CharSequenceInterface, {
  'toURI(): URI': (self: Value) => parse(textOf(self)),
  'toURL(): URL': (self: Value) => parseUrl(textOf(self)),
})
