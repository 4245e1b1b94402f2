import { type Exchange, type RequestObservation, type RequestOutcome, type RequestSpan, UnauditedRequest } from '#http'
import type { ListenerContext } from './listener-context.ts'
import { EVENTS } from './log-events.ts'
import { logRefusal } from './log-refusal.ts'

/** Reports a request to the audit, the access log, the debug log, the live monitor, the metrics and the trace. */
export class ObservedRequest {
  readonly #context: ListenerContext
  readonly #exchange: Exchange
  readonly #span: RequestSpan | null
  readonly #observation: RequestObservation | null
  /** Of the request as it arrived: filters change it. */
  readonly #method: string
  readonly #startedAt: number

  constructor(context: ListenerContext, exchange: Exchange, span: RequestSpan | null) {
    const { settings, logger } = context
    const { audit, accessLog, observer, meter } = settings
    this.#context = context
    this.#exchange = exchange
    this.#span = span
    audit?.begin(exchange)
    const isMeasured = Boolean(accessLog || meter) || logger.isEnabled('debug')
    this.#method = exchange.request.method
    this.#startedAt = isMeasured ? performance.now() : 0
    if (isMeasured) exchange.audit ??= new UnauditedRequest(exchange)
    this.#observation = observer?.isOpen === true ? observer.begin(exchange) : null
  }

  /** `bytes` of content were sent; `tls` is the version of TLS, null for cleartext. */
  ended(outcome: RequestOutcome, bytes: number, tls: string | null): void {
    if (this.#observation !== null) this.notify(() => this.#observation?.ended(outcome))
    this.notify(() => this.#log(outcome, bytes, tls))
    this.notify(() => this.#measure(outcome))
    if (this.#span !== null) this.notify((exchange) => this.#span?.end(exchange, outcome))
    this.notify((exchange) => exchange.audit?.end(outcome))
    this.notify((exchange) => exchange.complete())
  }

  /** Callbacks of filters run outside of any handler: their exceptions must not end the process. */
  notify(event: (exchange: Exchange) => void): void {
    try {
      event(this.#exchange)
    } catch (error) {
      this.#context.logger.limited(error).error({ error }, EVENTS.CALLBACK_FAILED)
    }
  }

  #measure(outcome: RequestOutcome): void {
    const exchange = this.#exchange
    const { meter } = this.#context.settings
    meter?.ended({ exchange, method: this.#method, outcome, startedAt: this.#startedAt, span: this.#span })
  }

  #log(outcome: RequestOutcome, bytes: number, tls: string | null): void {
    const { settings, logger } = this.#context
    const exchange = this.#exchange
    settings.accessLog?.ended({ exchange, method: this.#method, outcome, bytes, startedAt: this.#startedAt, tls })
    if (logger.isEnabled('debug')) logRefusal(logger, exchange, outcome)
  }
}
