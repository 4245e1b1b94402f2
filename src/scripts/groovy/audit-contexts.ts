// The contexts of the access event.
import type { Value } from '@identity-gateway/groovy'
import { type ContextValue, contextClass } from './contexts.ts'
import { extendWithHost } from './host-class.ts'
import { toHost } from './host-values.ts'

extendWithHost(contextClass('requestAudit'), {
  'getRequestReceivedTime(): long': (self: ContextValue) => self.get('requestReceivedTime') ?? null,
  'getUserId(): String': (self: ContextValue) => self.get('userId') ?? null,
  'setUserId(Object? userId): void': (self: ContextValue, userId: Value) => self.put('userId', userId),
  'getTrackingIds(): List': (self: ContextValue) => self.get('trackingIds') ?? null,
  'addTrackingId(Object? id): void': (self: ContextValue, id: Value) => {
    self.exposure.call?.['addTrackingId']?.(self.host, toHost(id))
    return null
  },
})

extendWithHost(contextClass('accessAuditExtension'), {
  'extendWith(String key, Object? value): AccessAuditExtensionContext': (
    self: ContextValue,
    key: string,
    value: Value,
  ) => {
    self.exposure.call?.['extendWith']?.(self.host, key, toHost(value))
    return self
  },
  'getExtensions(): Map': (self: ContextValue) => self.get('extensions') ?? null,
})
