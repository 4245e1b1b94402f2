// Handlers that a script sends requests to, and objects of the heap.
import { type ClassInfo, GroovyObject, type Value } from '@identity-gateway/groovy'
import { HeapObject } from '../evaluation-port.ts'
import { callGateway, callHandler } from './evaluation-host.ts'
import { extendWithHost, gatewayInterface } from './host-class.ts'
import { convertHost } from './host-values.ts'
import type { RequestValue } from './message-values.ts'
import { PromiseValue } from './promise.ts'

export const ClientClass = gatewayInterface('http.Client', null)
export const HandlerClass = gatewayInterface('http.Handler', 'handle')
const FilterClass = gatewayInterface('http.Filter', 'filter')
const ResolverClass = gatewayInterface('http.oauth2.AccessTokenResolver', 'resolve')
const ResourceAccessClass = gatewayInterface('http.oauth2.ResourceAccess', 'getRequiredScopes')

type Send = (request: RequestValue) => Promise<Value>

/** `http` and `next`. */
export class SenderValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly send: Send

  constructor(klass: ClassInfo, send: Send) {
    super()
    this.klass = klass
    this.send = send
  }

  static http(): SenderValue {
    return new SenderValue(ClientClass, ({ host }) => callHandler('send', host))
  }

  static next(): SenderValue {
    return new SenderValue(HandlerClass, ({ host }) => callHandler('next', host))
  }
}

/** An object of the heap other than a handler. */
class HeapValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly host: HeapObject

  constructor(klass: ClassInfo, host: HeapObject) {
    super()
    this.klass = klass
    this.host = host
  }
}

const KINDS: Readonly<Record<string, ClassInfo>> = {
  Filter: FilterClass,
  AccessTokenResolver: ResolverClass,
  ResourceAccess: ResourceAccessClass,
}

convertHost(HeapObject, (object) => {
  if (object.kind === 'Handler') {
    return new SenderValue(HandlerClass, ({ host }) => callHandler('handle', object, host))
  }
  const klass = KINDS[object.kind]
  return klass === undefined ? null : new HeapValue(klass, object)
})

const send = (self: SenderValue, request: RequestValue): Value => new PromiseValue(self.send(request))
const sendWithContext = (self: SenderValue, _context: Value, request: RequestValue): Value => send(self, request)

extendWithHost(ClientClass, {
  'send(Request request): Promise': send,
  'send(Object? context, Request request): Promise': sendWithContext,
})
extendWithHost(HandlerClass, {
  'handle(Object? context, Request request): Promise': sendWithContext,
})
extendWithHost(FilterClass, {
  'filter(Object? context, Request request, Object... next): Promise': (
    { host }: HeapValue,
    _context: Value,
    request: RequestValue,
  ) => new PromiseValue(callHandler('filter', host, request.host)),
})
extendWithHost(ResolverClass, {
  'resolve(Object? context, String token): Promise': ({ host }: HeapValue, _context: Value, token: string) =>
    new PromiseValue(callGateway('resolve', host, token)),
})
extendWithHost(ResourceAccessClass, {
  'getRequiredScopes(Object... arguments): Promise': ({ host }: HeapValue) =>
    new PromiseValue(callGateway('scopes', host)),
})
