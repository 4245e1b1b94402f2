// What scripts of the gateway see. For editors: put
//   /// <reference path="script-bindings.d.ts" />
// at the top of a script, or list this file in a tsconfig.json whose "lib" is ["es2024"] (without "dom": a browser's
// Request and Response are others). A script is the body of an async function: it may `await`, and ends with `return`.

/** JSON, as bodies and token infos hold it. */
type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Header fields, looked up without regard to case. `headers['X-Name']` is the list of values, or undefined. */
interface Headers extends Iterable<[name: string, value: string]> {
  /** The first value of a name, or null. */
  get(name: string): string | null
  /** Every value of a name. */
  getAll(name: string): string[]
  has(name: string): boolean
  /** Replaces every value of a name; null removes it. */
  set(name: string, value: HeaderValue | Iterable<HeaderValue> | null): void
  add(name: string, value: HeaderValue): void
  delete(name: string): boolean
  names(): string[]
  entries(): [name: string, value: string][]
  forEach(callback: (value: string, name: string) => void): void
  /** As `get`. */
  getFirst(name: string): string | null
  /** As `set`. */
  put(name: string, value: HeaderValue | Iterable<HeaderValue> | null): void
  /** As `delete`. */
  remove(name: string): boolean
  /** As `has`. */
  containsKey(name: string): boolean
  [name: string]: any
}

type HeaderValue = string | number | boolean

/** A URI; its parts can be changed. */
interface Uri {
  scheme: string
  userInfo: string | null
  host: string
  /** -1 where none is written. */
  port: number
  authority: string
  /** Decoded; `rawPath` is as sent. */
  path: string
  query: string | null
  fragment: string | null
  rawUserInfo: string | null
  rawAuthority: string
  rawPath: string
  rawQuery: string | null
  rawFragment: string | null
  pathElements: string[]
  toString(): string
}

/** The content of a message. It is read when first asked for, and kept within the temporary storage. */
interface Entity {
  /** Whether it is known to be empty. */
  readonly isEmpty: boolean
  /** Bytes, or null if unknown before it is read. */
  readonly length: number | null
  /** The text: content codings are undone, the charset is that of Content-Type. */
  string(): Promise<string>
  /** The JSON value; null where the content is empty. Throws SyntaxError for what is no JSON. */
  json(): Promise<any>
  bytes(): Promise<Uint8Array>
  /** The fields of a form: name to values. */
  form(): Promise<Record<string, string[]>>
}

/** What can be assigned to `entity`: text, bytes, the entity of another message, null, or a value that is sent as JSON. */
type EntityValue = string | Uint8Array | Entity | null | Json | object

interface Message {
  get headers(): Headers
  set headers(fields: HeaderFields)
  get entity(): Entity
  set entity(value: EntityValue)
  readonly version: string
}

type HeaderFields = Iterable<[string, HeaderValue]> | Record<string, HeaderValue | HeaderValue[]>

interface Cookie {
  readonly name: string
  readonly value: string
}

declare class Request implements Message {
  constructor(init?: { method?: string; uri?: string | Uri; headers?: HeaderFields; entity?: EntityValue })
  method: string
  get uri(): Uri
  /** A text without a host keeps the server of the current URI. */
  set uri(value: string | Uri)
  get headers(): Headers
  set headers(fields: HeaderFields)
  get entity(): Entity
  set entity(value: EntityValue)
  readonly version: string
  readonly cookies: Readonly<Record<string, Cookie[]>>
  /** The parameters of the query: name to values; a name without `=` has null. */
  readonly queryParams: Readonly<Record<string, (string | null)[]>>
}

declare class Response implements Message {
  constructor(init?: number | Status | { status?: number | Status; headers?: HeaderFields; entity?: EntityValue })
  get status(): Status
  set status(value: number | Status)
  /** The code of the status. */
  statusCode: number
  get headers(): Headers
  set headers(fields: HeaderFields)
  get entity(): Entity
  set entity(value: EntityValue)
  readonly version: string
}

/** A status. There is one object for each code: compare with `response.status === Status.NOT_FOUND`. */
declare class Status {
  private constructor()
  readonly code: number
  readonly reasonPhrase: string
  readonly family: 'INFORMATIONAL' | 'SUCCESSFUL' | 'REDIRECTION' | 'CLIENT_ERROR' | 'SERVER_ERROR' | 'UNKNOWN'
  readonly isInformational: boolean
  readonly isSuccessful: boolean
  readonly isRedirection: boolean
  readonly isClientError: boolean
  readonly isServerError: boolean
  static valueOf(code: number): Status
  static readonly OK: Status
  static readonly CREATED: Status
  static readonly ACCEPTED: Status
  static readonly NO_CONTENT: Status
  static readonly MOVED_PERMANENTLY: Status
  static readonly FOUND: Status
  static readonly SEE_OTHER: Status
  static readonly NOT_MODIFIED: Status
  static readonly TEMPORARY_REDIRECT: Status
  static readonly PERMANENT_REDIRECT: Status
  static readonly BAD_REQUEST: Status
  static readonly UNAUTHORIZED: Status
  static readonly FORBIDDEN: Status
  static readonly NOT_FOUND: Status
  static readonly METHOD_NOT_ALLOWED: Status
  static readonly NOT_ACCEPTABLE: Status
  static readonly CONFLICT: Status
  static readonly GONE: Status
  static readonly PRECONDITION_FAILED: Status
  static readonly PAYLOAD_TOO_LARGE: Status
  static readonly UNSUPPORTED_MEDIA_TYPE: Status
  static readonly UNPROCESSABLE_ENTITY: Status
  static readonly TOO_MANY_REQUESTS: Status
  static readonly INTERNAL_SERVER_ERROR: Status
  static readonly NOT_IMPLEMENTED: Status
  static readonly BAD_GATEWAY: Status
  static readonly SERVICE_UNAVAILABLE: Status
  static readonly GATEWAY_TIMEOUT: Status
}

/** Fields of a form or a query. */
declare class Form {
  constructor(fields?: string | Record<string, string | number | boolean | (string | number | boolean)[]>)
  /** The first value of a name, or null. */
  get(name: string): string | null
  getAll(name: string): string[]
  has(name: string): boolean
  add(name: string, value: string | number | boolean): this
  set(name: string, value: string | number | boolean | (string | number | boolean)[]): this
  delete(name: string): boolean
  names(): string[]
  /** `a=1&b=2` */
  toString(): string
  getFirst(name: string): string | null
  putSingle(name: string, value: string | number | boolean): this
  toQueryString(): string
  fromString(text: string): this
  /** Makes the form the content of a request, with its Content-Type. */
  toRequestEntity(request: Request): void
  toRequestQuery(request: Request): void
}

/** So many requests in so much time; the duration as text or in milliseconds. */
declare class ThrottlingRate {
  constructor(numberOfRequests: number, duration: string | number)
  readonly numberOfRequests: number
  readonly duration: number
}

/** One context of the request, such as `contexts.oauth2`; what is in it depends on the filter that added it. */
interface Context {
  readonly contextName: string
  readonly id: string
  readonly parent: Context | null
  readonly rootContext: Context
  readonly [member: string]: any
}

interface ClientContext extends Context {
  readonly remoteAddress: string
  readonly remotePort: number
  readonly remoteUser: string | null
  readonly localAddress: string
  readonly localPort: number
  readonly userAgent: string | null
  readonly secure: boolean
  readonly external: boolean
}

interface Contexts {
  readonly client: ClientContext
  readonly router: Context & { readonly originalUri: Uri }
  readonly oauth2?: Context & {
    readonly accessToken: {
      readonly token: string
      readonly info: Record<string, any>
      readonly scopes: Set<string>
      readonly expiresAt: number | null
    }
  }
  /** Sets the user of the access event. */
  readonly requestAudit: Context & { setUserId(userId: string | null): void }
  /** Adds custom entries to the access event. */
  readonly accessAuditExtension: Context & { extendWith(key: string, value: Json): Context }
  readonly [name: string]: Context | undefined
}

/** A map that ends with the request (`attributes`) or with the session (`session`). Takes JSON; assign again what you change. */
type SharedMap = Record<string, any>

/** A handler: `next`, or a Handler among `args`. The context may be left out. */
interface Handler {
  handle(context: Context, request: Request): Promise<Response>
  handle(request: Request): Promise<Response>
}

/** A Filter among `args`; behind it is what is behind this script. */
interface Filter {
  filter(context: Context, request: Request): Promise<Response>
  filter(request: Request): Promise<Response>
}

/** An AccessTokenResolver among `args`: the token info, or null for a token that is not good. */
interface AccessTokenResolver {
  resolve(context: Context, token: string): Promise<Record<string, Json> | null>
  resolve(token: string): Promise<Record<string, Json> | null>
}

/** A ResourceAccess among `args`. */
interface ResourceAccess {
  requiredScopes(): Promise<Set<string>>
}

/** Sends requests through `clientHandler`. */
interface HttpClient {
  send(context: Context, request: Request): Promise<Response>
  send(request: Request): Promise<Response>
}

/** Publishes audit events of custom topics through the audit service of the request; without one nothing happens. */
interface Audit {
  send(topic: string, fields: Record<string, unknown>): Promise<void>
}

/** A secret of the object's `secretsProvider`. Its value can not be read; its text is `[redacted]`. */
interface Secret {
  readonly secretId: string
  /**
   * Signs claims as a JSON Web Token. Without an algorithm the first one that suits the key is used: RS256, ES256, EdDSA, HS256.
   * `header` has further members of the header, such as `typ` or `kid`.
   */
  signJwt(
    claims: Record<string, unknown>,
    options?: { algorithm?: SignatureAlgorithm; header?: Record<string, unknown> },
  ): Promise<string>
  /**
   * The header and the claims of a token signed by the key; null where the token is malformed, signed by another key or algorithm,
   * expired or not valid yet. Issuer and audience are for the script to check.
   */
  verifyJwt(token: string): Promise<{ header: Record<string, any>; claims: Record<string, any> } | null>
  /** Whether a text is the password of this id, or one of several, compared in constant time; false for a missing text. */
  matches(text: string | null | undefined): Promise<boolean>
  toString(): '[redacted]'
  toJSON(): '[redacted]'
}

type SignatureAlgorithm =
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'
  | 'Ed25519'
  | 'HS256'
  | 'HS384'
  | 'HS512'

/** Secrets by id, in objects with a `secretsProvider`. */
interface Secrets {
  get(secretId: string): Promise<Secret>
}

/** Logs under the name of the object; `{}` in the message stand for the arguments after it. */
interface Logger {
  trace(message: string, ...args: unknown[]): void
  debug(message: string, ...args: unknown[]): void
  info(message: string, ...args: unknown[]): void
  warn(message: string, ...args: unknown[]): void
  error(message: string, ...args: unknown[]): void
}

/** The request on its way. */
declare const request: Request
/** The response, in scripts that run for one; null in those of this version. */
declare const response: Response | null
/** The context that was added last. */
declare const context: Context
declare const contexts: Contexts
declare const attributes: SharedMap
declare const session: SharedMap
/** Values that the scripts of one object keep from request to request, in each unit of the gateway. */
declare const globals: Record<string, any>
declare const http: HttpClient
declare const audit: Audit
declare const secrets: Secrets
declare const logger: Logger
/** What comes after a ScriptableFilter; only there. */
declare const next: Handler
/** The token that a ScriptableAccessTokenResolver is asked about; only there. */
declare const token: string
/** The properties of the configuration by name; each is also in scope under its own name. */
declare const properties: Readonly<Record<string, any>>
