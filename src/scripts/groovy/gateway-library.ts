// All classes that scripts of the gateway can use. Importing a table adds the members of its classes.
import './status.ts'
import './headers.ts'
import './cookies.ts'
import './header-classes.ts'
import './entity.ts'
import './messages.ts'
import './form.ts'
import './uri.ts'
import './uris.ts'
import './functional.ts'
import './promise.ts'
import './contexts.ts'
import './audit-contexts.ts'
import './handlers.ts'
import './json-pointer.ts'
import './json-value.ts'
import './json-functions.ts'
import './base64.ts'
import './closeables.ts'
import './access-token-info.ts'
import './throttling-rate.ts'
import './jwt-constraints.ts'
import './jose/handler-creation.ts'
import './jose/builders.ts'
import './jose/reconstruction.ts'
import { type ClassInfo, coreLibrary, type Library } from '@identity-gateway/groovy'
import { AuditClass } from './audit.ts'
import { FileClass } from './files.ts'
import { ClientClass, HandlerClass } from './handlers.ts'
import { gatewayClasses } from './host-class.ts'
import { LoggerClass, LoggerFactoryClass } from './logger.ts'
import { RequestClass } from './message-values.ts'
import { SecretsClass } from './secrets.ts'
import { UNSUPPORTED_CLASSES } from './unsupported-classes.ts'
import { CONNECTION_CLASSES } from './url-connection.ts'

/** Packages below which the gateway's classes are found by their simple names. */
const PACKAGES = ['org.forgerock.', 'org.openidentityplatform.', 'com.forgerock.', 'org.pingidentity.']

/** Classes that need no import beside those of `http.protocol`. */
const AUTOMATIC = [
  'http.Client',
  'http.Filter',
  'http.Handler',
  'http.MutableUri',
  'http.util.Uris',
  'json.JsonValue',
  'services.context.Context',
  'util.AsyncFunction',
  'util.Function',
  'util.promise.NeverThrowsException',
  'util.promise.Promise',
  'openig.filter.throttling.ThrottlingRate',
].map((name) => `org.forgerock.${name}`)

const protocolClasses = gatewayClasses()
  .map(({ name }) => name)
  .filter((name) => /^org\.forgerock\.http\.protocol\.\w+$/.test(name))

/** The library that scripts of the gateway are compiled with. */
export const gatewayLibrary: Library = coreLibrary()
  .with([LoggerClass, LoggerFactoryClass, FileClass, ...CONNECTION_CLASSES], [], UNSUPPORTED_CLASSES)
  .withFamily(PACKAGES, gatewayClasses(), [...protocolClasses, ...AUTOMATIC])

/** Classes of bindings whose members are checked when a script is compiled. */
export const BINDING_CLASSES: ReadonlyMap<string, ClassInfo> = new Map([
  ['request', RequestClass],
  ['http', ClientClass],
  ['next', HandlerClass],
  ['audit', AuditClass],
  ['secrets', SecretsClass],
  ['logger', LoggerClass],
])
