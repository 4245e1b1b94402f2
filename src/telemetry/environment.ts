import type { SamplerPlan } from '#contracts'
import { readPairs } from './pairs.ts'
import { readSampler } from './sampler-variables.ts'
import { quoted, type Variables, variablesOf } from './variables.ts'

/** Kinds of telemetry. */
type Signal = 'traces' | 'metrics' | 'logs'

/** Where one signal is exported; plain data, times in milliseconds. */
export interface SignalPlan {
  readonly endpoint: string
  /** Whether `endpoint` has the path of the signal already. */
  readonly isWholeUrl: boolean
  readonly headers: readonly (readonly [string, string])[]
  readonly timeout: number
  readonly compression: 'none' | 'gzip'
  /** Files in PEM format; null for the trust of the platform, and for no client certificate. */
  readonly certificate: string | null
  readonly clientCertificate: string | null
  readonly clientKey: string | null
}

/** What the gateway exports; a signal is null where it is off. */
export interface TelemetryPlan {
  readonly signals: Readonly<Record<Signal, SignalPlan | null>>
  readonly sampler: SamplerPlan
  /** Attributes of the resource, without those of the process. */
  readonly resource: Readonly<Record<string, string>>
  readonly batch: { readonly delay: number; readonly maxQueue: number; readonly maxBatch: number }
  readonly metricInterval: number
}

/** Settings of `openTelemetry` in admin.json, for signals that no variable configures. */
export interface TelemetryDefaults {
  /** Whole URL of a signal that is switched on there. */
  readonly endpoints: Partial<Record<Signal, string>>
  readonly sampler?: SamplerPlan
  readonly resource?: Readonly<Record<string, string>>
}

const SIGNALS: readonly Signal[] = ['traces', 'metrics', 'logs']
const LOCAL_COLLECTOR = 'http://localhost:4318'
const TIMEOUT = 10_000
/** Bounds of the queue of spans and log records. */
const MAX_QUEUE = 1_000_000

/**
 * Reads the `OTEL_` variables. A value that is not supported is a warning of one sentence, and its default is used: telemetry
 * never keeps the gateway from starting.
 */
export function readTelemetryPlan(
  env: Readonly<Record<string, string | undefined>>,
  defaults: TelemetryDefaults = { endpoints: {} },
): { readonly plan: TelemetryPlan | null; readonly warnings: readonly string[] } {
  const warnings: string[] = []
  const variables = variablesOf(env, (warning) => warnings.push(warning))
  if (variables.flag('OTEL_SDK_DISABLED')) return { plan: null, warnings }
  const [traces, metrics, logs] = SIGNALS.map((signal) => signalPlan(signal, variables, defaults.endpoints[signal]))
  const signals = { traces: traces ?? null, metrics: metrics ?? null, logs: logs ?? null }
  if (Object.values(signals).every((plan) => plan === null)) return { plan: null, warnings }
  checkPropagators(variables)
  const maxQueue = variables.integer('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, MAX_QUEUE)
  return {
    plan: {
      signals,
      sampler: readSampler(variables, defaults.sampler),
      resource: resourceOf(variables, defaults.resource),
      batch: {
        maxQueue,
        maxBatch: Math.min(maxQueue, variables.integer('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, MAX_QUEUE)),
        delay: variables.integer('OTEL_BSP_SCHEDULE_DELAY', 5_000, 600_000),
      },
      metricInterval: variables.integer('OTEL_METRIC_EXPORT_INTERVAL', 60_000, 86_400_000),
    },
    warnings,
  }
}

/** Only the headers of W3C Trace Context are read and written; `baggage` is a header that passes unchanged. */
function checkPropagators(variables: Variables): void {
  const text = variables.text('OTEL_PROPAGATORS')
  const names = text?.split(',').map((name) => name.trim()) ?? ['tracecontext']
  if (names.includes('tracecontext') && names.every((name) => name === 'tracecontext' || name === 'baggage')) return
  const expected = 'tracecontext, with or without baggage'
  variables.warn(`OTEL_PROPAGATORS: expected ${expected}, got ${quoted(text ?? '')}; tracecontext is used`)
}

/** Null for a signal that is off: no endpoint is configured, or its exporter is `none`. */
function signalPlan(signal: Signal, variables: Variables, byDefault: string | undefined): SignalPlan | null {
  const upper = signal.toUpperCase()
  const exporter = variables.oneOf(`OTEL_${upper}_EXPORTER`, ['otlp', 'none'], null)
  if (exporter === 'none' || exporter === 'unsupported') return null
  const own = variables.text(`OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`)
  const shared = variables.text('OTEL_EXPORTER_OTLP_ENDPOINT')
  const fallback = exporter === 'otlp' ? LOCAL_COLLECTOR : null
  const endpoint = own ?? shared ?? byDefault ?? fallback
  if (endpoint === null) return null
  if (!isHttpUrl(endpoint)) {
    const name = own === null ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : `OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`
    const effect = own === null ? 'nothing is exported' : `no ${signal} are exported`
    variables.warn(`${name}: expected a URL such as ${LOCAL_COLLECTOR}; ${effect}`)
    return null
  }
  /** The variable of the signal, else that of all signals. */
  const name = (part: string): string => {
    const specific = `OTEL_EXPORTER_OTLP_${upper}_${part}`
    return variables.text(specific) === null ? `OTEL_EXPORTER_OTLP_${part}` : specific
  }
  if (!speaksHttp(name('PROTOCOL'), signal, variables)) return null
  const compression = variables.oneOf(name('COMPRESSION'), ['none', 'gzip'], 'none')
  return {
    endpoint,
    isWholeUrl: own !== null || (shared === null && byDefault !== undefined),
    headers: readPairs(name('HEADERS'), variables),
    timeout: variables.integer(name('TIMEOUT'), TIMEOUT, 600_000),
    compression: compression === 'gzip' ? 'gzip' : 'none',
    certificate: variables.text(name('CERTIFICATE')),
    clientCertificate: variables.text(name('CLIENT_CERTIFICATE')),
    clientKey: variables.text(name('CLIENT_KEY')),
  }
}

/** Receivers of OTLP over HTTP accept both encodings at one address, so that JSON may stand for protobuf; gRPC has another port. */
function speaksHttp(name: string, signal: Signal, variables: Variables): boolean {
  const protocol = variables.text(name) ?? 'http/json'
  if (protocol === 'http/json' || protocol === 'http/protobuf') return true
  const effect = name === 'OTEL_EXPORTER_OTLP_PROTOCOL' ? 'nothing is exported' : `no ${signal} are exported`
  variables.warn(`${name}: expected http/json or http/protobuf, got ${quoted(protocol)}; ${effect}`)
  return false
}

function resourceOf(variables: Variables, defaults: Readonly<Record<string, string>> = {}): Record<string, string> {
  const pairs = readPairs('OTEL_RESOURCE_ATTRIBUTES', variables)
  const name = variables.text('OTEL_SERVICE_NAME')
  return {
    'service.name': 'identity-gateway',
    ...defaults,
    ...Object.fromEntries(pairs),
    ...(name !== null && { 'service.name': name }),
  }
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
