// Static methods that scripts call without an import, as in PingGateway: `json(object(field('a', 1)))`, `newResultPromise(x)`.
import { invokeMethod, NativeClosure, type Value } from '@identity-gateway/groovy'
import { gatewayClasses } from './host-class.ts'

const FUNCTIONS: Readonly<Record<string, string>> = {
  json: 'JsonValue',
  object: 'JsonValue',
  array: 'JsonValue',
  field: 'JsonValue',
  fieldIfNotNull: 'JsonValue',
  newResultPromise: 'Promises',
  newExceptionPromise: 'Promises',
  newRuntimeExceptionPromise: 'Promises',
  newResponsePromise: 'Response',
}

/** The function with a name, for scripts that have neither a method nor a variable of that name. */
export function staticFunction(name: string): Value | undefined {
  const className = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
  const klass = gatewayClasses().find(({ simpleName }) => simpleName === className)
  if (klass === undefined) return undefined
  return new NativeClosure(null, [], (args) => invokeMethod(klass, name, [...args]))
}
