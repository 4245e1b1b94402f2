import {
  type Exchange,
  type LoggedConnection,
  type RequestObservation,
  type RequestOutcome,
  type RequestSpan,
  UnauditedRequest,
  UpstreamTime,
} from '#http'
import type { ListenerContext } from './listener-context.ts'
import { EVENTS } from './log-events.ts'
import { logRefusal } from './log-refusal.ts'

/** Reports a request to the audit, the access log, the debug log, the live monitor, the metrics and the trace. */
export class ObservedRequest {
  readonly #context: ListenerContext
  readonly #exchange: Exchange
  readonly #span: RequestSpan | null
  #observation: RequestObservation | null = null
  /** Of the request as it arrived: filters change it. */
  readonly #method: string
  #startedAt = 0

  constructor(context: ListenerContext, exchange: Exchange, span: RequestSpan | null) {
    this.#context = context
    this.#exchange = exchange
    this.#span = span
    this.#method = exchange.request.method
  }

  begin(): void {
    const exchange = this.#exchange
    const { settings, logger } = this.#context
    const { audit, accessLog, observer, meter } = settings
    audit?.begin(exchange)
    if (accessLog) exchange.upstreamTime = new UpstreamTime()
    if (accessLog || meter || logger.isEnabled('debug')) {
      this.#startedAt = performance.now()
      exchange.audit ??= new UnauditedRequest(exchange)
    }
    if (observer?.isOpen === true) this.#observation = observer.begin(exchange)
  }

  ended(outcome: RequestOutcome, connection: LoggedConnection): void {
    if (this.#observation !== null) this.notify(() => this.#observation?.ended(outcome))
    this.notify(() => this.#log(outcome, connection))
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

  #log(outcome: RequestOutcome, connection: LoggedConnection): void {
    const { settings, logger } = this.#context
    const exchange = this.#exchange
    settings.accessLog?.ended({ exchange, method: this.#method, outcome, startedAt: this.#startedAt, connection })
    if (logger.isEnabled('debug')) logRefusal(logger, exchange, outcome)
  }
}
