import { FilterKind, ServerTlsKind, TemporaryStorageKind } from '#contracts'
import { documentType } from '#heap'
import {
  config,
  duration,
  integer,
  json,
  list,
  listOrOne,
  map,
  object,
  oneOf,
  ref,
  SETTING_FIELDS,
  string,
} from '#schema'

const timing = {
  gracePeriod: config(duration({ unlimited: false }))
    .default('10 seconds')
    .meta({
      description: 'How long running requests may take to end when the gateway stops; `disabled` cuts them at once.',
    }),
  requestTimeout: config(duration()).default('5 minutes').meta({
    description:
      'A request body that takes longer than this must bring at least 1 KiB in each `idleTimeout`; one that moves faster is not cut. `unlimited` asks for no such minimum.',
  }),
  headersTimeout: config(duration({ unlimited: false }))
    .default('30 seconds')
    .meta({ description: 'Longest time in which a request head must have arrived.' }),
  keepAliveTimeout: config(duration())
    .default('1 minute')
    .meta({ description: 'How long an idle connection is kept open.' }),
  idleTimeout: config(duration()).default('2 minutes').meta({
    description:
      'A client that sends nothing of its request body (408) or takes nothing of its response for so long is cut off.',
  }),
  maxTotalHeadersSize: config(integer({ min: 1024, max: 1_048_576 }))
    .default(16_384)
    .meta({ description: 'Bytes of all headers together; over it the answer is 431.' }),
  vertx: map(json())
    .default({})
    .meta({ description: 'Options of another server engine, mapped where there is a counterpart.' }),
  tls: ref(ServerTlsKind)
    .optional()
    .meta({ description: 'TLS of the connector; without it the connector speaks clear text.' }),
}

const port = config(integer({ min: 0, max: 65_535 }))

const connector = object({
  port: listOrOne(port).meta({ description: 'Port or ports to listen on; 0 takes a free one.' }),
  host: config(string({ nonEmpty: true }))
    .default('0.0.0.0')
    .meta({ description: 'Address to listen on.' }),
  ...timing,
})

const adminConnector = object({
  port: port.default(8085).meta({ description: 'Port of all management endpoints.' }),
  host: config(string({ nonEmpty: true }))
    .default('127.0.0.1')
    .meta({ description: 'Address to listen on.' }),
  allowedHosts: list(config(string({ nonEmpty: true })))
    .default([])
    .meta({ description: 'Further host names by which this connector may be called (threats B84).' }),
  ...timing,
})

const LATER = 'sessions and auditing of management requests are not available in this version'

/** admin.json (decisions 2). */
export const AdminDocument = documentType({
  connectors: list(connector, { nonEmpty: true })
    .default([{ port: 8080 }])
    .meta({ description: 'Listeners for traffic.' }),
  adminConnector: adminConnector.default({}).meta({ description: 'Listener for management; never a traffic port.' }),
  ...SETTING_FIELDS,
  mode: config(oneOf(['PRODUCTION', 'DEVELOPMENT']))
    .optional()
    .meta({ description: 'PRODUCTION by default, or what GATEWAY_RUN_MODE says.' }),
  systemProperties: map(config(string())).default({}).meta({
    description:
      'What config.json and routes see as `system`, by name. `-Dname=value` of the command line and of the environment variable JAVA_OPTS stand before it.',
  }),
  gatewayUnits: config(integer({ min: 1, max: 256 }))
    .optional()
    .meta({ description: 'Parallel data-plane units; one for each CPU by default.' }),
  temporaryDirectory: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'Folder of temporary files; `tmp` of the instance by default.' }),
  temporaryStorage: ref(TemporaryStorageKind)
    .default('TemporaryStorage')
    .meta({ description: 'Where bodies of management requests are buffered.' }),
  adminProtection: ref(FilterKind)
    .optional()
    .meta({ description: 'Filter that guards the management API in place of the admin credentials.' }),
  logging: object({
    level: config(oneOf(['trace', 'debug', 'info', 'warn', 'error']))
      .optional()
      .meta({ description: 'Least level that is logged; info, or what GATEWAY_LOG_LEVEL says.' }),
    format: config(oneOf(['auto', 'json', 'pretty']))
      .default('auto')
      .meta({ description: 'auto: readable on a terminal, JSON elsewhere.' }),
  })
    .default({})
    .meta({ description: 'How the gateway logs.' }),
  vertx: map(config(json())).default({}).meta({
    description:
      'Options of another server engine. webSocketSubProtocols: list of the WebSocket subprotocols that are relayed, all of them by default; a client that wants only others is refused. Other options are named in a warning.',
  }),
  session: json().optional().meta({ description: 'Sessions of management requests.', unsupported: LATER }),
  auditService: json().optional().meta({ description: 'Audit of management requests.', unsupported: LATER }),
})
