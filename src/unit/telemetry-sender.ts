import { type CONTROL_CALLS, LOG_TOPIC, SPAN_TOPIC, type TelemetrySettings } from '#contracts'
import { BatchBuilder } from '#durable-queue'
import type { Remote } from '#rpc'
import type { EndedSpan } from '#telemetry'

/** Collects the spans and log lines of a unit and sends them to the control thread, many with each message. Never blocks. */
export class TelemetrySender {
  readonly #control: Pick<Remote<typeof CONTROL_CALLS>, 'telemetry'>
  readonly #settings: TelemetrySettings
  readonly #batch = new BatchBuilder()
  /** The control thread counts those that it has read; wraps around. */
  readonly #read = new SharedArrayBuffer(4)
  readonly #reads = new Int32Array(this.#read)
  #sent = 0
  #dropped = 0
  #timer: NodeJS.Timeout | null = null

  constructor(control: Pick<Remote<typeof CONTROL_CALLS>, 'telemetry'>, settings: TelemetrySettings) {
    this.#control = control
    this.#settings = settings
  }

  sendSpan({ id, time, text }: EndedSpan): void {
    this.#send(SPAN_TOPIC, id, time, text)
  }

  sendLine(line: string): void {
    this.#send(LOG_TOPIC, '', Date.now(), line.trimEnd())
  }

  #send(topic: string, id: string, time: number, text: string): void {
    const { maxQueue, maxBatch, scheduleDelay } = this.#settings
    const unread = (this.#sent - Atomics.load(this.#reads, 0)) | 0
    if (unread + this.#batch.length >= maxQueue) {
      this.#dropped++
      return
    }
    this.#batch.add({ topic, id, time, texts: [text] })
    if (this.#batch.length >= maxBatch || this.#batch.isFull) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), scheduleDelay).unref()
  }

  /** Sends those that wait. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#batch.length === 0 && this.#dropped === 0) return
    const batch = this.#batch.build()
    this.#control.telemetry({ batch, dropped: this.#dropped, read: this.#read })
    this.#sent = (this.#sent + batch.length) | 0
    this.#dropped = 0
  }
}
