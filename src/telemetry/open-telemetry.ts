import type { SamplerPlan } from '#contracts'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import type { TelemetryDefaults } from './environment.ts'

type Report = (pointer: string, message: string) => void

const LOCAL = 'http://localhost:4318/v1'

const SAMPLERS: Readonly<Record<string, SamplerPlan | 'ratio' | 'parentRatio'>> = {
  alwayson: { isParentBased: false, ratio: 1 },
  alwaysoff: { isParentBased: false, ratio: 0 },
  traceidratio: 'ratio',
  traceidratiobased: 'ratio',
  parentbasedalwayson: { isParentBased: true, ratio: 1 },
  parentbasedalwaysoff: { isParentBased: true, ratio: 0 },
  parentbasedtraceidratio: 'parentRatio',
  parentbasedtraceidratiobased: 'parentRatio',
}

/**
 * Reads `openTelemetry` of admin.json as PingGateway's files write it: `tracing` and `logging` with `enabled`, the endpoint of their
 * exporter, and a sampler. Other members are reported. `OTEL_` variables win.
 */
export function readOpenTelemetry(settings: Readonly<Record<string, JsonValue>>, report: Report): TelemetryDefaults {
  const endpoints: { traces?: string; logs?: string } = {}
  let sampler: SamplerPlan | undefined
  for (const [name, value] of Object.entries(settings)) {
    const pointer = `/${name}`
    if ((name !== 'tracing' && name !== 'logging') || !isPlainObject(value)) {
      report(pointer, 'has no effect: expected the objects tracing and logging; further settings are OTEL_ variables')
      continue
    }
    const signal = name === 'tracing' ? 'traces' : 'logs'
    const { enabled = false, exporter = {}, sampler: named, ...others } = value as JsonObject
    const isEnabled = enabled === true || enabled === 'true'
    if (!isEnabled && enabled !== false && enabled !== 'false') {
      report(`${pointer}/enabled`, 'expected true or false; false is used')
    }
    if (isEnabled) endpoints[signal] = endpointOf(exporter, `${pointer}/exporter`, report) ?? `${LOCAL}/${signal}`
    if (named !== undefined) sampler = samplerOf(named, `${pointer}/sampler`, report)
    for (const other of Object.keys(others)) report(`${pointer}/${other}`, 'has no effect; use an OTEL_ variable')
  }
  return { endpoints, ...(sampler !== undefined && { sampler }) }
}

function endpointOf(exporter: JsonValue, pointer: string, report: Report): string | null {
  if (!isPlainObject(exporter)) return null
  const { type = 'otlp', config = {} } = exporter as JsonObject
  if (type !== 'otlp') report(`${pointer}/type`, 'has no effect: otlp is used')
  const { endpoint, ...others } = isPlainObject(config) ? (config as JsonObject) : {}
  for (const other of Object.keys(others)) report(`${pointer}/config/${other}`, 'has no effect; use an OTEL_ variable')
  return typeof endpoint === 'string' ? endpoint : null
}

/** A name, or an object with `type` and the ratio in its `config`. */
function samplerOf(value: JsonValue, pointer: string, report: Report): SamplerPlan | undefined {
  const { type, config = {} } = isPlainObject(value) ? (value as JsonObject) : { type: value }
  const found = typeof type === 'string' ? SAMPLERS[type.toLowerCase()] : undefined
  if (found === undefined) {
    report(
      pointer,
      `expected one of alwaysOn, alwaysOff, traceIdRatio, also after parentBased; parentBasedAlwaysOn is used`,
    )
    return undefined
  }
  if (typeof found === 'object') return found
  const ratio = isPlainObject(config) ? Number((config as JsonObject)['ratio'] ?? 1) : 1
  if (!(ratio >= 0 && ratio <= 1)) report(pointer, 'expected a ratio from 0 to 1; 1 is used')
  return { isParentBased: found === 'parentRatio', ratio: ratio >= 0 && ratio <= 1 ? ratio : 1 }
}
