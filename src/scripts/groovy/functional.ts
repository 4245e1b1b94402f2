// Interfaces that scripts implement with closures or classes of their own, and exceptions that they name.
import { ABSTRACT, defineException, exceptions, extend } from '#groovy'
import { gatewayInterface } from './host-class.ts'

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
export const AccessTokenException = defineException(
  'org.forgerock.http.oauth2.AccessTokenException',
  exceptions.ExceptionClass,
)

/** Exceptions of the gateway's classes. */
export const gatewayExceptions = [
  defineException('org.forgerock.util.promise.NeverThrowsException', exceptions.RuntimeException),
  defineException('org.forgerock.util.promise.PromiseException', exceptions.RuntimeException),
  defineException('org.forgerock.openig.handler.HandlerException', exceptions.ExceptionClass),
  defineException('org.forgerock.http.protocol.ResponseException', exceptions.ExceptionClass),
  AccessTokenException,
]
