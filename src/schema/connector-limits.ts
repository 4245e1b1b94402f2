import type { DecodedMembers } from './composites.ts'
import { config } from './config-expression.ts'
import type { Settled } from './deferred.ts'
import { duration, integer } from './scalars.ts'

/**
 * Limits of connectors in admin.json, which are passed to every listener as plain data, times in milliseconds. A new limit is one
 * field here and its use: `settings` of a ListenerContext.
 */
export const CONNECTOR_LIMITS = {
  gracePeriod: config(duration({ unlimited: false }))
    .default('10 seconds')
    .meta({
      description: 'Time for in-flight requests to end when the gateway stops; `disabled` aborts them at once.',
    }),
  requestTimeout: config(duration()).default('5 minutes').meta({
    description:
      'After this time a request body must progress by at least 1 KiB in each `idleTimeout`, or its request is aborted. `unlimited` sets no such minimum.',
  }),
  headersTimeout: config(duration({ unlimited: false }))
    .default('30 seconds')
    .meta({ description: 'Maximum time to receive the header section of a request.' }),
  keepAliveTimeout: config(duration())
    .default('1 minute')
    .meta({ description: 'Keep-alive time of an idle connection.' }),
  idleTimeout: config(duration()).default('2 minutes').meta({
    description:
      'A request is aborted if its client sends no byte of the body (408) or reads no byte of the response for this time.',
  }),
  maxTotalHeadersSize: config(integer({ min: 1024, max: 1_048_576 }))
    .default(16_384)
    .meta({ description: 'Maximum total size of headers in bytes; if it is exceeded, the response is 431.' }),
}

/** Limits of a connector. */
export type ConnectorLimits = Settled<DecodedMembers<typeof CONNECTOR_LIMITS>>
