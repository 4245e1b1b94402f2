import type { Executor } from '#contracts'
import type { Exchange, Handler, Response } from '#http'
import type { Counter, Environment } from '#schema'
import { EVENTS } from '../log-events.ts'
import { Circuit } from './circuit.ts'
import { CircuitOpenError } from './circuit-open-error.ts'
import { isFailure } from './failure.ts'

/** Names of the metrics of a circuit breaker. */
export const CIRCUIT_METRICS: readonly string[] = [
  'gw_circuit_breaker_open',
  'gw_circuit_breaker_trips_total',
  'gw_circuit_breaker_refused_total',
]

/** The configuration of a circuit breaker. */
export interface CircuitBreakerSettings {
  readonly maxFailures: number
  /** Milliseconds. */
  readonly openDuration: number
  readonly openHandler?: Handler | undefined
  readonly slidingCounter?: { readonly size: number } | undefined
  readonly executor: Executor
}

/** A response, and whether it counts as a failure. */
export interface Outcome {
  readonly response: Response
  readonly failed: boolean
}

export type Attempt = (exchange: Exchange) => Promise<Outcome>

/** Makes attempts while the circuit is closed, and records their outcomes. */
export type Guard = (exchange: Exchange, attempt: Attempt) => Promise<Response>

const openByDefault: Handler = async () => {
  throw new CircuitOpenError()
}

/** A circuit breaker with its state in memory shared by all units. */
export async function openCircuitBreaker(values: CircuitBreakerSettings, env: Environment): Promise<Guard> {
  const { maxFailures, openDuration, openHandler = openByDefault, executor } = values
  const settings = { maxFailures, openDuration, size: values.slidingCounter?.size ?? null }
  const circuit = new Circuit(await env.shared('circuit', Circuit.bytes(settings)), settings, env.clock)

  const { trips, refused } = countersOf(circuit, env)

  const close = (): void => {
    if (circuit.closeIfDue()) env.logger.info('the circuit breaker closed')
  }
  let cancelClosing = (): void => {}
  let disposed = false
  env.onDispose(() => {
    disposed = true
    cancelClosing()
  })
  const record = (epoch: number, failed: boolean): void => {
    if (!circuit.record(epoch, failed)) return
    trips.add()
    env.logger.warn({ maxFailures, openDuration }, EVENTS.CIRCUIT_OPENED)
    // The next request in any unit closes it as well, so that the end of this unit does not leave the circuit open.
    if (!disposed) cancelClosing = executor.schedule(openDuration, close)
  }

  return async (exchange, attempt) => {
    close()
    const epoch = circuit.admit()
    if (epoch === null) {
      refused.add()
      // The refusal stays the decision, whatever the handler responds with, as that of a filter with a failureHandler.
      exchange.decided({ result: 'FAILED', by: env.name, reason: 'the circuit is open' })
      return openHandler(exchange)
    }
    let outcome: Outcome
    try {
      outcome = await attempt(exchange)
    } catch (error) {
      if (isFailure(error, exchange)) record(epoch, true)
      throw error
    }
    if (!exchange.aborted) record(epoch, outcome.failed)
    return outcome.response
  }
}

function countersOf(circuit: Circuit, { metrics, name }: Environment): { trips: Counter; refused: Counter } {
  const labels = { name }
  metrics.reading('gw_circuit_breaker_open', 'Whether the circuit is open: 1, or 0.', {
    labels,
    read: () => Number(circuit.isOpen),
    merge: 'max',
  })
  return {
    trips: metrics.counter('gw_circuit_breaker_trips_total', 'How often the circuit opened.', labels),
    refused: metrics.counter(
      'gw_circuit_breaker_refused_total',
      'Requests refused because the circuit was open.',
      labels,
    ),
  }
}
