// The contexts by which scripts add to the access event.
import type { Value } from '#groovy'
import { type ContextValue, contextClass } from './contexts.ts'
import { extendWithHost } from './host-class.ts'
import { toHost } from './host-values.ts'

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
