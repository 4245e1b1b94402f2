import { isIP } from 'node:net'
import { DEFAULT_ENTITY_LIMITS } from '#http'
import { accessLogFields } from './access-log-fields.ts'
import { type DecodedMembers, list, object } from './composites.ts'
import { config } from './config-expression.ts'
import { decode } from './decode.ts'
import type { Settled } from './deferred.ts'
import { field } from './field.ts'
import { boolean, duration, integer, oneOf, string, token } from './scalars.ts'
import { settleValue } from './settle.ts'

/** An address or a CIDR block. */
const network = field<string>(
  {
    label: 'an address or CIDR block',
    schema: () => ({ type: 'string' }),
    fileSchema: { type: 'string', pattern: '^([0-9]+(\\.[0-9]+){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)(/[0-9]{1,3})?$' },
  },
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

/**
 * The fields of admin.json that are passed to every thread and object, as plain data. A new setting is one field here and its
 * use: `env.settings` in an object, `settings` of UnitSettings elsewhere.
 */
export const SETTING_FIELDS = {
  prefix: config(string({ nonEmpty: true }))
    .default('gateway')
    .meta({
      description: 'First path segment that is reserved on traffic connectors and optional on the management one.',
    }),
  streamingEnabled: config(boolean())
    .default(true)
    .meta({ description: 'True: bodies are streamed. False: they are buffered before any filter runs.' }),
  entityLimits: object({
    bytes: config(integer({ min: 1, max: 1_073_741_824 }))
      .default(DEFAULT_ENTITY_LIMITS.bytes)
      .meta({ description: 'Maximum bytes of a body, after its content coding is decoded.' }),
    values: config(integer({ min: 1, max: 10_000_000 }))
      .default(DEFAULT_ENTITY_LIMITS.values)
      .meta({ description: 'Maximum number of values in its JSON, or of fields in its form.' }),
    digits: config(integer({ min: 1, max: 60_000 }))
      .default(DEFAULT_ENTITY_LIMITS.digits)
      .meta({ description: 'Maximum digits of one number in its JSON; arithmetic with long numbers takes long.' }),
  })
    .default({})
    .meta({
      description:
        'Limits on body content that expressions and scripts read; if a body exceeds them, the evaluation fails. Parsing blocks its unit for about 10 ms for each MiB.',
    }),
  scriptTimeout: config(duration({ min: '10 milliseconds', max: '1 minute' }))
    .default('1 second')
    .meta({
      description:
        'Maximum time that a script may run, in JavaScript without a pause, in Groovy in all (time that it waits is not counted); then it is stopped, and the request gets 500.',
    }),
  scriptDeadline: config(duration({ min: '10 milliseconds', max: '1 day' }))
    .default('30 seconds')
    .meta({ description: 'Maximum total time of one evaluation of a script; then the request gets 500.' }),
  scriptEnvironment: list(config(string({ nonEmpty: true })))
    .default([])
    .meta({
      description:
        'Environment variables that Groovy scripts may read with `System.getenv`; `*` in a name matches any characters.',
    }),
  scriptFiles: list(config(string({ nonEmpty: true })))
    .default(['data', 'scripts'])
    .meta({
      description:
        'Folders and files of the instance that Groovy scripts may read with `File`. Those of `secrets`, `admin.json`, `config.json` and the routes are never readable.',
    }),
  patchTransform: config(boolean()).optional().meta({
    description:
      'Whether patches of routes may run scripts of the scripts folder; by default only in DEVELOPMENT mode.',
  }),
  unknownFields: config(oneOf(['error', 'warn']))
    .default('error')
    .meta({
      description:
        'warn: unknown fields of config.json and routes are ignored with a warning, for the time of a migration. error: they are problems, and the route is not loaded.',
    }),
  maxBodyLength: config(integer({ min: -1 }))
    .default(-1)
    .meta({
      description:
        'Maximum bytes of a request body where streamingEnabled is false; over it 413. -1: only the limit of the temporary storage.',
    }),
  trustedProxies: list(config(network))
    .default([])
    .meta({ description: 'Proxies whose X-Forwarded-* and Forwarded headers are trusted.' }),
  trustedForwardingHeader: config(oneOf(['Forwarded', 'X-Forwarded-For']))
    .optional()
    .meta({
      description:
        'The header that those proxies send about the client; the other one, and its related headers, are removed. Without it both are accepted, and a request in which they differ is rejected with 400.',
    }),
  trustTransactionHeader: config(boolean())
    .default(false)
    .meta({ description: 'Whether transaction ids of clients are accepted.' }),
  transactionIdHeader: config(token('a header name'))
    .default('X-Vendor-TransactionId')
    .meta({ description: 'Header with the transaction id.' }),
  transactionIdInResponse: config(boolean())
    .default(true)
    .meta({ description: 'Whether responses of traffic connectors carry the transaction id in that header.' }),
  trustTraceContext: config(boolean()).default(false).meta({
    description:
      'Whether `traceparent` and `tracestate` of any client are joined where the gateway traces; by default only those of trustedProxies, and others are replaced.',
  }),
  accessLog: accessLogFields.default({}).meta({
    description: 'One line for each request of the traffic connectors, when the request has ended.',
  }),
}

type SettingValues = Settled<DecodedMembers<typeof SETTING_FIELDS>>

/** Settings of admin.json, decoded once. Plain data: it crosses thread boundaries. */
export interface GatewaySettings extends SettingValues {
  /** WebSocket subprotocols that may be relayed (`vertx.webSocketSubProtocols`); null for all of them. */
  readonly webSocketSubProtocols: readonly string[] | null
}

/** Extracts the settings from the settled fields of admin.json. */
export function gatewaySettings(
  fields: SettingValues,
  webSocketSubProtocols: readonly string[] | null,
): GatewaySettings {
  const names = Object.keys(SETTING_FIELDS) as (keyof SettingValues)[]
  const values = Object.fromEntries(names.map((name) => [name, fields[name]])) as unknown as SettingValues
  return { ...values, webSocketSubProtocols }
}

/** The settings of an empty admin.json. */
export function defaultSettings(): GatewaySettings {
  const { value } = decode(object(SETTING_FIELDS), {}, '')
  const unused = (): never => {
    throw new Error('defaults are literals')
  }
  const context = { scope: { lookup: unused }, resolve: unused, inheritedSecrets: unused, report: unused, warn: unused }
  return gatewaySettings(settleValue(value, context, '') as SettingValues, null)
}
