// Interfaces that scripts implement with closures or classes of their own, and exceptions that they name.
import { ABSTRACT, exceptions, extend } from '@identity-gateway/groovy'
import { gatewayException, gatewayInterface } from './host-class.ts'

const CALLBACKS: readonly (readonly [string, string, string])[] = [
  ['util.Function', 'apply', 'apply(Object value): Object'],
  ['util.AsyncFunction', 'apply', 'apply(Object value): Object'],
  ['util.promise.Function', 'apply', 'apply(Object value): Object'],
  ['util.promise.ResultHandler', 'handleResult', 'handleResult(Object result): void'],
  ['util.promise.ExceptionHandler', 'handleException', 'handleException(Object error): void'],
  ['util.promise.RuntimeExceptionHandler', 'handleRuntimeException', 'handleRuntimeException(Object error): void'],
]

for (const [name, method, signature] of CALLBACKS) extend(gatewayInterface(name, method), { [signature]: ABSTRACT })

/** Rejects an access token in the script of a resolver. */
export const AccessTokenException = gatewayException('http.oauth2.AccessTokenException', exceptions.ExceptionClass)

gatewayException('util.promise.NeverThrowsException', exceptions.RuntimeException)
gatewayException('util.promise.PromiseException', exceptions.RuntimeException)
gatewayException('openig.handler.HandlerException', exceptions.ExceptionClass)
gatewayException('http.protocol.ResponseException', exceptions.ExceptionClass)
