import type { Request as HostRequest, Response as HostResponse, Uri as HostUri } from '#http'
import type { HostMessages } from '../host-messages.ts'
import type { HostValues } from '../host-values.ts'
import type { HeaderView, RealmHeaders } from './header-fields.ts'
import type { RealmValues } from './values.ts'

type HostMessage = HostRequest | HostResponse

/** A way to ask the gateway for something that takes time. */
export type Ask = (what: string, subject: unknown, argument: unknown) => Promise<unknown>

/** The classes of messages, and the ways between them and the gateway's own. */
export interface RealmMessages {
  readonly classes: Readonly<Record<string, unknown>>
  request(host: HostRequest, ask: Ask): object
  response(host: HostResponse, ask: Ask): object
  /** The gateway's request behind a script's; null for anything else. */
  hostRequest(value: unknown): HostRequest | null
  hostResponse(value: unknown): HostResponse | null
}

/** Runs inside the realm, see `realmValues`. */
export function realmMessages(
  { toRealm, toHost, attempt }: RealmValues,
  headerView: HeaderView,
  values: HostValues,
  host: HostMessages,
  Status: { of(code: number, reason: string): object; codeOf(value: unknown): number },
): RealmMessages {
  class Uri {
    readonly #host: HostUri

    constructor(uri: unknown) {
      this.#host = typeof uri === 'object' ? (uri as HostUri) : attempt(() => host.uri(String(uri)))
    }

    static {
      for (const name of host.uriParts) {
        Object.defineProperty(Uri.prototype, name, {
          get(this: Uri) {
            return toRealm(values.read(this.#host, name) ?? null)
          },
          set(this: Uri, value: unknown) {
            const part = toHost(value)
            attempt(() => values.write(this.#host, name, part))
          },
          enumerable: true,
          configurable: true,
        })
      }
    }

    static hostOf(value: unknown): HostUri | null {
      return typeof value === 'object' && value !== null && #host in value ? value.#host : null
    }

    toString(): string {
      return this.#host.toString()
    }

    toJSON(): string {
      return this.toString()
    }
  }

  const notAsked: Ask = () => Promise.reject(new Error('this entity was not received by the gateway'))

  class Entity {
    readonly #message: HostMessage
    readonly #ask: Ask

    constructor(message: HostMessage, ask: Ask) {
      this.#message = message
      this.#ask = ask
    }

    static partsOf(value: unknown): { message: HostMessage; ask: Ask } | null {
      if (typeof value !== 'object' || value === null || !(#message in value)) return null
      return { message: value.#message, ask: value.#ask }
    }

    get isEmpty(): boolean {
      return this.#message.body.isEmpty
    }

    get length(): number | null {
      return this.#message.body.length
    }

    async string(): Promise<string> {
      return (await this.#read('string')) as string
    }

    async json(): Promise<unknown> {
      const text = await this.string()
      return text.trim() === '' ? null : JSON.parse(text)
    }

    async bytes(): Promise<Uint8Array> {
      return (await this.#read('bytes')) as Uint8Array
    }

    async form(): Promise<unknown> {
      return this.#read('form')
    }

    async #read(what: string): Promise<unknown> {
      if (!this.#message.body.isBuffered) await this.#ask('buffer', this.#message, null)
      return toRealm(attempt(() => host.entity(this.#message, what)))
    }
  }

  abstract class Message<H extends HostMessage> {
    readonly #host: H
    #ask: Ask

    constructor(hostMessage: H, ask: Ask) {
      this.#host = hostMessage
      this.#ask = ask
    }

    static hostOf(value: unknown): HostMessage | null {
      return typeof value === 'object' && value !== null && #host in value ? value.#host : null
    }

    get headers(): RealmHeaders {
      return headerView(this.#host.headers)
    }

    set headers(fields: unknown) {
      this.#host.headers = host.headers()
      const headers = this.headers as unknown as { add(name: string, value: unknown): void }
      for (const [name, value] of entriesOf(fields)) {
        for (const each of Array.isArray(value) ? value : [value]) headers.add(name, each)
      }
    }

    get entity(): Entity {
      return new Entity(this.#host, this.#ask)
    }

    set entity(value: unknown) {
      const other = Entity.partsOf(value)
      if (other !== null) this.#ask = other.ask
      const content = other === null ? toHost(value) : null
      attempt(() => host.setEntity(this.#host, content, other?.message ?? null))
    }

    get version(): string {
      return this.#host.version
    }
  }

  const entriesOf = (fields: unknown): Iterable<[string, unknown]> => {
    if (typeof fields !== 'object' || fields === null) throw new TypeError('headers: expected an object')
    return Symbol.iterator in fields ? (fields as Iterable<[string, unknown]>) : Object.entries(fields)
  }

  const assign = (message: object, init: unknown, members: readonly string[]): void => {
    if (init === undefined || init === null) return
    for (const key of Object.keys(init)) {
      if (!members.includes(key)) throw new TypeError(`unknown member "${key}"; expected ${members.join(', ')}`)
    }
    for (const key of members) {
      const value: unknown = Reflect.get(init, key)
      // A member of a class of this file: its setter checks the value.
      if (value !== undefined) Reflect.set(message, key, value)
    }
  }

  class Request extends Message<HostRequest> {
    readonly #host: HostRequest

    constructor(init?: unknown, own?: { host: HostRequest; ask: Ask }) {
      const hostRequest = own?.host ?? host.request()
      super(hostRequest, own?.ask ?? notAsked)
      this.#host = hostRequest
      // Headers first, so that a content type among them is not guessed from the entity.
      if (own === undefined) assign(this, init, ['method', 'uri', 'headers', 'entity'])
    }

    get method(): string {
      return this.#host.method
    }

    set method(value: unknown) {
      const method = String(value)
      attempt(() => values.write(this.#host, 'method', method))
    }

    get uri(): Uri {
      return new Uri(this.#host.uri)
    }

    set uri(value: unknown) {
      const uri = Uri.hostOf(value) ?? String(value)
      attempt(() => values.write(this.#host, 'uri', uri))
    }

    /** The cookies by name, each with a list. */
    get cookies(): unknown {
      return toRealm(this.#host.cookies)
    }

    /** The parameters of the query by name, each with a list. */
    get queryParams(): unknown {
      return toRealm(attempt(() => this.#host.queryParams))
    }
  }

  class Response extends Message<HostResponse> {
    readonly #host: HostResponse

    constructor(init?: unknown, own?: { host: HostResponse; ask: Ask }) {
      const hostResponse = own?.host ?? host.response()
      super(hostResponse, own?.ask ?? notAsked)
      this.#host = hostResponse
      if (own !== undefined) return
      const isStatus = typeof init === 'number' || Status.codeOf(init) > 0
      assign(this, isStatus ? { status: init } : init, ['status', 'headers', 'entity'])
    }

    get status(): object {
      return Status.of(this.#host.status, this.#host.reason)
    }

    set status(value: unknown) {
      const code = typeof value === 'number' ? value : Status.codeOf(value)
      attempt(() => values.write(this.#host, 'status', code))
    }

    get statusCode(): number {
      return this.#host.status
    }

    set statusCode(value: unknown) {
      this.status = Number(value)
    }
  }

  // Scripts make messages from a description alone.
  const RequestOfScripts = new Proxy(Request, { construct: (target, [init]) => new target(init) })
  const ResponseOfScripts = new Proxy(Response, { construct: (target, [init]) => new target(init) })
  return {
    classes: { Request: RequestOfScripts, Response: ResponseOfScripts },
    request: (hostRequest, ask) => new Request(undefined, { host: hostRequest, ask }),
    response: (hostResponse, ask) => new Response(undefined, { host: hostResponse, ask }),
    hostRequest: (value) => (value instanceof Request ? (Message.hostOf(value) as HostRequest) : null),
    hostResponse: (value) => (value instanceof Response ? (Message.hostOf(value) as HostResponse) : null),
  }
}
