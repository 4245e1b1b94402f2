import { type Exposure, exposed } from '#expression'
import { AccessAuditExtensionView, RequestAuditView } from './audit-contexts.ts'
import type { ClientInfo } from './client-info.ts'
import { type ContextLink, contextKey, findLink } from './context-link.ts'
import type { Exchange } from './exchange.ts'
import { SessionMap } from './session.ts'
import type { Uri } from './uri.ts'

/** The part of the path that routers have matched. */
export interface RouterInfo {
  readonly baseUri: string
  readonly matchedUri: string
  readonly remainingUri: string
  readonly originalUri: Uri
  readonly uriTemplateVariables: Readonly<Record<string, string>>
}

/** The context a router adds. */
export const RouterContext = contextKey<RouterInfo>('router')

interface BuiltIn {
  readonly name: string
  readonly value: (exchange: Exchange) => object
  /** Members of the view, where they are not the own properties of the value. */
  readonly exposure?: () => Exposure<ContextView>
}

/** The contexts of every exchange, from the root up, created on first use. */
const BUILT_IN: readonly BuiltIn[] = [
  { name: 'root', value: () => ({}) },
  { name: 'session', value: (exchange) => ({ session: new SessionMap(exchange.session) }) },
  { name: 'client', value: ({ client }) => client, exposure: () => CLIENT },
  { name: 'transactionId', value: ({ transactionId }) => ({ transactionId: { value: transactionId.value } }) },
  { name: 'requestAudit', value: (exchange) => new RequestAuditView(exchange) },
  { name: 'accessAuditExtension', value: (exchange) => new AccessAuditExtensionView(exchange) },
  { name: 'attributes', value: ({ attributes }) => ({ attributes }) },
  { name: 'router', value: routerValue },
]

/** Names of the contexts of every exchange. */
export const BUILT_IN_CONTEXTS: ReadonlySet<string> = new Set(BUILT_IN.map(({ name }) => name))

/** One context in expressions: the properties of its value, and its parent. */
class ContextView {
  readonly name: string
  readonly value: object
  readonly #exchange: Exchange
  readonly #link: ContextLink | null
  readonly #builtIn: number

  constructor(exchange: Exchange, link: ContextLink | null, builtIn: number) {
    this.#exchange = exchange
    this.#link = link
    this.#builtIn = builtIn
    this.name = link?.name ?? BUILT_IN[builtIn]!.name
    this.value = link?.value ?? BUILT_IN[builtIn]!.value(exchange)
  }

  get id(): string {
    let depth = this.#builtIn
    for (let link = this.#link; link !== null; link = link.parent) depth += 1
    return `${this.#exchange.id.text}-${depth}`
  }

  get parent(): ContextView | null {
    if (this.#link !== null) return nearestFrom(this.#exchange, this.#link.parent)
    return this.#builtIn === 0 ? null : new ContextView(this.#exchange, null, this.#builtIn - 1)
  }

  get root(): ContextView {
    return new ContextView(this.#exchange, null, 0)
  }

  get [exposed](): Exposure<ContextView> {
    const builtIn = this.#link === null ? BUILT_IN[this.#builtIn]!.exposure : undefined
    if (builtIn !== undefined) return builtIn()
    const own = exposureOf(this.value)
    return own === undefined ? PLAIN : merged(own)
  }
}

/** All contexts of an exchange by name; of several with one name the nearest. */
export class ContextsView {
  readonly exchange: Exchange

  constructor(exchange: Exchange) {
    this.exchange = exchange
  }

  get(name: string): ContextView | null {
    const link = findLink(this.exchange.contexts, name)
    if (link !== null) return new ContextView(this.exchange, link, BUILT_IN.length - 1)
    const builtIn = BUILT_IN.findIndex((each) => each.name === name)
    return builtIn < 0 ? null : new ContextView(this.exchange, null, builtIn)
  }

  names(): string[] {
    const names = new Set(BUILT_IN.map((each) => each.name))
    for (let link = this.exchange.contexts; link !== null; link = link.parent) names.add(link.name)
    return [...names]
  }

  get [exposed](): Exposure<ContextsView> {
    return CONTEXTS
  }
}

/** The context that was added last. */
export function leafContext(exchange: Exchange): ContextView {
  return nearestFrom(exchange, exchange.contexts)
}

function nearestFrom(exchange: Exchange, link: ContextLink | null): ContextView {
  return new ContextView(exchange, link, BUILT_IN.length - 1)
}

function routerValue({ originalUri, request }: Exchange): RouterInfo {
  return {
    baseUri: '',
    matchedUri: '',
    remainingUri: request.uri.rawPath,
    originalUri,
    uriTemplateVariables: Object.create(null),
  }
}

function exposureOf(value: object): Exposure<unknown> | undefined {
  return (value as { [exposed]?: Exposure<unknown> })[exposed]
}

function ownProperty(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : null
}

const PLACE: Record<string, (self: ContextView) => unknown> = {
  contextName: (self) => self.name,
  id: (self) => self.id,
  parent: (self) => self.parent,
  rootContext: (self) => self.root,
}

const PLAIN: Exposure<ContextView> = {
  kind: 'context',
  get: PLACE,
  index: (self, key) => ownProperty(self.value, String(key)),
  keys: (self) => Object.keys(self.value),
}

const client = (read: (client: ClientInfo) => unknown) => (self: ContextView) => read(self.value as ClientInfo)

const CLIENT: Exposure<ContextView> = {
  kind: 'context',
  get: {
    ...PLACE,
    remoteAddress: client((self) => self.remoteAddress),
    remotePort: client((self) => self.remotePort),
    remoteUser: client((self) => self.remoteUser),
    localAddress: client((self) => self.localAddress),
    localPort: client((self) => self.localPort),
    certificates: client((self) => self.certificates),
    userAgent: client((self) => self.userAgent),
    secure: client((self) => self.secure),
    external: client((self) => self.external),
  },
}

const CONTEXTS: Exposure<ContextsView> = {
  kind: 'contexts',
  index: (self, key) => self.get(String(key)),
  keys: (self) => self.names(),
}

const mergedByExposure = new WeakMap<Exposure<unknown>, Exposure<ContextView>>()

/** The exposure of a host value, through its context. */
function merged(own: Exposure<unknown>): Exposure<ContextView> {
  const known = mergedByExposure.get(own)
  if (known !== undefined) return known
  const { index, assignIndex, keys } = own
  const exposure: Exposure<ContextView> = {
    kind: own.kind,
    get: { ...through(own.get ?? {}), ...PLACE },
    set: through(own.set ?? {}),
    call: through(own.call ?? {}),
    ...(index === undefined ? {} : { index: (self: ContextView, key: string | number) => index(self.value, key) }),
    ...(assignIndex === undefined
      ? {}
      : {
          assignIndex: (self: ContextView, key: string | number, value: unknown) => assignIndex(self.value, key, value),
        }),
    ...(keys === undefined ? {} : { keys: (self: ContextView) => keys(self.value) }),
  }
  mergedByExposure.set(own, exposure)
  return exposure
}

function through<A extends unknown[], R>(
  table: Readonly<Record<string, (self: unknown, ...rest: A) => R>>,
): Record<string, (self: ContextView, ...rest: A) => R> {
  const result: Record<string, (self: ContextView, ...rest: A) => R> = Object.create(null)
  for (const name of Object.keys(table)) result[name] = (self, ...rest) => table[name]!(self.value, ...rest)
  return result
}
