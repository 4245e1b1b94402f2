import { randomUUID } from 'node:crypto'
import { type HealthCheck, LOG_TOPIC, type MetricSample, SPAN_TOPIC, type TelemetrySettings } from '#contracts'
import { type RecordBatch, recordsOf } from '#durable-queue'
import { type Logger, observeLogLines } from '#logging'
import type { MetricsScope } from '#metrics'
import { systemClock } from '#schema'
import { readTelemetryPlan, TELEMETRY_EVENTS, type TelemetryDefaults, type TelemetryPlan } from '#telemetry'
import { MetricsExport } from './metrics-export.ts'
import { otlpLogRecordOf } from './otlp-log-record.ts'
import { SignalExport } from './signal-export.ts'

/** Input of the export of telemetry. */
interface TelemetryInput {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly defaults: TelemetryDefaults
  readonly logger: Logger
  readonly metrics: MetricsScope
  /** All metrics of the gateway. */
  collect(): Promise<readonly MetricSample[]>
}

/** Milliseconds in which the last records are exported when the gateway stops. */
const CLOSE_LIMIT = 2_000

/** Exports telemetry of all units by OTLP over HTTP, as the `OTEL_` variables say. */
export class Telemetry {
  /** Settings of units; null where they export nothing. */
  readonly units: TelemetrySettings | null
  readonly #traces: SignalExport | null
  readonly #logs: SignalExport | null
  readonly #metrics: SignalExport | null
  readonly #metricsExport: MetricsExport | null
  readonly #stopObserving: () => void

  constructor({ env, version, defaults, logger, metrics, collect }: TelemetryInput) {
    const { plan, warnings } = readTelemetryPlan(env, defaults)
    const log = logger.child({ logger: 'telemetry' })
    for (const warning of warnings) log.warn(TELEMETRY_EVENTS.SETTING_IGNORED.withMessage(warning))
    const resource = plan === null ? {} : resourceOf(plan, version)
    const open = (signal: 'traces' | 'logs' | 'metrics'): SignalExport | null =>
      plan && SignalExport.open(signal, plan, { resource, logger: log, clock: systemClock, metrics })
    this.#traces = open('traces')
    this.#logs = open('logs')
    this.#metrics = open('metrics')
    this.#metricsExport =
      plan === null || this.#metrics === null ? null : new MetricsExport(this.#metrics, plan.metricInterval, collect)
    this.units = plan === null || (this.#traces ?? this.#logs) === null ? null : this.#unitSettings(plan)
    this.#stopObserving = this.#logs === null ? () => {} : observeLogLines((line) => this.#addLogLines([line]))
  }

  /** Spans and log lines of a unit; `read` is the memory in which it reads how many were taken. */
  take(batch: RecordBatch, dropped: number, read: SharedArrayBuffer): void {
    if (dropped > 0) (this.#traces ?? this.#logs)?.droppedBy('unread').add(dropped)
    this.#traces?.add(recordsOf(batch, 1, { format: 0, topics: [SPAN_TOPIC] }))
    if (this.#logs !== null)
      this.#addLogLines(recordsOf(batch, 1, { format: 0, topics: [LOG_TOPIC] }).map(({ text }) => text))
    Atomics.add(new Int32Array(read), 0, batch.length)
  }

  get checks(): readonly HealthCheck[] {
    return this.#exports.map(({ check }) => check)
  }

  async close(): Promise<void> {
    this.#stopObserving()
    this.#metricsExport?.stop()
    await Promise.all(this.#exports.map((each) => each.close(CLOSE_LIMIT)))
  }

  get #exports(): readonly SignalExport[] {
    return [this.#traces, this.#logs, this.#metrics].filter((each) => each !== null)
  }

  #addLogLines(lines: readonly string[]): void {
    const time = systemClock.now()
    const texts = lines.map(otlpLogRecordOf).filter((text) => text !== null)
    this.#logs?.add(texts.map((text) => ({ topic: LOG_TOPIC, id: '', text, time })))
  }

  #unitSettings({ sampler, batch }: TelemetryPlan): TelemetrySettings {
    const { delay: scheduleDelay, maxBatch, maxQueue } = batch
    return {
      sampler: this.#traces === null ? null : sampler,
      exportsLogs: this.#logs !== null,
      scheduleDelay,
      maxBatch,
      maxQueue,
    }
  }
}

/** Semantic conventions of resources: the service, its process and this program in the place of an SDK. */
function resourceOf({ resource }: TelemetryPlan, version: string): Record<string, string | number> {
  return {
    'service.version': version,
    'service.instance.id': randomUUID(),
    'process.pid': process.pid,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'identity-gateway',
    'telemetry.sdk.version': version,
    ...resource,
  }
}
