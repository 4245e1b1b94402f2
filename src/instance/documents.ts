import { AuditServiceKind, HandlerKind, SessionManagerKind, TemporaryStorageKind } from '#contracts'
import { documentType, secretsField } from '#heap'
import { condition, type DocumentSource, ref, renames, string } from '#schema'
import { ADMIN_FILE } from './admin-document.ts'
import { DEFAULT_OBJECTS } from './default-objects.ts'

/** Keys of files for older gateways (decisions 4). */
const LEGACY = ['audit', 'monitor']

/** Fields of OpenIG 2. */
const OLDER = renames({ handlerObject: 'handler' })

/** A route: a document with a condition and a handler. */
export const RouteDocument = documentType(
  {
    name: string({ nonEmpty: true })
      .optional()
      .meta({ description: 'Name by which the router sorts routes; the route ID by default.' }),
    condition: condition()
      .default('${true}')
      .meta({ description: 'Requests for which it is true are dispatched to this route.' }),
    handler: ref(HandlerKind).meta({ description: 'Handler to which requests are dispatched.' }),
    session: ref(SessionManagerKind).optional().meta({
      description: 'Session manager of this route; the session of the enclosing configuration is not visible inside.',
    }),
    auditService: ref(AuditServiceKind).optional().meta({ description: 'Audit service of the route.' }),
    secrets: secretsField(),
  },
  { legacy: LEGACY, older: OLDER },
)

/** config.json: the root handler and the heap that every route inherits from. */
export const RootDocument = documentType(
  {
    handler: ref(HandlerKind).meta({ description: 'Handler that gets every request, usually a Router.' }),
    temporaryStorage: ref(TemporaryStorageKind)
      .default('TemporaryStorage')
      .meta({ description: 'Storage for buffered bodies, which expressions or filters read.' }),
    session: ref(SessionManagerKind)
      .default('Session')
      .meta({ description: 'Session manager of all routes without one of their own.' }),
    auditService: ref(AuditServiceKind).optional().meta({ description: 'Audit service of the gateway.' }),
    secrets: secretsField(),
  },
  { legacy: LEGACY, older: OLDER },
)

/** Source of the JSON Schema and the reference page of config.json. */
const CONFIG_FILE: DocumentSource = {
  name: 'config',
  title: 'config.json',
  description: 'The main configuration of the gateway: the handler that gets every request, and its objects.',
  document: RootDocument,
  defaults: DEFAULT_OBJECTS,
  inherits: false,
}

/** Source of the JSON Schema and the reference page of route files. */
export const ROUTE_FILE: DocumentSource = {
  name: 'route',
  title: 'Route',
  description: 'A route of the gateway: a condition, a handler, and the objects they need.',
  document: RouteDocument,
  defaults: DEFAULT_OBJECTS,
  inherits: true,
}

/** Every kind of configuration file. */
export const CONFIGURATION_FILES: readonly DocumentSource[] = [ADMIN_FILE, CONFIG_FILE, ROUTE_FILE]
