import type { ListenerSettings } from './settings.ts'

/** The `vertx` options of a connector as listener settings, with warnings for the others. */
interface MappedOptions {
  readonly options: Partial<ListenerSettings>
  readonly warnings: string[]
}

// First-class fields of the connector exist for these (field notes, `connectors[].vertx`).
const disallowed = new Set([
  'port',
  'useAlpn',
  'ssl',
  'enabledCipherSuites',
  'enabledSecureTransportProtocols',
  'jdkSslEngineOptions',
  'keyStoreOptions',
  'openSslEngineOptions',
  'pemKeyCertOptions',
  'pemTrustOptions',
  'pfxKeyCertOptions',
  'pfxTrustOptions',
  'trustStoreOptions',
  'clientAuth',
])

const unitsInMs: Readonly<Record<string, number>> = {
  NANOSECONDS: 1e-6,
  MICROSECONDS: 1e-3,
  MILLISECONDS: 1,
  SECONDS: 1000,
  MINUTES: 60_000,
  HOURS: 3_600_000,
  DAYS: 86_400_000,
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface Draft {
  readonly options: Mutable<Partial<ListenerSettings>>
  readonly server: Mutable<NonNullable<ListenerSettings['serverOptions']>>
  readonly vertx: Readonly<Record<string, unknown>>
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'

// Vert.x reads 0 as "no timeout".
const time = (value: number, unit: number) => (value === 0 ? Number.POSITIVE_INFINITY : value * unit)

/** Each maps one option, or returns the expected value. */
const mappings: Readonly<Record<string, (value: unknown, draft: Draft) => string | null>> = {
  acceptBacklog: (value, { server }) => {
    if (!isCount(value)) return 'a whole number'
    server.backlog = value
    return null
  },
  tcpNoDelay: (value, { server }) => {
    if (!isBoolean(value)) return 'true or false'
    server.noDelay = value
    return null
  },
  tcpKeepAlive: (value, { server }) => {
    if (!isBoolean(value)) return 'true or false'
    server.keepAlive = value
    return null
  },
  reusePort: (value, { options }) => {
    if (!isBoolean(value)) return 'true or false'
    options.reusePort = value
    return null
  },
  maxHeaderSize: (value, { options }) => {
    if (!isCount(value) || value === 0) return 'a number of bytes'
    options.maxTotalHeadersSize = value
    return null
  },
  http2ClearTextEnabled: (value, { options }) => {
    if (!isBoolean(value)) return 'true or false'
    options.http2ClearText = value
    return null
  },
  idleTimeout: (value, { options, vertx }) => {
    const unit = unitsInMs[String(vertx['idleTimeoutUnit'] ?? 'SECONDS')]
    if (!isCount(value) || unit === undefined) return 'a whole number, with idleTimeoutUnit a unit such as SECONDS'
    options.idleTimeout = time(value, unit)
    return null
  },
  idleTimeoutUnit: () => null,
  keepAliveTimeout: (value, { options }) => {
    if (!isCount(value)) return 'a whole number of seconds'
    options.keepAliveTimeout = time(value, 1000)
    return null
  },
}

/** Maps Vert.x HttpServerOptions to listener settings; every option without a counterpart is named in a warning. */
export function mapVertxServerOptions(vertx: Record<string, unknown>): MappedOptions {
  const draft: Draft = { options: {}, server: {}, vertx }
  const warnings: string[] = []
  for (const [name, value] of Object.entries(vertx)) {
    if (disallowed.has(name)) {
      warnings.push(`vertx.${name}: not allowed here and ignored; use the connector's own fields`)
    } else if (name === 'host' && typeof value === 'string') {
      draft.options.host = value
      warnings.push('vertx.host: deprecated; use host of the connector')
    } else if (!Object.hasOwn(mappings, name)) {
      warnings.push(`vertx.${name}: has no counterpart in this gateway and is ignored`)
    } else {
      const expected = mappings[name]!(value, draft)
      if (expected !== null) warnings.push(`vertx.${name}: expected ${expected}, got ${JSON.stringify(value)}; ignored`)
    }
  }
  if (Object.keys(draft.server).length > 0) draft.options.serverOptions = draft.server
  return { options: draft.options, warnings }
}
