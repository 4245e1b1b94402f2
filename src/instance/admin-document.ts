import {
  AuditServiceKind,
  ConfigurationStoreKind,
  FilterKind,
  HandlerKind,
  ServerTlsKind,
  SessionManagerKind,
  TemporaryStorageKind,
} from '#contracts'
import { documentType } from '#heap'
import type { Handler } from '#http'
import type { JsonObject } from '#json'
import {
  boolean,
  byShape,
  CONNECTOR_LIMITS,
  config,
  converted,
  type Deferred,
  type DocumentSource,
  duration,
  type Field,
  field,
  ignored,
  integer,
  json,
  list,
  listeningHost,
  listOrOne,
  map,
  type OlderSpelling,
  object,
  oneOf,
  Reference,
  ref,
  renames,
  SETTING_FIELDS,
  string,
} from '#schema'
import { ADMIN_DEFAULTS } from './default-objects.ts'
import { versionField } from './instance-version.ts'

/** The fields that all connectors have. */
const shared = {
  ...CONNECTOR_LIMITS,
  vertx: config(map(json()))
    .default({})
    .meta({ description: 'Options of Vert.x, mapped where they have a counterpart.' }),
  tls: ref(ServerTlsKind).optional().meta({ description: 'TLS of the connector; cleartext without it.' }),
}

const port = config(integer({ min: 0, max: 65_535 }))

const connector = object({
  port: listOrOne(port).meta({ description: 'Port or ports to listen on; 0 for a free one.' }),
  host: config(listeningHost())
    .default('0.0.0.0')
    .meta({ description: 'Address to listen on; `::` for all of IPv6 and IPv4.' }),
  ...shared,
})

const adminConnector = object({
  port: port.default(8085).meta({ description: 'Port of all management endpoints.' }),
  host: config(listeningHost()).default('127.0.0.1').meta({ description: 'Address to listen on.' }),
  allowedHosts: list(config(string({ nonEmpty: true })))
    .default([])
    .meta({ description: 'Further values of Host that this connector accepts (threats B84).' }),
  ...shared,
})

const ERROR_FORMATS = ['auto', 'html', 'json', 'none'] as const

/** A format, or a handler by its name in the heap or in place. */
const errors = formatOrHandler()

function formatOrHandler() {
  const handler = ref(HandlerKind)
  const { label, kinds } = handler.info.shape
  return field<(typeof ERROR_FORMATS)[number] | Deferred<Handler>>(
    {
      label: `${ERROR_FORMATS.join(', ')}, or ${label}`,
      schema: (render) => ({ anyOf: [{ enum: [...ERROR_FORMATS] }, render(handler)] }),
      ...(kinds !== undefined && { kinds }),
    },
    (value, report) => {
      const format = ERROR_FORMATS.find((each) => each === value)
      if (format !== undefined) return format
      const reference = handler.decode(value, report)
      if (reference instanceof Reference) reference.words = ERROR_FORMATS
      return reference
    },
  )
}

const MODES = ['PRODUCTION', 'DEVELOPMENT'] as const

/** OpenIG has EVALUATION where newer gateways have DEVELOPMENT (field-notes 0). */
const mode = modeOrOlder(oneOf(MODES))

function modeOrOlder(current: Field<(typeof MODES)[number]>) {
  const fileSchema = { type: 'string', enum: [...MODES, 'EVALUATION'] }
  return field({ ...current.info.shape, fileSchema }, (value, report) => {
    const isOlder = typeof value === 'string' && value.toUpperCase() === 'EVALUATION'
    return current.decode(isOlder ? 'DEVELOPMENT' : value, report)
  })
}

const MEMBERS = {
  version: versionField,
  connectors: list(connector, { nonEmpty: true })
    .default([{ port: 8080 }])
    .meta({ description: 'Listeners for traffic.' }),
  adminConnector: adminConnector.default({}).meta({ description: 'Listener for management; never a traffic port.' }),
  ...SETTING_FIELDS,
  mode: config(mode).optional().meta({
    description:
      'GATEWAY_RUN_MODE of the environment by default, otherwise PRODUCTION. EVALUATION of OpenIG is DEVELOPMENT.',
  }),
  systemProperties: map(config(string())).default({}).meta({
    description:
      'Values of `system` in config.json and routes, by name. `-Dname=value` of the command line and of the environment variables JAVA_OPTS, CATALINA_OPTS and IG_OPTS override them.',
  }),
  shutdownDelay: config(duration({ unlimited: false, max: '1 hour' }))
    .default('0 seconds')
    .meta({
      description:
        'Time from a stop signal to the drain: `/health/ready` is 503 at once, while connections are still accepted, so that load balancers stop sending first.',
    }),
  shareTrafficPorts: config(boolean()).default(false).meta({
    description:
      'Whether another process may listen on the same traffic ports, so that the system distributes connections over both; by default the second one does not start.',
  }),
  store: ref(ConfigurationStoreKind).optional().meta({
    description:
      'Where config.json, routes and scripts are, for many gateways: an EtcdStore. Without it they are the files of this instance.',
  }),
  instanceId: config(string({ nonEmpty: true }))
    .optional()
    .meta({
      description:
        'Name of this gateway among those of its `store`: letters, digits, `.`, `_` and `-`. By default the name of the host and a number that is kept in the state directory.',
    }),
  labels: map(config(string())).default({}).meta({
    description:
      'Labels of this gateway, such as `{ "stage": "canary" }`: a staged release of its `store` is served by gateways that have its labels.',
  }),
  gatewayUnits: config(integer({ min: 1, max: 256 }))
    .optional()
    .meta({
      description:
        'Number of parallel data-plane units; one for each CPU by default. More are useful where scripts or parsing block a unit for long.',
    }),
  temporaryDirectory: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'Folder of temporary files; `tmp` of the instance by default.' }),
  temporaryStorage: ref(TemporaryStorageKind)
    .default('TemporaryStorage')
    .meta({ description: 'Storage for buffered bodies of management requests.' }),
  adminProtection: ref(FilterKind)
    .optional()
    .meta({ description: 'Filter that protects the management API instead of the admin credentials.' }),
  studio: byShape({
    boolean: boolean(),
    object: object({
      idleTimeout: config(duration({ min: '1 second', max: '7 days', unlimited: false }))
        .default('30 minutes')
        .meta({ description: 'Time without a request after which a session ends.' }),
      sessionTimeout: config(duration({ min: '1 second', max: '30 days', unlimited: false }))
        .default('12 hours')
        .meta({ description: 'Time after which a session ends in any case.' }),
    }),
  })
    .default(true)
    .meta({
      description:
        'The Studio, at `/studio/` of the management connector: false switches it off, an object sets the limits of its sessions.',
    }),
  errors: errors.default('auto').meta({
    description:
      'Content of error responses that the gateway itself makes: `auto` (HTML or JSON where the Accept header names it, else plain text), `html`, `json` (RFC 9457), `none`, or a handler. Responses of applications and of a StaticResponseHandler are not changed.',
  }),
  logging: object({
    level: config(oneOf(['trace', 'debug', 'info', 'warn', 'error']))
      .optional()
      .meta({
        description: 'Lowest level that is logged; GATEWAY_LOG_LEVEL of the environment by default, otherwise info.',
      }),
    format: config(oneOf(['auto', 'json', 'pretty']))
      .default('auto')
      .meta({ description: 'auto: readable on a terminal, JSON elsewhere.' }),
  })
    .default({})
    .meta({ description: 'Settings of the log.' }),
  vertx: config(map(config(json())))
    .default({})
    .meta({
      description:
        'Options of Vert.x. webSocketSubProtocols: list of the WebSocket subprotocols that are relayed, all by default; a client that offers only others is rejected. Other options cause a warning.',
    }),
  openTelemetry: map(config(json())).default({}).meta({
    description:
      'Where traces and log entries are exported by OTLP over HTTP, for files that have it: `tracing` and `logging`, each with `enabled` and `exporter.config.endpoint`, and `tracing.sampler`. Variables of the environment such as OTEL_EXPORTER_OTLP_ENDPOINT win, and have more settings.',
  }),
  session: ref(SessionManagerKind).default('Session').meta({
    description:
      'Session manager of management requests, for a filter in `adminProtection` that logs in; by default sessions in memory, with the cookie `gateway-admin-session`. Traffic connectors remove cookies whose names begin with `gateway-admin-`.',
  }),
  auditService: ref(AuditServiceKind).default('AuditService').meta({
    description: 'Audit service of management requests; that of the name `AuditService` in the heap by default.',
  }),
  metricsProtection: ref(FilterKind).optional().meta({
    description: 'Filter that protects the metrics, also from callers on the same machine, instead of adminProtection.',
  }),
  studioProtection: ref(FilterKind).optional().meta({
    description: 'Filter that protects the pages of the Studio, which are open to all callers without it.',
  }),
  adminMaxBodyLength: config(integer({ min: -1 }))
    .default(-1)
    .meta({ description: 'Maximum bytes of the body of a management request; -1: 1 MiB.' }),
}

/** The session of PingGateway 2024 and before: its settings without a type. */
const SESSION_SETTINGS: OlderSpelling = {
  ...converted(
    ['session.cookie', 'session.timeout'],
    'session',
    'write session as { "type": "InMemorySessionManager", "config": { "cookie": ..., "timeout": ... } }. It is of management requests here: for the sessions of traffic write the same object as session of config.json',
    (old, { session }) => ({ session: sessionOf(old, session as JsonObject) }),
  ),
  // The old members are in the current field, which is therefore given too.
  current: null,
}

function sessionOf(old: JsonObject, others: JsonObject): JsonObject {
  const settings: JsonObject = {}
  for (const name of ['cookie', 'timeout']) {
    const value = old[`session.${name}`]
    if (value !== undefined) settings[name] = value
  }
  return { type: 'InMemorySessionManager', config: settings, ...others }
}

/** admin.json (decisions 2). */
export const AdminDocument = documentType(MEMBERS, {
  older: [
    ...renames({
      apiProtectionFilter: 'adminProtection',
      metricsProtectionFilter: 'metricsProtection',
      studioProtectionFilter: 'studioProtection',
    }),
    SESSION_SETTINGS,
    ignored('preserveOriginalQueryString', 'the query is always forwarded as it was received'),
    ignored('pidFileMode', 'the gateway writes no PID file'),
    ignored('serveDeprecatedPrometheusEndpoint', '/metrics/prometheus is always served'),
  ],
})

/** Source of the JSON Schema and the reference page of admin.json. */
export const ADMIN_FILE: DocumentSource = {
  name: 'admin',
  title: 'admin.json',
  description: 'The gateway itself: listeners, management, log, units and trust. It is read at start.',
  document: AdminDocument,
  defaults: ADMIN_DEFAULTS,
  inherits: false,
}
