import { isIP } from 'node:net'
import { FilterKind, ServerTlsKind, TemporaryStorageKind } from '#contracts'
import { documentType } from '#heap'
import { DEFAULT_ENTITY_LIMITS } from '#http'
import {
  boolean,
  config,
  duration,
  field,
  integer,
  json,
  list,
  listOrOne,
  map,
  object,
  oneOf,
  ref,
  string,
} from '#schema'

const timing = {
  gracePeriod: config(duration({ unlimited: false }))
    .prefault('10 seconds')
    .meta({
      description: 'How long running requests may take to end when the gateway stops; `disabled` cuts them at once.',
    }),
  requestTimeout: config(duration()).prefault('5 minutes').meta({
    description:
      'A request body that takes longer than this must bring at least 1 KiB in each `idleTimeout`; one that moves faster is not cut. `unlimited` asks for no such minimum.',
  }),
  headersTimeout: config(duration({ unlimited: false }))
    .prefault('30 seconds')
    .meta({ description: 'Longest time in which a request head must have arrived.' }),
  keepAliveTimeout: config(duration())
    .prefault('1 minute')
    .meta({ description: 'How long an idle connection is kept open.' }),
  idleTimeout: config(duration()).prefault('2 minutes').meta({
    description:
      'A client that sends nothing of its request body (408) or takes nothing of its response for so long is cut off.',
  }),
  maxTotalHeadersSize: config(integer({ min: 1024, max: 1_048_576 }))
    .prefault(16_384)
    .meta({ description: 'Bytes of all headers together; over it the answer is 431.' }),
  vertx: map(json())
    .prefault({})
    .meta({ description: 'Options of another server engine, mapped where there is a counterpart.' }),
  tls: ref(ServerTlsKind)
    .optional()
    .meta({ description: 'TLS of the connector; without it the connector speaks clear text.' }),
}

const port = config(integer({ min: 0, max: 65_535 }))

const connector = object({
  port: listOrOne(port).meta({ description: 'Port or ports to listen on; 0 takes a free one.' }),
  host: config(string({ nonEmpty: true }))
    .prefault('0.0.0.0')
    .meta({ description: 'Address to listen on.' }),
  ...timing,
})

const adminConnector = object({
  port: port.prefault(8085).meta({ description: 'Port of all management endpoints.' }),
  host: config(string({ nonEmpty: true }))
    .prefault('127.0.0.1')
    .meta({ description: 'Address to listen on.' }),
  allowedHosts: list(config(string({ nonEmpty: true })))
    .prefault([])
    .meta({ description: 'Further host names by which this connector may be called (threats B84).' }),
  ...timing,
})

/** An address or a CIDR block. */
const network = field<string>(
  { label: 'an address or CIDR block', schema: () => ({ type: 'string' }) },
  (value, report) => {
    const [address = '', bits, ...more] = typeof value === 'string' ? value.split('/') : []
    const family = isIP(address)
    const prefix = bits === undefined ? 0 : Number(bits)
    const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && prefix <= (family === 4 ? 32 : 128))
    if (family === 0 || !fits || more.length > 0)
      report(`expected an address or CIDR block such as "10.0.0.0/8", got ${JSON.stringify(value)}`)
    return value as string
  },
)

const LATER = 'sessions and auditing of management requests are not available in this version'

/** admin.json (decisions 2). */
export const AdminDocument = documentType({
  connectors: list(connector, { nonEmpty: true })
    .prefault([{ port: 8080 }])
    .meta({ description: 'Listeners for traffic.' }),
  adminConnector: adminConnector.prefault({}).meta({ description: 'Listener for management; never a traffic port.' }),
  prefix: config(string({ nonEmpty: true }))
    .prefault('gateway')
    .meta({
      description: 'First path segment that is reserved on traffic connectors and optional on the management one.',
    }),
  mode: config(oneOf(['PRODUCTION', 'DEVELOPMENT']))
    .optional()
    .meta({ description: 'PRODUCTION by default, or what GATEWAY_RUN_MODE says.' }),
  systemProperties: map(config(string())).prefault({}).meta({
    description:
      'What config.json and routes see as `system`, by name. `-Dname=value` of the command line and of the environment variable JAVA_OPTS stand before it.',
  }),
  gatewayUnits: config(integer({ min: 1, max: 256 }))
    .optional()
    .meta({ description: 'Parallel data-plane units; one for each CPU by default.' }),
  streamingEnabled: config(boolean())
    .prefault(true)
    .meta({ description: 'Bodies stream; false buffers them before any filter runs.' }),
  entityLimits: object({
    bytes: config(integer({ min: 1, max: 1_073_741_824 }))
      .prefault(DEFAULT_ENTITY_LIMITS.bytes)
      .meta({ description: 'Bytes of a body, after its content coding is undone.' }),
    values: config(integer({ min: 1, max: 10_000_000 }))
      .prefault(DEFAULT_ENTITY_LIMITS.values)
      .meta({ description: 'Values of its JSON, or fields of its form.' }),
  })
    .prefault({})
    .meta({
      description:
        'Limits on body content that expressions and scripts read; over them the evaluation fails. A body is parsed in one piece, about 10 ms for each MiB, in which its unit does nothing else.',
    }),
  scriptTimeout: config(duration({ min: '10 milliseconds', max: '1 minute' }))
    .prefault('1 second')
    .meta({
      description: 'Longest time a script may run without a pause; then it is stopped, and the request gets 500.',
    }),
  patchTransform: config(boolean()).optional().meta({
    description:
      'Whether patches of routes may run scripts of the scripts folder; by default only in DEVELOPMENT mode.',
  }),
  scriptDeadline: config(duration({ min: '10 milliseconds', max: '1 day' }))
    .prefault('30 seconds')
    .meta({ description: 'Longest time one evaluation of a script may take in all; then the request gets 500.' }),
  scriptEnvironment: list(config(string({ nonEmpty: true })))
    .prefault([])
    .meta({
      description:
        'Variables of the environment that scripts of Groovy may read with `System.getenv`; `*` in a name stands for any characters.',
    }),
  temporaryDirectory: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'Folder of temporary files; `tmp` of the instance by default.' }),
  temporaryStorage: ref(TemporaryStorageKind)
    .prefault('TemporaryStorage')
    .meta({ description: 'Where bodies of management requests are buffered.' }),
  trustedProxies: list(config(network))
    .prefault([])
    .meta({ description: 'Proxies whose X-Forwarded-* and Forwarded headers are believed.' }),
  trustedForwardingHeader: config(oneOf(['Forwarded', 'X-Forwarded-For']))
    .optional()
    .meta({
      description:
        'The header by which those proxies describe the client; the other one, and its companions, are dropped. Without it either counts, and a request is refused with 400 where the two disagree.',
    }),
  trustTransactionHeader: config(boolean())
    .prefault(false)
    .meta({ description: 'Whether transaction ids of clients are taken over.' }),
  transactionIdHeader: config(string({ nonEmpty: true }))
    .prefault('X-Vendor-TransactionId')
    .meta({ description: 'Header that carries the transaction id.' }),
  adminProtection: ref(FilterKind)
    .optional()
    .meta({ description: 'Filter that guards the management API in place of the admin credentials.' }),
  logging: object({
    level: config(oneOf(['trace', 'debug', 'info', 'warn', 'error']))
      .optional()
      .meta({ description: 'Least level that is logged; info, or what GATEWAY_LOG_LEVEL says.' }),
    format: config(oneOf(['auto', 'json', 'pretty']))
      .prefault('auto')
      .meta({ description: 'auto: readable on a terminal, JSON elsewhere.' }),
  })
    .prefault({})
    .meta({ description: 'How the gateway logs.' }),
  vertx: map(config(json())).prefault({}).meta({
    description:
      'Options of another server engine. webSocketSubProtocols: list of the WebSocket subprotocols that are relayed, all of them by default; a client that wants only others is refused. Other options are named in a warning.',
  }),
  session: json().optional().meta({ description: 'Sessions of management requests.', unsupported: LATER }),
  auditService: json().optional().meta({ description: 'Audit of management requests.', unsupported: LATER }),
})
