import { isIP } from 'node:net'
import type { ClientSettings } from '#client'
import type { JsonValue } from '#json'
import type { Environment } from '#schema'

/** Supported options of `vertx`; undefined if absent. */
interface OptionValues {
  readonly maxWaitQueueSize?: number
  readonly maxHeaderSize?: number
  readonly keepAlive?: boolean
  readonly keepAliveTimeout?: number
  readonly http2MaxPoolSize?: number
  readonly http2MultiplexingLimit?: number
  readonly http2KeepAliveTimeout?: number
  readonly localAddress?: string
}

type Reading = (value: JsonValue) => number | boolean | string | null

/** Each waiting request occupies a socket and some memory, for connectionTimeout at most. */
const DEFAULT_WAIT_QUEUE = 10_000
const MAX_HEADER_BYTES = 16_777_216

const integerFrom =
  (least: number, most = 2 ** 31 - 1): Reading =>
  (value) => {
    const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value
    return typeof number === 'number' && Number.isSafeInteger(number) && number >= least && number <= most
      ? number
      : null
  }

const truth: Reading = (value) => {
  if (typeof value === 'boolean') return value
  return value === 'true' ? true : value === 'false' ? false : null
}

const READINGS: Readonly<Record<string, { readonly read: Reading; readonly expected: string }>> = {
  maxWaitQueueSize: { read: integerFrom(-1), expected: 'an integer of at least -1' },
  maxHeaderSize: { read: integerFrom(1024, MAX_HEADER_BYTES), expected: 'an integer from 1024 to 16777216' },
  maxChunkSize: { read: integerFrom(1), expected: 'an integer of at least 1' },
  keepAlive: { read: truth, expected: 'true or false' },
  keepAliveTimeout: { read: integerFrom(0), expected: 'a number of seconds' },
  http2MaxPoolSize: { read: integerFrom(1), expected: 'an integer of at least 1' },
  http2MultiplexingLimit: {
    read: (value) => (value === 0 ? null : integerFrom(-1)(value)),
    expected: '-1 or an integer of at least 1',
  },
  http2KeepAliveTimeout: { read: integerFrom(0), expected: 'a number of seconds' },
  localAddress: {
    read: (value) => (typeof value === 'string' && isIP(value) !== 0 ? value : null),
    expected: 'an IP address of this machine',
  },
}

type Options = Readonly<Record<string, JsonValue>>

/** Reports invalid values of options. */
export function checkClientOptions(
  vertx: Options,
  report: (path: string, message: string) => void,
  warn: (message: string) => void,
): void {
  const unknown = Object.keys(vertx).filter((name) => !Object.hasOwn(READINGS, name))
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(', ')
    warn(`vertx: ${names}: no counterpart in this gateway; without effect`)
  }
  for (const [name, { read, expected }] of Object.entries(READINGS)) {
    const value = vertx[name]
    if (value === undefined || read(value) !== null) continue
    report(`/vertx/${name}`, `expected ${expected}, got ${JSON.stringify(value)}`)
  }
}

/** Client options from `vertx`. */
export function clientOptionsOf(
  vertx: Options,
  http2: ClientSettings['http2'],
  env: Environment,
): Partial<ClientSettings> & Pick<ClientSettings, 'maxWaitQueueSize'> {
  const values = valuesOf(vertx)
  const { maxWaitQueueSize = DEFAULT_WAIT_QUEUE, maxHeaderSize, keepAliveTimeout, localAddress } = values
  return {
    maxWaitQueueSize: maxWaitQueueSize < 0 ? Number.POSITIVE_INFINITY : Math.ceil(maxWaitQueueSize / env.units),
    http2: http2 ? { ...http2, ...http2LimitsOf(values, env.units) } : null,
    ...(maxHeaderSize === undefined ? {} : { maxHeaderBytes: maxHeaderSize }),
    ...(keepAliveTimeout === undefined ? {} : { idleTime: seconds(keepAliveTimeout) }),
    ...(localAddress === undefined ? {} : { localAddress }),
    ...(values.keepAlive === false ? { disableReuseConnection: true } : {}),
  }
}

function valuesOf(vertx: Options): OptionValues {
  const given = Object.entries(READINGS).filter(([name]) => vertx[name] !== undefined)
  return Object.fromEntries(given.map(([name, { read }]) => [name, read(vertx[name]!)])) as OptionValues
}

function http2LimitsOf(values: OptionValues, units: number) {
  const { http2MaxPoolSize, http2MultiplexingLimit = -1, http2KeepAliveTimeout } = values
  return {
    maxSessions: http2MaxPoolSize === undefined ? null : Math.max(1, Math.floor(http2MaxPoolSize / units)),
    maxStreams: http2MultiplexingLimit < 0 ? null : http2MultiplexingLimit,
    idleTime: http2KeepAliveTimeout === undefined ? null : seconds(http2KeepAliveTimeout),
  }
}

/** As in Vert.x, 0 means no limit. */
function seconds(count: number): number {
  return count === 0 ? Number.POSITIVE_INFINITY : count * 1_000
}
