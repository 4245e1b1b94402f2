import { isIPv6 } from 'node:net'
import { type Exposure, exposed } from '#expression'
import { percentDecode, percentEncode } from './percent.ts'
import { URI_EXPOSURE } from './uri-exposure.ts'
import {
  encodePart,
  GENERIC,
  InvalidUriError,
  PATH,
  QUERY,
  quote,
  RAW_PATH,
  RAW_QUERY,
  REG_NAME,
  rejectControls,
  SCHEME,
  SEGMENT,
  USER_INFO,
} from './uri-syntax.ts'

/** The parts of a URI as written, that is, still percent-encoded. */
export interface UriParts {
  scheme: string
  userInfo: string | null
  host: string
  port: number
  rawPath: string
  rawQuery: string | null
  rawFragment: string | null
  /** See `Uri.isWebSocket`. */
  isWebSocket?: boolean
}

/** A mutable URI (RFC 3986): parts as written, decoded on use. */
export class Uri {
  #scheme: string
  #userInfo: string | null
  #host: string
  #port: number
  #rawPath: string
  #rawQuery: string | null
  #rawFragment: string | null
  #isWebSocket: boolean
  #path: string | null = null
  #text: string | null = null

  /** Parses an absolute or relative URI; illegal printable characters are percent-encoded. */
  static parse(text: string): Uri {
    const [, scheme = '', authority, path = '', query, fragment] = GENERIC.exec(rejectControls('text', text))!
    const uri = new Uri({
      scheme: '',
      userInfo: null,
      host: '',
      port: -1,
      rawPath: '',
      rawQuery: null,
      rawFragment: null,
    })
    if (scheme !== '') uri.scheme = scheme
    if (authority !== undefined) setAuthority(uri, authority)
    uri.rawPath = path
    if (query !== undefined) uri.rawQuery = query
    if (fragment !== undefined) uri.rawFragment = fragment
    return uri
  }

  /** For parts that are legal and normalized already: without checks. */
  constructor(parts: UriParts) {
    this.#scheme = parts.scheme
    this.#userInfo = parts.userInfo
    this.#host = parts.host
    this.#port = parts.port
    this.#rawPath = parts.rawPath
    this.#rawQuery = parts.rawQuery
    this.#rawFragment = parts.rawFragment
    this.#isWebSocket = parts.isWebSocket ?? false
  }

  /** Whether the scheme was `ws` or `wss`, also where it was replaced by `http` or `https`. */
  get isWebSocket(): boolean {
    return this.#isWebSocket || this.#scheme === 'ws' || this.#scheme === 'wss'
  }

  get scheme(): string {
    return this.#scheme
  }

  set scheme(value: string) {
    if (!SCHEME.test(value))
      throw new InvalidUriError(`uri scheme: expected letters, digits, "+", "-", ".", got ${quote(value)}`)
    this.#scheme = value.toLowerCase()
    this.#isWebSocket = false
    this.#text = null
  }

  get userInfo(): string | null {
    return this.#userInfo
  }

  set userInfo(value: string | null) {
    this.#userInfo = value === null ? null : encodePart('user info', value, USER_INFO)
    this.#text = null
  }

  get host(): string {
    return this.#host
  }

  set host(value: string) {
    const bracketed = value.startsWith('[') && value.endsWith(']')
    const literal = bracketed ? value.slice(1, -1) : value
    if (isIPv6(literal) && !literal.includes('%')) this.#host = `[${literal.toLowerCase()}]`
    else if (!bracketed && REG_NAME.test(value)) this.#host = value.toLowerCase()
    else throw new InvalidUriError(`uri host: expected a name or an address, got ${quote(value)}`)
    this.#text = null
  }

  get port(): number {
    return this.#port
  }

  set port(value: number) {
    if (!Number.isInteger(value) || value < -1 || value > 65535) {
      throw new InvalidUriError(`uri port: expected 0 to 65535, or -1 for none, got ${value}`)
    }
    this.#port = value
    this.#text = null
  }

  get rawPath(): string {
    return this.#rawPath
  }

  set rawPath(value: string) {
    const path = encodePart('path', value, RAW_PATH)
    if (this.#host !== '' && path !== '' && path !== '*' && !path.startsWith('/')) {
      throw new InvalidUriError(`uri path: expected a leading "/" after the host, got ${quote(value)}`)
    }
    if (this.#host === '' && path.startsWith('//')) {
      throw new InvalidUriError(`uri path: "//" without a host would be read as one, got ${quote(value)}`)
    }
    this.#rawPath = path
    this.#path = null
    this.#text = null
  }

  get rawQuery(): string | null {
    return this.#rawQuery
  }

  set rawQuery(value: string | null) {
    this.#rawQuery = value === null ? null : percentEncode(rejectControls('query', value), RAW_QUERY)
    this.#text = null
  }

  get rawFragment(): string | null {
    return this.#rawFragment
  }

  set rawFragment(value: string | null) {
    this.#rawFragment = value === null ? null : percentEncode(rejectControls('fragment', value), RAW_QUERY)
    this.#text = null
  }

  /** Host and port, preceded by user information if any. */
  get authority(): string {
    const user = this.#userInfo === null ? '' : `${this.#userInfo}@`
    return this.#port < 0 ? `${user}${this.#host}` : `${user}${this.#host}:${this.#port}`
  }

  set authority(value: string) {
    const parsed = Uri.parse(`//${value}`)
    if (parsed.#host === '' || parsed.#rawPath !== '' || parsed.#rawQuery !== null || parsed.#rawFragment !== null) {
      throw new InvalidUriError(`uri authority: expected [user@]host[:port], got ${quote(value)}`)
    }
    this.#userInfo = parsed.#userInfo
    this.#host = parsed.#host
    this.#port = parsed.#port
    this.#text = null
  }

  /** The port to connect to: as written, or the default of the scheme; -1 where the scheme has none. */
  get effectivePort(): number {
    if (this.#port >= 0) return this.#port
    return defaultPort(this.#scheme)
  }

  get path(): string {
    this.#path ??= percentDecode(this.#rawPath)
    return this.#path
  }

  set path(decoded: string) {
    const absolute = this.#host !== '' && !decoded.startsWith('/') ? `/${decoded}` : decoded
    this.#rawPath = percentEncode(rejectControls('path', absolute), PATH)
    this.#path = null
    this.#text = null
  }

  get query(): string | null {
    return this.#rawQuery === null ? null : percentDecode(this.#rawQuery)
  }

  set query(value: string | null) {
    this.#rawQuery = value === null ? null : percentEncode(rejectControls('query', value), QUERY)
    this.#text = null
  }

  get fragment(): string | null {
    return this.#rawFragment === null ? null : percentDecode(this.#rawFragment)
  }

  set fragment(value: string | null) {
    this.#rawFragment = value === null ? null : percentEncode(rejectControls('fragment', value), QUERY)
    this.#text = null
  }

  /** The decoded segments between slashes; empty for the root. */
  get pathElements(): string[] {
    const path = this.#rawPath.startsWith('/') ? this.#rawPath.slice(1) : this.#rawPath
    return path === '' ? [] : path.split('/').map(percentDecode)
  }

  set pathElements(elements: readonly string[]) {
    this.rawPath = `/${elements.map((each) => percentEncode(rejectControls('path', each), SEGMENT)).join('/')}`
  }

  /** Scheme, host and port, without the default port of the scheme. */
  get origin(): string {
    const port = this.#port < 0 || this.#port === defaultPort(this.#scheme) ? '' : `:${this.#port}`
    return `${this.#scheme}://${this.#host}${port}`
  }

  /** Origin-form: path and query, `/` for an empty path (RFC 9112 section 3.2.1). */
  get requestTarget(): string {
    const path = this.#rawPath === '' ? '/' : this.#rawPath
    return this.#rawQuery === null ? path : `${path}?${this.#rawQuery}`
  }

  /** Replaces scheme, user information, host and port by those of the base. */
  rebase(base: Uri): void {
    this.#scheme = base.#scheme
    this.#userInfo = base.#userInfo
    this.#host = base.#host
    this.#port = base.#port
    this.#isWebSocket = base.#isWebSocket
    this.#text = null
  }

  clone(): Uri {
    return new Uri(this)
  }

  toString(): string {
    this.#text ??= this.#format()
    return this.#text
  }

  #format(): string {
    const start = this.#scheme === '' ? '' : `${this.#scheme}:`
    const authority = this.#host === '' ? '' : `//${this.authority}`
    // RFC 9112 section 3.3: the URI of `OPTIONS *` has an empty path.
    const path = this.#rawPath === '*' && authority !== '' ? '' : this.#rawPath
    const query = this.#rawQuery === null ? '' : `?${this.#rawQuery}`
    const fragment = this.#rawFragment === null ? '' : `#${this.#rawFragment}`
    return `${start}${authority}${path}${query}${fragment}`
  }

  get [exposed](): Exposure<Uri> {
    return URI_EXPOSURE
  }
}

/** The default port of a scheme, or -1. */
export function defaultPort(scheme: string): number {
  if (scheme === 'https' || scheme === 'wss') return 443
  return scheme === 'http' || scheme === 'ws' ? 80 : -1
}

function setAuthority(uri: Uri, authority: string): void {
  const at = authority.lastIndexOf('@')
  if (at >= 0) uri.userInfo = authority.slice(0, at)
  const hostAndPort = authority.slice(at + 1)
  const [, host, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(hostAndPort) ?? []
  if (host === undefined) throw new InvalidUriError(`uri authority: expected host[:port], got ${quote(authority)}`)
  if (host === '' && (at >= 0 || port !== undefined))
    throw new InvalidUriError(`uri authority: no host in ${quote(authority)}`)
  if (host !== '') uri.host = host
  if (port !== undefined && port !== '') uri.port = Number(port)
}
