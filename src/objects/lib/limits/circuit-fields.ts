import { Executor, HandlerKind } from '#contracts'
import { boolean, config, type DecodedMembers, duration, integer, object, ref, type Settled } from '#schema'

/** Windows are in shared memory, 8 bytes for each request. */
const MAX_SIZE = 100_000
const MAX_FAILURES = 2 ** 31 - 1

/** The fields of a circuit breaker. */
export const CIRCUIT_FIELDS = {
  maxFailures: config(integer({ min: 1, max: MAX_FAILURES })).meta({
    description:
      'Number of failures that open the circuit: within the window of slidingCounter, or consecutive ones without it. A retried request counts once.',
  }),
  openDuration: config(duration({ zero: false, unlimited: false })).meta({
    description: 'How long the circuit stays open before it closes and the failure count is reset.',
  }),
  openHandler: ref(HandlerKind).optional().meta({
    description:
      'Handles requests while the circuit is open. By default the request fails, which a route turns into a 500 response.',
  }),
  slidingCounter: object({
    size: config(integer({ min: 1, max: MAX_SIZE })).meta({
      description: 'Number of most recent requests in the window; greater than maxFailures.',
    }),
  })
    .optional()
    .meta({
      description: 'Counts failures within a window of the most recent requests, instead of consecutive failures.',
    }),
  executor: ref(Executor).default('ScheduledExecutorService').meta({ description: 'Service that closes the circuit.' }),
}

/** The settled fields of a circuit breaker. */
type CircuitValues = Settled<DecodedMembers<typeof CIRCUIT_FIELDS>>

/** The field `circuitBreaker` of handlers. */
export const CIRCUIT_BREAKER_FIELD = object({
  enabled: config(boolean()).default(true).meta({ description: 'Whether the circuit breaker is enabled.' }),
  ...CIRCUIT_FIELDS,
})
  .optional()
  .meta({
    description:
      'Stops sending requests for a time after too many have failed. It counts all requests of the handler, in the whole gateway.',
  })

/** Reports a window that could never be full before the circuit opens; `path` points at the breaker. */
export function checkCircuit(
  { maxFailures, slidingCounter }: Pick<CircuitValues, 'maxFailures' | 'slidingCounter'>,
  path: string,
  report: (path: string, message: string) => void,
): void {
  if (slidingCounter === undefined || slidingCounter.size > maxFailures) return
  const expected = `expected more than maxFailures, which is ${maxFailures}`
  report(`${path}/slidingCounter/size`, `${expected}, got ${slidingCounter.size}`)
}
