import { exceptions, invokeMethod, NativeClosure, settled, ThrowableValue, type Value } from '@identity-gateway/groovy'
import { extendWithHost, gatewayClass } from './host-class.ts'

/** Closes what is not null, and ignores an IOException. */
function closeSilently(resources: readonly Value[]): null {
  for (const each of resources) {
    try {
      if (each !== null) settled(invokeMethod(each, 'close', []), 'close')
    } catch (error) {
      if (!(error instanceof ThrowableValue) || !error.klass.isSubclassOf(exceptions.IOException)) throw error
    }
  }
  return null
}

extendWithHost(gatewayClass('util.Closeables'), {
  'static closeSilently(Object... resources): void': closeSilently,
  'static closeSilentlyAsync(Object... resources): Runnable': (resources: Value[]) =>
    new NativeClosure(null, [], () => closeSilently(resources)),
})
