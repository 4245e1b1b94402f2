import type { Handle } from '../handle.ts'
import type { HostMessages } from '../host-messages.ts'
import type { HostValues } from '../host-values.ts'
import type { HeaderView, RealmHeaders } from './header-fields.ts'
import type { RealmNumbers } from './numbers.ts'
import type { RealmValues } from './values.ts'

/** Starts an asynchronous call to the gateway. */
export type GatewayCall = (what: string, subject: unknown, argument: unknown) => Promise<unknown>

/** The classes of messages, and the conversions from and to messages of the gateway. */
export interface RealmMessages {
  readonly classes: Readonly<Record<string, unknown>>
  request(host: Handle, callGateway: GatewayCall): object
  response(host: Handle, callGateway: GatewayCall): object
  /** The gateway's request of a script's request; null for other values. */
  hostRequest(value: unknown): Handle | null
  hostResponse(value: unknown): Handle | null
}

/** Runs inside the realm. */
export function realmMessages(
  { toRealm, toHost, texts }: RealmValues,
  numbers: RealmNumbers,
  headerView: HeaderView,
  values: HostValues,
  host: HostMessages,
  Status: { of(code: number, reason: string): object; codeOf(value: unknown): number },
): RealmMessages {
  interface Message {
    readonly host: Handle
    readonly callGateway: GatewayCall
  }

  // The message of the next instance. Not a parameter of a constructor or a static member, which scripts could use.
  let adopted: Message | null = null
  let hostUriOf: (value: unknown) => Handle | null
  let contentOf: (value: unknown) => Message | null
  let messageOf: (value: AnyMessage) => Handle
  let hostRequestOf: (value: unknown) => Handle | null
  let hostResponseOf: (value: unknown) => Handle | null

  const adoptedMessage = (): Message => {
    if (adopted === null) throw new TypeError('this class is instantiated only by the gateway')
    const message = adopted
    adopted = null
    return message
  }

  const adopt = <T>(hostObject: Handle, callGateway: GatewayCall, made: new () => T): T => {
    adopted = { host: hostObject, callGateway }
    try {
      return new made()
    } finally {
      adopted = null
    }
  }

  const notReceived: GatewayCall = () => Promise.reject(new Error('this entity was not received by the gateway'))

  class Uri {
    readonly #host: Handle = adoptedMessage().host

    static {
      hostUriOf = (value) => (typeof value === 'object' && value !== null && #host in value ? value.#host : null)
      for (const name of texts(host.uriParts())) {
        Object.defineProperty(Uri.prototype, name, {
          get(this: Uri) {
            return toRealm(values.read(this.#host, name) ?? null)
          },
          set(this: Uri, value: unknown) {
            values.write(this.#host, name, toHost(value))
          },
          enumerable: true,
          configurable: true,
        })
      }
    }

    toString(): string {
      return host.uriText(this.#host)
    }

    toJSON(): string {
      return this.toString()
    }
  }

  class Entity {
    readonly #message: Message = adoptedMessage()

    static {
      contentOf = (value) => (typeof value === 'object' && value !== null && #message in value ? value.#message : null)
    }

    get isEmpty(): boolean {
      return host.bodyIsEmpty(this.#message.host)
    }

    get length(): number | null {
      return host.bodyLength(this.#message.host)
    }

    async string(): Promise<string> {
      return host.entityText(await this.#buffered())
    }

    async json(): Promise<unknown> {
      const text = host.entityJson(await this.#buffered())
      if (text.trim() === '') return null
      return host.mayHoldExactNumbers(text) ? numbers.parse(text) : JSON.parse(text)
    }

    async bytes(): Promise<Uint8Array> {
      return toRealm(host.entityBytes(await this.#buffered())) as Uint8Array
    }

    async form(): Promise<unknown> {
      return toRealm(host.entityForm(await this.#buffered()))
    }

    async #buffered(): Promise<Handle> {
      const message = this.#message
      if (!host.bodyIsBuffered(message.host)) await message.callGateway('buffer', message.host, null)
      return message.host
    }
  }

  abstract class AnyMessage {
    readonly #host: Handle
    #callGateway: GatewayCall

    /** Without an adopted message it is a new one. */
    constructor(made: () => Handle) {
      const message = adopted ?? { host: made(), callGateway: notReceived }
      adopted = null
      this.#host = message.host
      this.#callGateway = message.callGateway
    }

    static {
      messageOf = (message) => message.#host
    }

    get headers(): RealmHeaders {
      return headerView(host.headers(this.#host))
    }

    set headers(fields: unknown) {
      host.clearHeaders(this.#host)
      const headers = this.headers as unknown as { add(name: string, value: unknown): void }
      for (const [name, value] of entriesOf(fields)) {
        for (const each of Array.isArray(value) ? value : [value]) headers.add(name, each)
      }
    }

    get entity(): Entity {
      return adopt(this.#host, this.#callGateway, Entity)
    }

    set entity(value: unknown) {
      const other = contentOf(value)
      if (other !== null) this.#callGateway = other.callGateway
      host.setEntity(this.#host, other === null ? toHost(value) : null, other?.host ?? null)
    }

    get version(): string {
      return host.version(this.#host)
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

  class Request extends AnyMessage {
    readonly #host: Handle

    static {
      hostRequestOf = (value) => (typeof value === 'object' && value !== null && #host in value ? value.#host : null)
    }

    constructor(init?: unknown) {
      super(host.request)
      this.#host = messageOf(this)
      // Headers first, so that a content type among them is not guessed from the entity.
      assign(this, init, ['method', 'uri', 'headers', 'entity'])
    }

    get method(): string {
      return host.method(this.#host)
    }

    set method(value: unknown) {
      values.write(this.#host, 'method', String(value))
    }

    get uri(): Uri {
      return adopt(host.requestUri(this.#host), notReceived, Uri)
    }

    set uri(value: unknown) {
      values.write(this.#host, 'uri', hostUriOf(value) ?? String(value))
    }

    /** The cookies by name, each with a list. */
    get cookies(): unknown {
      return toRealm(host.cookies(this.#host))
    }

    /** The parameters of the query by name, each with a list. */
    get queryParams(): unknown {
      return toRealm(host.queryParams(this.#host))
    }
  }

  class Response extends AnyMessage {
    readonly #host: Handle

    static {
      hostResponseOf = (value) => (typeof value === 'object' && value !== null && #host in value ? value.#host : null)
    }

    constructor(init?: unknown) {
      super(host.response)
      this.#host = messageOf(this)
      const isStatus = typeof init === 'number' || Status.codeOf(init) > 0
      assign(this, isStatus ? { status: init } : init, ['status', 'headers', 'entity'])
    }

    get status(): object {
      return Status.of(host.status(this.#host), host.reasonOf(this.#host))
    }

    set status(value: unknown) {
      const code = typeof value === 'number' ? value : Status.codeOf(value)
      values.write(this.#host, 'status', code)
    }

    get statusCode(): number {
      return host.status(this.#host)
    }

    set statusCode(value: unknown) {
      this.status = Number(value)
    }
  }

  for (const each of [Uri, Entity, AnyMessage, Request, Response]) Reflect.deleteProperty(each.prototype, 'constructor')
  return {
    classes: { Request, Response },
    request: (hostRequest, callGateway) => adopt(hostRequest, callGateway, Request),
    response: (hostResponse, callGateway) => adopt(hostResponse, callGateway, Response),
    hostRequest: (value) => hostRequestOf(value),
    hostResponse: (value) => hostResponseOf(value),
  }
}
