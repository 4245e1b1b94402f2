import { FilterKind } from '#contracts'
import type { Filter } from '#http'
import {
  type Attempt,
  CIRCUIT_METRICS,
  type Guard,
  isFailure,
  openCircuitBreaker,
  RESILIENCE_EVENTS,
} from '#resilience'
import { defineType } from '#schema'
import { CIRCUIT_FIELDS, checkCircuit } from '../../lib/limits/circuit-fields.ts'

/** Stops sending requests to a handler that keeps failing. */
export const CircuitBreakerFilter = defineType({
  name: 'CircuitBreakerFilter',
  kind: FilterKind,
  summary: 'Fails fast while its downstream is failing (circuit breaker).',
  metrics: CIRCUIT_METRICS,
  events: [RESILIENCE_EVENTS.CIRCUIT_OPENED],
  config: CIRCUIT_FIELDS,
  check: (values, report) => checkCircuit(values, '', report),
  create: async (values, env) => breakCircuit(await openCircuitBreaker(values, env)),
})

/** A failure is an exception, or a response that has one as its cause. */
function breakCircuit(guard: Guard): Filter {
  return (exchange, next) => {
    const attempt: Attempt = async () => {
      const response = await next(exchange)
      return { response, failed: response.cause !== null && isFailure(response.cause, exchange) }
    }
    return guard(exchange, attempt)
  }
}
