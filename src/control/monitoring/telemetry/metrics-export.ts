import type { MetricSample } from '#contracts'
import type { Counter } from '#schema'
import { otlpMetrics } from './otlp-metrics.ts'
import type { SignalExport } from './signal-export.ts'

/** Exports the metrics of all units in intervals. */
export class MetricsExport {
  readonly #target: SignalExport
  readonly #collect: () => Promise<readonly MetricSample[]>
  readonly #skipped: Counter
  readonly #timer: NodeJS.Timeout
  #isCollecting = false

  constructor(target: SignalExport, interval: number, collect: () => Promise<readonly MetricSample[]>) {
    this.#target = target
    this.#collect = collect
    this.#skipped = target.droppedBy('late')
    this.#timer = setInterval(() => void this.#export(), interval).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Values that the collector has not taken are followed by newer ones when it has: an outage skips intervals. */
  async #export(): Promise<void> {
    if (this.#isCollecting || this.#target.isBusy) {
      this.#skipped.add()
      return
    }
    this.#isCollecting = true
    try {
      const samples = await this.#collect()
      const time = Date.now()
      this.#target.add(
        Array.from(otlpMetrics(samples, time), (text, n) => ({ topic: 'metrics', id: `${n}`, text, time })),
      )
    } catch {
      this.#skipped.add()
    } finally {
      this.#isCollecting = false
    }
  }
}
