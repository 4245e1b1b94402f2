// The contexts of a request. Classes are assigned by context name; a context with any other name has the class AddedContext.

import {
  type ClassInfo,
  classes,
  exceptions,
  InstantValue,
  javaUri,
  MapEntry,
  MapValue,
  textOf,
  type Value,
} from '@identity-gateway/groovy'
import { Instant } from '#expression'
import { exchangeScope } from '#http'
import { accessTokenValue } from './access-token-info.ts'
import type { EvaluationHost } from './evaluation-host.ts'
import { extendWithHost, gatewayClass, gatewayInterface } from './host-class.ts'
import { convertHost, toGroovy } from './host-values.ts'
import { callMissing, DataMapClass, ViewValue } from './host-views.ts'

const ContextInterface = gatewayInterface('services.context.Context', null, classes.MapInterface)

/** Names of contexts by their classes. */
const NAMES: Readonly<Record<string, string>> = {
  'services.context.RootContext': 'root',
  'services.context.ClientContext': 'client',
  'services.context.AttributesContext': 'attributes',
  'services.context.TransactionIdContext': 'transactionId',
  'services.context.RequestAuditContext': 'requestAudit',
  'openig.audit.AccessAuditExtensionContext': 'accessAuditExtension',
  'http.session.SessionContext': 'session',
  'http.routing.UriRouterContext': 'router',
  'http.oauth2.OAuth2Context': 'oauth2',
  'http.oauth2.CertificateThumbprintContext': 'certificateThumbprint',
  'openig.filter.oauth2.OAuth2InfoContext': 'oauth2Info',
  'openig.filter.oauth2.OAuth2FailureContext': 'oauth2Failure',
  'openig.filter.oauth2.OAuth2TokenExchangeContext': 'oauth2TokenExchange',
  'openig.openam.SsoTokenContext': 'ssoToken',
  'openig.openam.SessionInfoContext': 'amSession',
  'openig.openam.PolicyDecisionContext': 'policyDecision',
  'openig.openam.CdSsoContext': 'cdsso',
  'openig.openam.CdSsoFailureContext': 'cdssoFailure',
  'openig.openam.StsContext': 'sts',
  'openig.openam.UserProfileContext': 'userProfile',
  'openig.filter.jwt.JwtValidationContext': 'jwtValidation',
  'openig.filter.jwt.JwtValidationErrorContext': 'jwtValidationError',
  'openig.filter.jwt.JwtBuilderContext': 'jwtBuilder',
  'openig.filter.CapturedUserPasswordContext': 'capturedPassword',
}

const classesByName = new Map<string, ClassInfo>()
for (const [className, name] of Object.entries(NAMES)) {
  const klass = gatewayClass(className, { interfaces: [ContextInterface] })
  classesByName.set(name, klass)
}
const AddedContextClass = gatewayClass('services.context.AddedContext', { interfaces: [ContextInterface] })

convertHost(Instant, ({ epochMillis }) => InstantValue.ofMillis(BigInt(epochMillis)))

/** The class of the contexts of a name. */
export function contextClass(name: string): ClassInfo {
  return classesByName.get(name) ?? AddedContextClass
}

/** One context of the request. */
export class ContextValue extends ViewValue {
  readonly #host: EvaluationHost
  readonly #maps: ContextMaps

  constructor(view: object, host: EvaluationHost, maps: ContextMaps) {
    const name = new ViewValue(view).read('contextName') as string
    super(view, contextClass(name))
    this.#host = host
    this.#maps = maps
  }

  override get(key: Value): Value | undefined {
    const property = textOf(key)
    if (property === 'class') return this.klass
    if (property === 'session' && this.name === 'session') return this.#maps.session
    if (property === 'attributes' && this.name === 'attributes') return this.#maps.attributes
    if (this.name === 'accessAuditExtension') {
      if (property === 'extensions') return this.#maps.extensions
      // Entries are members of the context too, and live as in the map.
      if (!Object.hasOwn(this.exposure.get ?? {}, property)) return this.#maps.extensions.get(property)
    }
    const value = this.read(property)
    if (value === undefined || value === null) return undefined
    if (property === 'parent' || property === 'rootContext') return this.at(value as object)
    if (property === 'originalUri' && this.name === 'router') return javaUri(String(value))
    if (property === 'accessToken' && this.name === 'oauth2') return accessTokenValue(value as never)
    return toGroovy(value, DataMapClass)
  }

  get name(): string {
    return this.read('contextName') as string
  }

  /** Another context of the same request. */
  at(view: object): ContextValue {
    return new ContextValue(view, this.#host, this.#maps)
  }

  get parent(): ContextValue | null {
    const view = this.read('parent')
    return view === null || view === undefined ? null : this.at(view as object)
  }

  /** The nearest context that a predicate accepts, starting with this one. */
  nearest(matches: (context: ContextValue) => boolean): ContextValue | null {
    for (let each: ContextValue | null = this; each !== null; each = each.parent) if (matches(each)) return each
    return null
  }
}

/** The maps that contexts return. */
export interface ContextMaps {
  readonly session: Value
  readonly attributes: Value
  /** The custom entries of the access event. */
  readonly extensions: MapValue
}

/** The context added last. */
export function leafContext(host: EvaluationHost, maps: ContextMaps): ContextValue {
  return new ContextValue(lookUp(host, 'context'), host, maps)
}

function lookUp({ exchange }: EvaluationHost, name: 'context' | 'contexts'): object {
  return exchangeScope(exchange, null, { lookup: () => undefined }).lookup(name) as object
}

/** `contexts`: all contexts by name. */
export class ContextsMap extends MapValue {
  readonly #view: ViewValue
  readonly #leaf: ContextValue

  constructor(host: EvaluationHost, leaf: ContextValue) {
    super()
    this.#view = new ViewValue(lookUp(host, 'contexts'))
    this.#leaf = leaf
  }

  get klass(): ClassInfo {
    return classes.LinkedHashMapClass
  }

  get size(): number {
    return this.#view.size
  }

  get(key: Value): Value | undefined {
    const view = this.#view.read(textOf(key))
    return view === null || view === undefined ? undefined : this.#leaf.at(view as object)
  }

  has(key: Value): boolean {
    return this.get(key) !== undefined
  }

  put(): void {
    throw exceptions.unsupported('contexts are added by filters, not by scripts')
  }

  delete(): void {
    this.put()
  }

  clear(): void {
    this.put()
  }

  entries(): readonly MapEntry[] {
    return this.#view.keys().map((key) => new MapEntry(key, this.get(key) ?? null))
  }
}

const ofClass = (type: ClassInfo) => (context: ContextValue) => context.klass.isSubclassOf(type)
const named = (name: string) => (context: ContextValue) => context.name === name

function found(self: ContextValue, what: string, matches: (context: ContextValue) => boolean): Value {
  const context = self.nearest(matches)
  if (context === null) throw exceptions.illegalArgument(`No context ${what} found in this request`)
  return context
}

extendWithHost(ContextInterface, {
  'asContext(Class type): Object': (self: ContextValue, type: ClassInfo) =>
    found(self, `of type ${type.simpleName}`, ofClass(type)),
  'containsContext(Class type): boolean': (self: ContextValue, type: ClassInfo) => self.nearest(ofClass(type)) !== null,
  'containsContext(String name): boolean': (self: ContextValue, name: string) => self.nearest(named(name)) !== null,
  'getContext(String name): Context': (self: ContextValue, name: string) => found(self, `named ${name}`, named(name)),
  'methodMissing(String name, Object args): Object': callMissing,
  'getContextName(): String': (self: ContextValue) => self.name,
  'getParent(): Context': (self: ContextValue) => self.parent,
  'getId(): String': (self: ContextValue) => self.get('id') ?? null,
  'getRootContext(): Context': (self: ContextValue) => self.get('rootContext') ?? null,
  'isRootContext(): boolean': (self: ContextValue) => self.parent === null,
  'getSession(): Object': (self: ContextValue) => self.get('session') ?? null,
  'getAttributes(): Object': (self: ContextValue) => self.get('attributes') ?? null,
})
