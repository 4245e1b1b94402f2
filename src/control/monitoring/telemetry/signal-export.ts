import { readFileSync } from 'node:fs'
import { AUDIT_EVENTS, type OtlpPlan } from '#audit'
import type { HealthCheck, TlsPlan } from '#contracts'
import { DEFAULT_TLS_PLAN } from '#contracts'
import { Delivery, type DeliveryCounts, type QueuedRecord } from '#durable-queue'
import type { Logger } from '#logging'
import type { MetricsScope } from '#metrics'
import type { Clock, Counter } from '#schema'
import { type SignalPlan, TELEMETRY_EVENTS, type TelemetryPlan } from '#telemetry'
import { CurrentTransport } from '../../audit/current-transport.ts'

/** Services of an export. */
interface ExportEnv {
  readonly resource: Readonly<Record<string, string | number>>
  readonly logger: Logger
  readonly clock: Clock
  readonly metrics: MetricsScope
}

type Signal = keyof TelemetryPlan['signals']

/** Bytes of records in memory. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_BATCH_BYTES = 1024 * 1024
const DROPPED = 'Spans, log records or metrics that were not exported, and will not be.'

/** One signal: its queue and the collector. Records beyond the bounds of the queue are dropped and counted. */
export class SignalExport {
  readonly #delivery: Delivery
  readonly #signal: Signal
  readonly #metrics: MetricsScope

  private constructor(signal: Signal, plan: OtlpPlan, maxQueue: number, { logger, clock, metrics }: ExportEnv) {
    this.#signal = signal
    this.#metrics = metrics
    this.#delivery = new Delivery(
      new CurrentTransport({ type: 'otlp', ...plan }, { logger, clock }),
      { maxEvents: maxQueue, maxBytes: MAX_BYTES, spool: null },
      { logger, clock, name: signal, wording: { noun: signal, events: { ...AUDIT_EVENTS, ...TELEMETRY_EVENTS } } },
    )
    this.#expose()
  }

  /** Null where the signal is off, or its certificates can not be read. */
  static open(signal: Signal, { signals, batch }: TelemetryPlan, env: ExportEnv): SignalExport | null {
    const plan = signals[signal]
    if (plan === null) return null
    const tls = tlsOf(plan)
    if (tls instanceof Error) {
      const message = `a certificate or key for the collector can not be read, no ${signal} are exported: ${tls.message}`
      env.logger.warn(TELEMETRY_EVENTS.SETTING_IGNORED.withMessage(message))
      return null
    }
    const { endpoint, isWholeUrl, headers, timeout, compression } = plan
    const otlp: OtlpPlan = {
      endpoint,
      isWholeUrl,
      headers,
      compression,
      signal,
      connectTimeout: timeout,
      requestTimeout: timeout,
      resourceAttributes: env.resource,
      tls,
      batchLimits: { records: batch.maxBatch, bytes: MAX_BATCH_BYTES },
    }
    return new SignalExport(signal, otlp, batch.maxQueue, env)
  }

  add(records: readonly QueuedRecord[]): void {
    this.#delivery.add(records)
  }

  /** Whether records of an earlier call wait. */
  get isBusy(): boolean {
    return this.#delivery.counts.queued > 0
  }

  /** A counter of records that were dropped before they reached the queue. */
  droppedBy(reason: string): Counter {
    return this.#metrics.counter('gw_telemetry_dropped_total', DROPPED, { signal: this.#signal, reason })
  }

  /** An outage of the collector never makes the gateway unready. */
  get check(): HealthCheck {
    const { isUp, reason } = this.#delivery.state
    const detail = reason ?? `${this.#signal} are exported`
    return { name: `telemetry.${this.#signal}`, ok: true, state: isUp ? 'up' : 'degraded', detail }
  }

  close(limit: number): Promise<void> {
    return this.#delivery.close(limit)
  }

  #expose(): void {
    const metrics = this.#metrics
    const labels = { signal: this.#signal }
    const delivery = this.#delivery
    metrics.countReading('gw_telemetry_exported_total', 'Spans, log records or metrics that the collector accepted.', {
      labels,
      read: () => delivery.counts.delivered.values().reduce((sum, count) => sum + count, 0),
    })
    for (const reason of ['full', 'refused', 'too_large', 'closed'] as (keyof DeliveryCounts['lost'])[]) {
      metrics.countReading('gw_telemetry_dropped_total', DROPPED, {
        labels: { ...labels, reason },
        read: () => delivery.counts.lost[reason],
      })
    }
    metrics.countReading('gw_telemetry_failures_total', 'Failed exports; their records are sent again.', {
      labels,
      read: () => delivery.counts.failures,
    })
    metrics.reading('gw_telemetry_queued', 'Spans, log records or metrics that wait for the collector.', {
      labels,
      read: () => delivery.counts.queued,
    })
  }
}

function tlsOf({ endpoint, certificate, clientCertificate, clientKey }: SignalPlan): TlsPlan | null | Error {
  if (!endpoint.startsWith('https:')) return null
  try {
    return {
      ...DEFAULT_TLS_PLAN,
      ...(certificate !== null && { ca: certificatesIn(readFileSync(certificate, 'utf8')) }),
      ...(clientCertificate !== null &&
        clientKey !== null && {
          cert: [readFileSync(clientCertificate, 'utf8')],
          key: [readFileSync(clientKey, 'utf8')],
        }),
    }
  } catch (error) {
    return error as Error
  }
}

function certificatesIn(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? []
}
